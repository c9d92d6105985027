#pragma once
#include <span>
#include <string_view>

#include "base/json_document.h"
#include "base/result.h"

namespace susurrus {

// transcribe()'s options of the families that run on graphs, as JSON with the API's names.

/// invalid_argument: one that is neither timestamps nor among `own`.
Status check_network_options(JsonValue options, std::span<const std::string_view> own);
bool wants_words(JsonValue options);

}  // namespace susurrus
