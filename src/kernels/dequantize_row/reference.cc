#include <cstring>

#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/half.h"
#include "kernels/quantized_blocks.h"

namespace susurrus {
namespace {

// A type of the table without a layout of its own has that of q8_0, and is found here.
#define SUSURRUS_DTYPE(name, number, elements, bytes, is_weight) \
  static_assert(elements == 1 ||                                 \
                (elements == kBlockValues && block_layout(Dtype::name).byte_count == bytes));
#include "facts/dtypes.inc"
#undef SUSURRUS_DTYPE

void dequantize_q8_0(const uint8_t* block, float* y) {
  const float d = f32_from_f16(load_u16(block));
  for (size_t i = 0; i < kBlockValues; ++i) {
    y[i] = d * static_cast<float>(static_cast<int8_t>(block[kQ80Layout.qs + i]));
  }
}

/// The four nibble types; `offset` is subtracted from q where the type has no minimum.
void dequantize_nibbles(const BlockLayout& layout, int offset, const uint8_t* block, float* y) {
  const float d = f32_from_f16(load_u16(block));
  const bool has_m = layout.m != BlockLayout::kAbsent;
  const bool has_qh = layout.qh != BlockLayout::kAbsent;
  const float m = has_m ? f32_from_f16(load_u16(block + layout.m)) : 0.0f;
  for (size_t i = 0; i < kBlockValues; ++i) {
    const uint8_t byte = block[layout.qs + i % 16];
    int q = i < 16 ? byte & 15 : byte >> 4;
    if (has_qh && (block[layout.qh + i / 8] >> (i % 8) & 1) != 0) q += 16;
    const float product = d * static_cast<float>(q - offset);
    y[i] = has_m ? product + m : product;
  }
}

}  // namespace

void dequantize_row_reference(Dtype dtype, const uint8_t* source, size_t count, float* y) {
  switch (dtype) {
    case Dtype::f32: std::memcpy(y, source, count * sizeof(float)); return;
    case Dtype::f16:
      for (size_t i = 0; i < count; ++i) y[i] = f32_from_f16(load_u16(source + 2 * i));
      return;
    case Dtype::bf16:
      for (size_t i = 0; i < count; ++i) y[i] = f32_from_bf16(load_u16(source + 2 * i));
      return;
    case Dtype::q8_0:
      for (size_t i = 0; i < count; i += kBlockValues, source += kQ80Layout.byte_count) {
        dequantize_q8_0(source, y + i);
      }
      return;
    case Dtype::q4_0:
    case Dtype::q4_1:
    case Dtype::q5_0:
    case Dtype::q5_1: {
      const BlockLayout& layout = block_layout(dtype);
      for (size_t i = 0; i < count; i += kBlockValues, source += layout.byte_count) {
        dequantize_nibbles(layout, block_offset(dtype), source, y + i);
      }
      return;
    }
    default:
      for (size_t i = 0; i < count; ++i) y[i] = 0.0f;
  }
}

}  // namespace susurrus
