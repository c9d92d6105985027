#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// attention() to keys k and values v that were quantised: those that args.kv stands for. Not causal, no keys of their own,
/// scale > 0, key_rows > 0. A row's result depends on no other row.
///
/// Error, where quantised queries have L levels on either side of 0 (32767: simd128; 63 to 127, by the machine: relaxed) and
/// probabilities P levels (32767; 127 or 255):
///   queries         times the scales of the keys' columns, q' = q + e, |e| <= max |q| / (2 L) with the head's largest |q|;
///                   relaxed: 1 / (2 L) of that where it would move scores by more than about 0.01
///   probabilities   in a block of Int8KvLayout::kKeys keys, p' = p + e, |e| <= 0.51 max p / P with that block's largest p;
///                   they are divided by the sum of the p'
/// and f32 rounding as in attention(). The reference quantises neither.
/// A NaN among a row's queries makes the row one of NaN (the reference: of zeros).
using Int8AttentionFn = void(const AttentionArgs& args);

Int8AttentionFn int8_attention_reference;
Int8AttentionFn int8_attention_simd128;
Int8AttentionFn int8_attention_relaxed;
/// As on a machine whose dot product takes seven bits.
Int8AttentionFn int8_attention_relaxed_seven_bits;

}  // namespace susurrus
