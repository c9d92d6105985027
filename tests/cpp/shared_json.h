#pragma once
#include <optional>

#include "base/json_document.h"

namespace susurrus::testing {

/// A JSON file of the shared folder beside the source tree ("golden/units/units.json"), read in place; the environment
/// variable SUSURRUS_SHARED names another folder. Nullopt, and a line that says so, where it is not there.
std::optional<JsonDocument> shared_json(const char* path);

}  // namespace susurrus::testing
