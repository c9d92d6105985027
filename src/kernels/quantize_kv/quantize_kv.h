#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// The heads [head_first, head_first + head_count) of key_rows rows of k and v as integers in args.kv (int8_kv.h). A column of k
/// has a scale, the largest |k - mean| of its keys; 0 below 1e-30. Of each key, x being (k - mean) / scale of its column (0
/// where that is 0), and of each Int8KvLayout::kKeys keys of a column of v, x being v - mean,
///
///   scale = max |x| / 127,   q = round(x * (127 / max |x|)), half to even
///
/// so that |x - scale * q| <= 0.501 * scale. Where they are all zero, so are scale and integers; a NaN or an infinity makes
/// the scale one.
using QuantizeKvFn = void(const QuantizeKvArgs& args);

QuantizeKvFn quantize_kv_reference;
QuantizeKvFn quantize_kv_simd128;
QuantizeKvFn quantize_kv_relaxed;
/// As on a machine whose dot product takes seven bits.
QuantizeKvFn quantize_kv_relaxed_seven_bits;

}  // namespace susurrus
