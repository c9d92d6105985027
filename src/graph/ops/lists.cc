#include "graph/ops/lists.h"

#include <array>

namespace susurrus {

std::span<const std::span<const Operator>> operator_lists() {
  static const std::array lists = {
      unary_operators(),         binary_operators(),      shaping_operators(),
      matmul_operators(),        convolution_operators(), reducing_operators(),
      lstm_operators(),          padding_operators(),     pooling_operators(),
      transposed_operators(),    channel_operators(),     indexing_operators(),
      resampling_operators(),    quantised_operators(),   gru_operators(),
      sampling_operators(),      axes_norm_operators(),   relative_position_operators(),
      window_padding_operators()};
  return lists;
}

}  // namespace susurrus
