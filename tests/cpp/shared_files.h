#pragma once
#include <optional>
#include <string>

#include "base/json_document.h"

namespace susurrus::testing {

// Files of the shared folder beside the source tree ("golden/units/units.json"), read in place; the environment variable
// SUSURRUS_SHARED names another folder. Nullopt, and a line that says so, where a file is not there.

std::optional<std::string> shared_bytes(const std::string& path);
std::optional<JsonDocument> shared_json(const std::string& path);

/// A file of the source tree that `maker`, a command, makes. Nullopt likewise.
std::optional<std::string> made_bytes(const std::string& path, const char* maker);

}  // namespace susurrus::testing
