#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// out[i, h, d] = sum_j p[i, j] * v[j, h, d],
/// p[i, :] = softmax_j(scale * sum_d q[i, h, d] * k[j, h, d])
///
/// i < query_rows, head_first <= h < head_first + head_count, d < head_size; [i, h, d] is float
/// i * stride + h * head_size + d
/// j < key_rows, and j <= causal_offset + i when causal
/// With OwnKeys, k[j] and v[j] are those that query row i sees; each row is then computed as a row alone would be
/// A row whose scores are all -inf gives zeros, and so do key_rows = 0.
/// Error   |out - exact| <= (4e-6 + 2^-21 * max_j s_j) * max_j |v[j, h, d]| with
///         s_j = |scale| * sum_d |q[i, h, d] * k[j, h, d]|
using AttentionFn = void(const AttentionArgs& args);

AttentionFn attention_reference;
AttentionFn attention_simd128;
AttentionFn attention_relaxed;

}  // namespace susurrus
