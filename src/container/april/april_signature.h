#pragma once
#include "base/result.h"
#include "container/april/april_model.h"

namespace susurrus {

/// Checks inputs, outputs and dimensions of the three networks against each other and the params (april.md §4, 31 to 35).
/// Networks whose values have other names are taken by position, with a warning.
Status check_april_networks(const AprilModel& model, std::vector<std::string>& warnings);

}  // namespace susurrus
