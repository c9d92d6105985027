// Attention's two ways: one query row straight from k and v, many that share their keys through packed ones.
#pragma once
#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/attention/simd_single_row.h"
#include "kernels/scratch_layout.h"
#include "kernels/simd/tile.h"
#include "kernels/softmax/simd_softmax.h"

namespace susurrus::simd {

/// Up to this many query rows, packing a head's keys and values costs more than it saves.
inline constexpr size_t kFewQueryRows = 4;

/// Keys of one pass over the values: a block of scores and one of packed values then share the L1
/// cache.
inline constexpr size_t kValueDepth = 256;

/// Tiles of 8 keys, each (head_size, 8), times the scale.
inline void pack_keys(const AttentionArgs& args, size_t column, float* packed) {
  for (size_t j = 0; j < args.key_rows;
       j += kTileColumns, packed += kTileColumns * args.head_size) {
    const float* rows[kTileColumns];
    // Keys beyond the last repeat it; their scores are not used.
    for (size_t c = 0; c < kTileColumns; ++c) {
      rows[c] = args.k + std::min(j + c, args.key_rows - 1) * args.k_stride + column;
    }
    transpose_to_panel(rows, args.head_size, packed);
    scale_row(packed, kTileColumns * args.head_size, args.scale);
  }
}

/// Tiles of 8 columns, each (key_rows, 8); columns beyond the last are zero.
inline void pack_values(const AttentionArgs& args, size_t column, float* packed) {
  for (size_t d = 0; d < args.head_size; d += kTileColumns) {
    const size_t count = std::min(kTileColumns, args.head_size - d);
    for (size_t j = 0; j < args.key_rows; ++j, packed += kTileColumns) {
      const float* row = args.v + j * args.v_stride + column + d;
      if (count == kTileColumns) {
        store(packed, load(row));
        store(packed + 4, load(row + 4));
      } else {
        for (size_t c = 0; c < kTileColumns; ++c) packed[c] = c < count ? row[c] : 0.0f;
      }
    }
  }
}

/// One head of the query rows [first, first + count), count <= AttentionScratch::kBlockRows.
template <class Madd>
inline void attend_block(const AttentionArgs& args, const AttentionScratch& layout, size_t column,
                         size_t first, size_t count) {
  float* memory = args.scratch.data();
  const float* keys = memory;
  const float* values = memory + layout.values;
  float* scores = memory + layout.scores;
  const size_t stride = layout.key_stride;
  const size_t size = args.head_size;
  const auto keys_of = [&](size_t i) {
    return args.causal ? std::min(args.key_rows, args.causal_offset + first + i + 1)
                       : args.key_rows;
  };
  const size_t key_count = keys_of(count - 1);

  const float* queries = args.q + first * args.q_stride + column;
  for (size_t j = 0; j < key_count; j += kTileColumns) {
    for (size_t i = 0; i < count; i += Madd::kTileRows) {
      const int rows = static_cast<int>(std::min<size_t>(Madd::kTileRows, count - i));
      tile_rows<Madd>(rows, size, queries + i * args.q_stride, args.q_stride, keys + j * size,
                      nullptr, false, scores + i * stride + j, stride);
    }
  }
  float reciprocals[AttentionScratch::kBlockRows];
  for (size_t i = 0; i < count; ++i) {
    float* row = scores + i * stride;
    const size_t own = keys_of(i);
    const float sum = exponentials<Madd>(row, own);
    reciprocals[i] = sum == 0.0f ? 0.0f : 1.0f / sum;
    std::fill(row + own, row + key_count, 0.0f);
  }
  float* out = args.out + first * args.out_stride + column;
  for (size_t j = 0; j < key_count; j += kValueDepth) {
    const size_t depth = std::min(kValueDepth, key_count - j);
    for (size_t d = 0; d < size; d += kTileColumns) {
      const float* tile_values = values + d * args.key_rows + j * kTileColumns;
      for (size_t i = 0; i < count; i += Madd::kTileRows) {
        const int rows = static_cast<int>(std::min<size_t>(Madd::kTileRows, count - i));
        tile_edge<Madd>(rows, std::min(kTileColumns, size - d), depth, scores + i * stride + j,
                        stride, tile_values, nullptr, j > 0, out + i * args.out_stride + d,
                        args.out_stride);
      }
    }
  }
  for (size_t i = 0; i < count; ++i) scale_row(out + i * args.out_stride, size, reciprocals[i]);
}

template <class Madd>
inline void attention(const AttentionArgs& args) {
  if (args.own.rows != nullptr || args.query_rows <= kFewQueryRows || args.key_rows == 0) {
    for (size_t i = 0; i < args.query_rows; ++i) attend_row<Madd>(args, i);
    return;
  }
  const AttentionScratch layout(args.key_rows, args.head_size);
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    const size_t column = h * args.head_size;
    pack_keys(args, column, args.scratch.data());
    pack_values(args, column, args.scratch.data() + layout.values);
    for (size_t i = 0; i < args.query_rows; i += AttentionScratch::kBlockRows) {
      attend_block<Madd>(args, layout, column, i,
                         std::min(AttentionScratch::kBlockRows, args.query_rows - i));
    }
  }
}

}  // namespace susurrus::simd
