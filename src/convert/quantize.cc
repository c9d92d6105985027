#include "convert/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"
#include "convert/fit_block.h"
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/quantized_blocks.h"

namespace susurrus {
namespace {

constexpr size_t kBlock = kBlockValues;
constexpr size_t kHalf = kBlock / 2;

/// Towards zero as C converts, but defined for every float: NaN gives 0, the rest is cut to [-128, 127].
int truncate(float value) {
  if (!(value == value)) return 0;
  return static_cast<int>(std::clamp(value, -128.0f, 127.0f));
}

float inverse(float d) { return d != 0.0f ? 1.0f / d : 0.0f; }

void store_half(uint8_t* at, float value) { store_le(at, f16_from_f32(value)); }

/// The value with the largest magnitude, the first one of several, sign kept.
float signed_extreme(const float* x) {
  float extreme = 0.0f;
  float magnitude = 0.0f;
  for (size_t i = 0; i < kBlock; ++i) {
    if (std::fabs(x[i]) > magnitude) {
      magnitude = std::fabs(x[i]);
      extreme = x[i];
    }
  }
  return extreme;
}

struct Range {
  float minimum = 0.0f;
  float maximum = 0.0f;
};

Range range_of(const float* x) {
  Range range = {3.402823466e38f, -3.402823466e38f};
  for (size_t i = 0; i < kBlock; ++i) {
    if (x[i] < range.minimum) range.minimum = x[i];
    if (x[i] > range.maximum) range.maximum = x[i];
  }
  return range.minimum <= range.maximum ? range : Range{};
}

void quantize_q8_0(const float* x, uint8_t* block) {
  const float d = std::fabs(signed_extreme(x)) / 127.0f;
  const float id = inverse(d);
  store_half(block, d);
  for (size_t i = 0; i < kBlock; ++i) {
    block[2 + i] = static_cast<uint8_t>(static_cast<int8_t>(truncate(std::round(x[i] * id))));
  }
}

/// q4_0 and q5_0: `levels` 16 or 32 steps around zero.
void quantize_signed(const float* x, int levels, uint8_t* q, float& d) {
  const float half = static_cast<float>(levels / 2);
  d = signed_extreme(x) / -half;
  const float id = inverse(d);
  for (size_t i = 0; i < kBlock; ++i) {
    const float scaled = x[i] * id;
    q[i] = static_cast<uint8_t>(std::min(levels - 1, truncate(scaled + (half + 0.5f))));
  }
}

/// q4_1 and q5_1: `levels` steps from the minimum to the maximum.
void quantize_unsigned(const float* x, int levels, uint8_t* q, float& d, float& m) {
  const Range range = range_of(x);
  m = range.minimum;
  d = (range.maximum - range.minimum) / static_cast<float>(levels - 1);
  const float id = inverse(d);
  for (size_t i = 0; i < kBlock; ++i) {
    const float scaled = (x[i] - m) * id;
    q[i] = static_cast<uint8_t>(std::min(levels - 1, truncate(scaled + 0.5f)));
  }
}

}  // namespace

uint16_t saturated_f16_from_f32(float value) {
  const uint16_t half = f16_from_f32(value);
  const bool overflowed = (half & 0x7FFF) == 0x7C00 && std::isfinite(value);
  return overflowed ? static_cast<uint16_t>((half & 0x8000) | 0x7BFF) : half;
}

uint16_t bf16_from_f32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void quantize_block(Dtype dtype, const float* x, uint8_t* block) {
  uint8_t q[kBlock];
  float d = 0.0f;
  float m = 0.0f;
  switch (dtype) {
    case Dtype::q8_0: quantize_q8_0(x, block); return;
    case Dtype::q4_0: quantize_signed(x, 16, q, d); break;
    case Dtype::q5_0: quantize_signed(x, 32, q, d); break;
    case Dtype::q4_1: quantize_unsigned(x, 16, q, d, m); break;
    case Dtype::q5_1: quantize_unsigned(x, 32, q, d, m); break;
    default: SUSURRUS_CHECK(false);
  }
  store_block(dtype, d, m, q, block);
}

void store_block(Dtype dtype, float d, float m, const uint8_t* q, uint8_t* block) {
  const BlockLayout& layout = block_layout(dtype);
  store_half(block, d);
  if (layout.m != BlockLayout::kAbsent) store_half(block + layout.m, m);
  if (layout.qh != BlockLayout::kAbsent) {
    uint32_t bits = 0;
    for (size_t j = 0; j < kBlock; ++j) bits |= static_cast<uint32_t>(q[j] >> 4 & 1) << j;
    store_le(block + layout.qh, bits);
  }
  for (size_t j = 0; j < kHalf; ++j) {
    block[layout.qs + j] = static_cast<uint8_t>((q[j] & 0x0F) | (q[j + kHalf] & 0x0F) << 4);
  }
}

void read_floats(Dtype dtype, const uint8_t* source, size_t count, float* values) {
  SUSURRUS_CHECK(is_weight_dtype(dtype));
  dequantize_row_reference(dtype, source, count, values);
}

void write_floats(Dtype dtype, const float* values, size_t count, uint8_t* target) {
  if (dtype == Dtype::f32) {
    std::memcpy(target, values, count * sizeof(float));
    return;
  }
  if (dtype == Dtype::f16) {
    for (size_t i = 0; i < count; ++i) store_le(target + 2 * i, saturated_f16_from_f32(values[i]));
    return;
  }
  if (dtype == Dtype::bf16) {
    for (size_t i = 0; i < count; ++i) store_le(target + 2 * i, bf16_from_f32(values[i]));
    return;
  }
  const size_t block_byte_count = dtype_traits(dtype).bytes_per_block;
  for (size_t i = 0; i < count; i += kBlock, target += block_byte_count) {
    if (dtype == Dtype::q8_0) {
      quantize_block(dtype, values + i, target);
    } else {
      fit_block(dtype, values + i, target);
    }
  }
}

void read_scaled(float scale, const uint8_t* source, size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(static_cast<int8_t>(source[i])) * scale;
  }
}

void write_scaled(float scale, const float* values, size_t count, uint8_t* target) {
  for (size_t i = 0; i < count; ++i) {
    const int nearest = truncate(std::round(values[i] / scale));
    target[i] = static_cast<uint8_t>(static_cast<int8_t>(std::clamp(nearest, -127, 127)));
  }
}

}  // namespace susurrus
