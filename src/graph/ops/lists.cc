#include "graph/ops/lists.h"

#include <array>

namespace susurrus {

std::span<const std::span<const Operator>> operator_lists() {
  static const std::array lists = {unary_operators(),
                                   binary_operators(),
                                   view_operators(),
                                   copying_operators(),
                                   piece_operators(),
                                   matmul_operators(),
                                   convolution_operators(),
                                   reducing_operators(),
                                   normalising_operators(),
                                   lstm_operators(),
                                   padding_operators(),
                                   pooling_operators(),
                                   transposed_operators(),
                                   channel_operators(),
                                   indexing_operators(),
                                   axis_line_operators(),
                                   resampling_operators(),
                                   space_depth_operators(),
                                   quantised_operators(),
                                   gru_operators(),
                                   sampling_operators(),
                                   axes_norm_operators(),
                                   relative_position_operators(),
                                   window_padding_operators()};
  return lists;
}

}  // namespace susurrus
