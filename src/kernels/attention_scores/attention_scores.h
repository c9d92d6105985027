#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// out[i, j] = scale * sum_d q[i, d] * k[j, d],  i < query_rows, j < key_rows, d < head_size
///
/// [i, d] is float i * stride + d; floats between the rows of out stay as they are
/// Error   |out - exact| <= 2^-24 * (head_size + 4) * |scale| * sum_d |q[i, d] * k[j, d]|
using AttentionScoresFn = void(const AttentionScoresArgs& args);

AttentionScoresFn attention_scores_reference;
AttentionScoresFn attention_scores_simd128;

}  // namespace susurrus
