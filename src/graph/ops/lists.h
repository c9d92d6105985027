#pragma once
#include <span>

#include "graph/operator.h"

namespace susurrus {

// One list for each file of graph/ops.
std::span<const Operator> unary_operators();
std::span<const Operator> binary_operators();
std::span<const Operator> view_operators();
std::span<const Operator> copying_operators();
std::span<const Operator> piece_operators();
std::span<const Operator> matmul_operators();
std::span<const Operator> convolution_operators();
std::span<const Operator> reducing_operators();
std::span<const Operator> normalising_operators();
std::span<const Operator> lstm_operators();
std::span<const Operator> padding_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> transposed_operators();
std::span<const Operator> channel_operators();
std::span<const Operator> indexing_operators();
std::span<const Operator> axis_line_operators();
std::span<const Operator> resampling_operators();
std::span<const Operator> space_depth_operators();
std::span<const Operator> quantised_operators();
std::span<const Operator> gru_operators();
std::span<const Operator> sampling_operators();
std::span<const Operator> axes_norm_operators();
std::span<const Operator> relative_position_operators();
std::span<const Operator> window_padding_operators();

}  // namespace susurrus
