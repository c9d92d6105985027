// Attention by integers: up to six query rows against a head's keys, block by block of 32, whose probabilities are coded as
// they come; then against the values.
#pragma once
#include <algorithm>
#include <limits>

#include "kernels/byte_attention/byte_attention.h"
#include "kernels/byte_kv.h"
#include "kernels/simd/byte_tile.h"
#include "kernels/simd/exp.h"
#include "kernels/simd/read_ahead.h"

namespace susurrus::simd {

/// What probabilities are coded with: unsigned codes without offset, as every machine takes them.
template <class Dot>
inline float probability_limit(const ByteCoding& coding) {
  if constexpr (!Dot::kHasOffset) return coding.limit;
  // Where a code may be 128 + 127, the dot product takes bytes without sign.
  return coding.offset == 128 ? 255.0f : 127.0f;
}

/// Scores of a block of 32 keys, in their tiles of 8, to codes round(limit * exp((score - maximum) * scale)).
///
/// limit * 2^f by a polynomial, |f| <= 1/2, relative error 7.5e-5 (degree 3) or 2.6e-6 (degree 4, for 16 bits): less than
/// 0.02 and 0.1 of a code.
template <class Dot, class Madd>
class ProbabilityCoder {
 public:
  ProbabilityCoder(float scale, float limit)
      : factor_(wasm_f32x4_splat(scale * 1.44269504f)),
        // Scores so far below the maximum have code 0; more need not be told apart.
        lowest_(wasm_f32x4_splat(-30.0f / (scale * 1.44269504f))),
        shift_(held_u32(0x4B400000)) {
    constexpr float kCubic[] = {0.0551716691f, 0.242611122f, 0.693260985f, 0.999928074f};
    constexpr float kQuartic[] = {0.00957010191f, 0.0559178603f, 0.240247448f, 0.693121815f,
                                  0.999999261f};
    for (int i = 0; i <= kDegree; ++i) {
      polynomial_[i] = wasm_f32x4_splat(limit * (kDegree == 3 ? kCubic[i] : kQuartic[i]));
    }
  }

  /// The 32 scores are scores[0..8), scores[stride..stride + 8), ...; answers the maximum.
  float code(const float* scores, size_t stride, typename Dot::Code* codes) const {
    v128_t most = wasm_f32x4_pmax(load(scores), load(scores + 4));
#pragma unroll
    for (size_t p = 1; p < 4; ++p) {
      most = wasm_f32x4_pmax(most, load(scores + p * stride));
      most = wasm_f32x4_pmax(most, load(scores + p * stride + 4));
    }
    most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 2, 3, 0, 1));
    most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 1, 0, 3, 2));
    for (size_t p = 0; p < 4; p += 2, scores += 2 * stride, codes += 16) {
      const v128_t q[4] = {code_four(load(scores), most), code_four(load(scores + 4), most),
                           code_four(load(scores + stride), most),
                           code_four(load(scores + stride + 4), most)};
      const v128_t low = wasm_i16x8_narrow_i32x4(q[0], q[1]);
      const v128_t high = wasm_i16x8_narrow_i32x4(q[2], q[3]);
      if constexpr (Dot::kHasOffset) {
        wasm_v128_store(codes, wasm_u8x16_narrow_i16x8(low, high));
      } else {
        wasm_v128_store(codes, low);
        wasm_v128_store(codes + 8, high);
      }
    }
    return wasm_f32x4_extract_lane(most, 0);
  }

 private:
  static constexpr int kDegree = Dot::kHasOffset ? 3 : 4;

  v128_t code_four(v128_t scores, v128_t most) const {
    const v128_t x = wasm_f32x4_pmax(lowest_, wasm_f32x4_sub(scores, most));
    const v128_t shifted = Madd::madd(x, factor_, shift_);
    const v128_t f = Madd::madd(x, factor_, wasm_f32x4_sub(shift_, shifted));
    v128_t y = Madd::madd(polynomial_[0], f, polynomial_[1]);
#pragma unroll
    for (int i = 2; i <= kDegree; ++i) y = Madd::madd(y, f, polynomial_[i]);
    y = wasm_i32x4_add(y, wasm_i32x4_shl(shifted, 23));
    return wasm_i32x4_sub(wasm_f32x4_add(y, shift_), shift_);
  }

  v128_t factor_;
  v128_t lowest_;
  v128_t shift_;
  v128_t polynomial_[kDegree + 1];
};

/// Up to kCodeRows query rows against one head.
template <class Dot, class Madd>
class ByteAttender {
 public:
  ByteAttender(const AttentionArgs& args, const ByteCoding& coding)
      : args_(args),
        coding_(coding),
        layout_(args.key_rows, args.head_size),
        place_(layout_.key_blocks, layout_.head_blocks),
        memory_(args.scratch.data()),
        coder_(args.scale, probability_limit<Dot>(coding)) {
    auto* blocks = reinterpret_cast<uint32_t*>(memory_ + place_.blocks);
    for (size_t b = 0; b < layout_.key_blocks; ++b) blocks[b] = static_cast<uint32_t>(b);
    std::fill_n(memory_ + place_.corrections, 8 * layout_.key_blocks, 0.0f);
  }

  __attribute__((noinline)) void attend(size_t head, size_t first, size_t rows) const {
    const uint8_t* keys = args_.kv.data + head * layout_.head_bytes;
    const size_t column = head * args_.head_size;
    code_probabilities(code_queries(column, first, rows), keys);
    const CodeTile probabilities = {rows,
                                    layout_.key_blocks,
                                    reinterpret_cast<const uint32_t*>(memory_ + place_.blocks),
                                    memory_ + place_.scales,
                                    nullptr,
                                    memory_ + place_.codes};
    float factors[kCodeRows];
    scale_probabilities(probabilities, factors);

    const uint8_t* panel = keys + layout_.values;
    const auto* means = reinterpret_cast<const float*>(keys + layout_.value_means);
    ReadAhead ahead(panel, layout_.column_panels * layout_.value_panel_bytes, false);
    for (size_t d = 0; d < args_.head_size; d += 8, panel += layout_.value_panel_bytes) {
      ahead.reach(panel + layout_.value_panel_bytes);
      float y[kCodeRows * 8] = {};
      byte_tile_rows<Dot, Madd>(probabilities,
                                {panel + layout_.value_integers, ByteKvLayout::kBlockIntegers,
                                 reinterpret_cast<const float*>(panel),
                                 reinterpret_cast<const int32_t*>(memory_ + place_.corrections)},
                                y);
      const size_t columns = std::min<size_t>(8, args_.head_size - d);
      for (size_t r = 0; r < rows; ++r) {
        float* out = args_.out + (first + r) * args_.out_stride + column + d;
        for (size_t c = 0; c < columns; ++c) out[c] = y[8 * r + c] * factors[r] + means[d + c];
      }
    }
  }

 private:
  CodeTile code_queries(size_t column, size_t first, size_t rows) const {
    const size_t width = layout_.head_blocks * kBlockValues;
    const float* q = args_.q + first * args_.q_stride + column;
    size_t stride = args_.q_stride;
    if (width > args_.head_size) {
      float* padded = memory_ + place_.queries;
      std::fill_n(padded, rows * width, 0.0f);
      for (size_t r = 0; r < rows; ++r)
        std::copy_n(q + r * stride, args_.head_size, padded + r * width);
      q = padded;
      stride = width;
    }
    return code_rows<Dot>(coding_, rows, width, q, stride, memory_);
  }

  void code_probabilities(const CodeTile& queries, const uint8_t* keys) const {
    const size_t rows = queries.rows;
    const size_t stride = 8 * rows;
    float* maxima = memory_ + place_.maxima;
    auto* codes = reinterpret_cast<typename Dot::Code*>(memory_ + place_.codes);
    ReadAhead ahead(keys, layout_.values, false);
    for (size_t b = 0; b < layout_.key_blocks; ++b) {
      float scores[4 * kCodeRows * 8];
      std::fill_n(scores, 4 * stride, 0.0f);
      ahead.reach(keys + 4 * layout_.key_panel_bytes);
      for (size_t p = 0; p < 4; ++p, keys += layout_.key_panel_bytes) {
        byte_tile_rows<Dot, Madd>(
            queries,
            {keys + layout_.key_integers, ByteKvLayout::kBlockIntegers,
             reinterpret_cast<const float*>(keys),
             reinterpret_cast<const int32_t*>(keys + layout_.key_corrections)},
            scores + p * stride);
      }
      for (size_t j = args_.key_rows - b * kBlockValues; j < kBlockValues; ++j) {
        for (size_t r = 0; r < rows; ++r) {
          scores[j / 8 * stride + 8 * r + j % 8] = -std::numeric_limits<float>::infinity();
        }
      }
      for (size_t r = 0; r < rows; ++r, codes += kBlockValues) {
        *maxima++ = coder_.code(scores + 8 * r, stride, codes);
      }
    }
  }

  /// A term's scale is its maximum's share of the row's; `factors` make the weights of a row add up to one.
  void scale_probabilities(const CodeTile& tile, float* factors) const {
    const size_t count = tile.term_count * tile.rows;
    const float* maxima = memory_ + place_.maxima;
    float* scales = memory_ + place_.scales;
    float most[kCodeRows];
    for (size_t r = 0; r < tile.rows; ++r) most[r] = maxima[r];
    for (size_t i = tile.rows; i < count;) {
      for (size_t r = 0; r < tile.rows; ++r, ++i) most[r] = std::max(most[r], maxima[i]);
    }
    for (size_t i = 0; i < count;) {
      for (size_t r = 0; r < tile.rows; ++r, ++i) scales[i] = (maxima[i] - most[r]) * args_.scale;
    }
    const Exp exp;
    for (size_t i = 0; i < count; i += 4) store(scales + i, exp.of<Madd>(load(scales + i)));

    const v128_t ones = Dot::kHasOffset ? wasm_i8x16_splat(1) : wasm_i16x8_splat(1);
    const auto* codes = static_cast<const uint8_t*>(tile.codes);
    constexpr size_t kRowBytes = kBlockValues * sizeof(typename Dot::Code);
    for (size_t r = 0; r < tile.rows; ++r) {
      v128_t sum = wasm_f32x4_const_splat(0);
      for (size_t i = r; i < count; i += tile.rows) {
        v128_t block = wasm_i32x4_const_splat(0);
#pragma unroll
        for (size_t byte = 0; byte < kRowBytes; byte += 16) {
          block = Dot::dot(ones, load(codes + i * kRowBytes + byte), block);
        }
        sum = wasm_f32x4_add(
            sum, wasm_f32x4_mul(load_splat(scales + i), wasm_f32x4_convert_i32x4(block)));
      }
      factors[r] = 1.0f / sum_lanes(sum);
    }
  }

  const AttentionArgs& args_;
  const ByteCoding& coding_;
  ByteKvLayout layout_;
  ByteAttentionScratch place_;
  float* memory_;
  ProbabilityCoder<Dot, Madd> coder_;
};

template <class Dot, class Madd>
inline void byte_attention(const AttentionArgs& args, const ByteCoding& coding) {
  const ByteAttender<Dot, Madd> attender(args, coding);
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    for (size_t i = 0; i < args.query_rows; i += kCodeRows) {
      attender.attend(h, i, std::min(kCodeRows, args.query_rows - i));
    }
  }
}

}  // namespace susurrus::simd
