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

/// Checks the sections that BW2L names against each other (bw2l.md §4: 9, 11, 19, 28 to 32). Of two sections of one name the
/// last one counts; that, and a section that is not there, go to `warnings`.
Result<Bw2lChecked> check_bw2l_model(const Bw2lModel& model, std::vector<std::string>& warnings);

}  // namespace susurrus
