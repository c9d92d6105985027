#pragma once
#include "base/result.h"
#include "container/april/april_model.h"

namespace susurrus {

/// Where in a network's lists of inputs and outputs those lie that the format names, in its order: x, h, c; encoder_out, next_h,
/// next_c; context; decoder_out; encoder_out, decoder_out; logits.
struct AprilBinding {
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  /// Else by their order, for they have other names.
  bool is_by_name = true;
};
/// Binds network `index`, which has as many inputs and outputs as the format requires.
AprilBinding bind_april_network(size_t index, const OnnxNetwork& network);

/// Checks inputs, outputs and dimensions of the three networks against each other and the params (april.md §4, 31 to 35).
/// Networks whose values have other names are taken by position, with a warning.
Status check_april_networks(const AprilModel& model, std::vector<std::string>& warnings);

}  // namespace susurrus
