#pragma once
#include <string_view>
#include <vector>

namespace susurrus::testing {

/// The samples of a FLAC file of one channel, -1 … 1; none of a file that is not one. Checksums are not looked at.
std::vector<float> flac_samples(std::string_view file);

}  // namespace susurrus::testing
