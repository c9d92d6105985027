#pragma once
#include <cstddef>
#include <cstdint>

#include "container/dtype.h"
#include "kernels/half.h"

namespace susurrus {

/// As f16_from_f32(), but a finite value never becomes infinite.
uint16_t saturated_f16_from_f32(float value);

/// Nearest bf16, ties to even; NaN stays NaN.
uint16_t bf16_from_f32(float value);

/// One block of 32 values as ggml's reference quantiser writes it, bit for bit (whisper-sources.md §7). NaN counts as 0.
/// `dtype` is a block type; `block` has its bytes_per_block.
void quantize_block(Dtype dtype, const float* values, uint8_t* block);
/// A block of one of the types of 4 and 5 bits: scale, minimum (where the type has one) and the 32 stored integers.
void store_block(Dtype dtype, float d, float m, const uint8_t* q, uint8_t* block);

/// `count` values (a multiple of the type's block) of any weight type, at any address, to f32: dequantize_row.h says how
/// exactly.
void read_floats(Dtype dtype, const uint8_t* source, size_t count, float* values);
/// `count` values (a multiple of the type's block) to any weight type: q8_0 by quantize_block(), smaller blocks by fit_block().
void write_floats(Dtype dtype, const float* values, size_t count, uint8_t* target);

/// `count` signed integers of 8 bits, each times `scale`.
void read_scaled(float scale, const uint8_t* source, size_t count, float* values);
/// The nearest multiples of `scale`, from -127 to 127 times it.
void write_scaled(float scale, const float* values, size_t count, uint8_t* target);

}  // namespace susurrus
