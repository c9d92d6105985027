#include "kernels/packed_weights/packed_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/half.h"
#include "kernels/packed_weights/rescaled_halves.h"
#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

using Vector = uint8_t __attribute__((vector_size(16)));

/// Groups of G bytes of a and b in turn, the first half of both and the second.
template <size_t G>
void interleave(Vector a, Vector b, Vector& first, Vector& second);
template <>
void interleave<4>(Vector a, Vector b, Vector& first, Vector& second) {
  first = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  second =
      __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}
template <>
void interleave<2>(Vector a, Vector b, Vector& first, Vector& second) {
  first = __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  second =
      __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
}

/// Puts the integers of 8 rows' blocks, `row_bytes` apart, into a panel's order: a shuffle of eight
/// piles, made of three riffles.
template <size_t G>
void pack_integers(const uint8_t* rows, size_t row_bytes, uint8_t* to) {
  for (size_t half = 0; half < kBlockValues;
       half += sizeof(Vector), to += kPackedBlockIntegers / 2) {
    Vector piles[2][kPackedRows];
    for (size_t r = 0; r < kPackedRows; ++r) {
      std::memcpy(&piles[0][r], rows + r * row_bytes + half, sizeof(Vector));
    }
    for (size_t riffle = 0; riffle < 3; ++riffle) {
      const Vector* from = piles[riffle % 2];
      Vector* next = piles[(riffle + 1) % 2];
      for (size_t r = 0; r < 4; ++r) {
        interleave<G>(from[r], from[r + 4], next[2 * r], next[2 * r + 1]);
      }
    }
    std::memcpy(to, piles[1], sizeof piles[1]);
  }
}

/// The integers of a row's block of a nibble type, as bytes without offset.
void unpack_nibbles(const BlockLayout& layout, const uint8_t* block, uint8_t q[kBlockValues]) {
  const uint8_t* qs = block + layout.qs;
  for (size_t j = 0; j < 16; ++j) {
    q[j] = qs[j] & 15;
    q[j + 16] = static_cast<uint8_t>(qs[j] >> 4);
  }
  if (layout.qh == BlockLayout::kAbsent) return;
  uint32_t qh;
  std::memcpy(&qh, block + layout.qh, sizeof qh);
  for (size_t j = 0; j < kBlockValues; ++j) q[j] = static_cast<uint8_t>(q[j] | (qh >> j & 1) << 4);
}

template <size_t G>
void pack_panel(const BlockLayout& layout, size_t block_count, const uint8_t* rows,
                uint8_t* panel) {
  const PackedBlockLayout to(layout);
  const bool has_nibbles = layout.byte_count != kQ80Layout.byte_count;
  const size_t row_bytes = block_count * layout.byte_count;
  for (size_t b = 0; b < block_count; ++b, rows += layout.byte_count, panel += to.byte_count) {
    for (size_t r = 0; r < kPackedRows; ++r) {
      const uint8_t* block = rows + r * row_bytes;
      std::memcpy(panel + 2 * r, block, 2);
      if (to.m != BlockLayout::kAbsent) std::memcpy(panel + to.m + 2 * r, block + layout.m, 2);
    }
    if (!has_nibbles) {
      pack_integers<G>(rows + layout.qs, row_bytes, panel + to.q);
      continue;
    }
    uint8_t unpacked[kPackedBlockIntegers];
    for (size_t r = 0; r < kPackedRows; ++r) {
      unpack_nibbles(layout, rows + r * row_bytes, unpacked + r * kBlockValues);
    }
    uint8_t integers[kPackedBlockIntegers];
    pack_integers<G>(unpacked, kBlockValues, integers);
    for (size_t i = 0; i < kPackedBlockIntegers / 2; ++i) {
      panel[to.q + i] =
          static_cast<uint8_t>((integers[i] & 15) | integers[i + kPackedBlockIntegers / 2] << 4);
    }
    if (to.qh == BlockLayout::kAbsent) continue;
    for (size_t i = 0; i < kBlockValues; ++i) {
      unsigned bits = 0;
      for (size_t s = 0; s < 8; ++s) bits |= (integers[i + 32 * s] >> 4 & 1u) << s;
      panel[to.qh + i] = static_cast<uint8_t>(bits);
    }
  }
}

/// Rows of floats as q8_0, and zeros up to whole blocks; `row` is memory for one.
void quantize_rows(const TensorView& weight, uint64_t first, uint64_t count, float* row,
                   uint8_t* out) {
  const auto columns = static_cast<size_t>(weight.shape[1]);
  const size_t padded = round_up(columns, kBlockValues);
  std::fill(row + columns, row + padded, 0.0f);
  for (uint64_t r = first; r < first + count; ++r) {
    dequantize_row_reference(weight.dtype, weight.row(r), columns, row);
    for (size_t b = 0; b < padded; b += kBlockValues, out += kQ80Layout.byte_count) {
      quantize_block(row + b, out);
    }
  }
}

float half_at(const uint8_t* bytes) { return f32_from_f16(load_u16(bytes)); }

}  // namespace

void quantize_block(const float* x, uint8_t* block) {
  float largest = 0;
  for (size_t i = 0; i < kBlockValues; ++i) largest = std::max(largest, std::fabs(x[i]));
  const uint16_t half = f16_from_f32(largest / 127);
  std::memcpy(block, &half, sizeof half);
  const float scale = f32_from_f16(half);
  const float inverse = scale > 0 ? 1 / scale : 0;
  for (size_t i = 0; i < kBlockValues; ++i) {
    const float q = std::clamp(std::nearbyint(x[i] * inverse), -127.0f, 127.0f);
    block[kQ80Layout.qs + i] = static_cast<uint8_t>(q == q ? static_cast<int>(q) : 0);
  }
}

void integers_to_block(const float* x, uint8_t* block) {
  const uint16_t one = f16_from_f32(1);
  std::memcpy(block, &one, sizeof one);
  for (size_t i = 0; i < kBlockValues; ++i) {
    block[kQ80Layout.qs + i] = static_cast<uint8_t>(static_cast<int>(x[i]));
  }
}

TensorView pack_weights(const TensorView& weight, WeightLayout layout, MutableByteSpan bytes,
                        MutableByteSpan panel) {
  TensorView packed = packed_view(weight);
  packed.layout = layout;
  const auto row_bytes = static_cast<size_t>(packed.row_byte_count());
  const auto raw_bytes = static_cast<size_t>(packed.rows()) * row_bytes;
  const size_t panel_bytes = kPackedRows * row_bytes;
  if (panel_bytes == 0) return packed;
  const size_t packed_bytes = round_up(raw_bytes, panel_bytes);
  const bool has_floats = packed.dtype != weight.dtype;
  SUSURRUS_CHECK(bytes.size() >= packed_bytes && row_bytes <= weight.row_byte_count() &&
                 panel.size() >= panel_bytes * (has_floats ? 2 : 1));
  for (size_t at = 0; at < packed_bytes; at += panel_bytes) {
    const size_t left = std::min(panel_bytes, raw_bytes - at);
    if (has_floats) {
      // What has become panels is not longer than the rows that they were.
      quantize_rows(weight, at / row_bytes, left / row_bytes,
                    reinterpret_cast<float*>(panel.data() + panel_bytes), panel.data());
    } else {
      std::memcpy(panel.data(), bytes.data() + at, left);
    }
    std::fill(panel.data() + left, panel.data() + panel_bytes, uint8_t{0});
    pack_rows(packed, layout, panel.data(), bytes.data() + at);
  }
  return packed;
}

void pack_rows(const TensorView& weight, WeightLayout layout, const uint8_t* rows, uint8_t* panel) {
  const BlockLayout& block = block_layout(weight.dtype);
  const size_t block_count = static_cast<size_t>(weight.row_byte_count()) / block.byte_count;
  (layout == WeightLayout::panels_of_4 ? pack_panel<4> : pack_panel<2>)(block, block_count, rows,
                                                                        panel);
}

void pack_floats(size_t row_count, size_t columns, const float* rows, float* panels) {
  for (size_t first = 0; first < row_count; first += kPackedRows) {
    for (size_t k = 0; k < columns; ++k) {
      for (size_t row = first; row < first + kPackedRows; ++row) {
        *panels++ = row < row_count ? rows[row * columns + k] : 0.0f;
      }
    }
  }
}

void read_weight_row(const TensorView& weight, size_t row, float* y) {
  const auto count = static_cast<size_t>(weight.shape[1]);
  if (weight.layout == WeightLayout::rows) {
    dequantize_row_reference(weight.dtype, weight.row(row), count, y);
    return;
  }
  if (weight.layout == WeightLayout::rescaled_halves) {
    const uint8_t* halves = weight.row(row);
    for (size_t k = 0; k < count; ++k) y[k] = f32_from_rescaled_half(load_u16(halves + 2 * k));
    return;
  }
  const size_t r = row % kPackedRows;
  if (weight.layout == WeightLayout::float_panels) {
    const float* panel = weight.f32() + (row - r) * count + r;
    for (size_t k = 0; k < count; ++k) y[k] = panel[k * kPackedRows];
    return;
  }
  const PackedBlockLayout layout(block_layout(weight.dtype));
  const size_t group = panel_group(weight.layout);
  const bool has_nibbles = weight.dtype != Dtype::q8_0;
  const uint8_t* block = weight.row(row - r);
  for (size_t k = 0; k < count; k += kBlockValues, block += layout.byte_count) {
    const float d = half_at(block + 2 * r);
    const float m = layout.m == BlockLayout::kAbsent ? 0.0f : half_at(block + layout.m + 2 * r);
    for (size_t j = 0; j < kBlockValues; ++j) {
      const size_t i = panel_index(group, r, j);
      int q = static_cast<int8_t>(block[layout.q + i % (has_nibbles ? 128 : 256)]);
      if (has_nibbles) q = (i < 128 ? q : q >> 4) & 15;
      if (layout.qh != BlockLayout::kAbsent) {
        q |= (block[layout.qh + i % 32] >> (i / 32) & 1) << 4;
      }
      y[k + j] = d * static_cast<float>(q - block_offset(weight.dtype)) + m;
    }
  }
}

}  // namespace susurrus
