#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "container/bw2l/bw2l_settings.h"

namespace susurrus {

/// What the sections of a BW2L file say together.
struct Bw2lChecked {
  /// Without synonyms, and without what training appends.
  std::vector<std::string> tokens;
  Bw2lSettings settings;
};

/// Checks the sections that BW2L names against each other (bw2l.md §4: 9, 11, 19, 28 to 32). In strict reading two sections
/// of one name are an error; otherwise the last one counts, with a warning.
Result<Bw2lChecked> check_bw2l_model(const Bw2lModel& model, bool is_strict,
                                     std::vector<std::string>& warnings);

}  // namespace susurrus
