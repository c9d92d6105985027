#pragma once
#include <initializer_list>
#include <string_view>

#include "base/json_document.h"
#include "base/result.h"

namespace susurrus {

// transcribe()'s options of the families that run on graphs, as JSON with the API's names.

/// invalid_argument: one that is neither timestamps nor among `own`.
Status check_network_options(JsonValue options, std::initializer_list<std::string_view> own);
Error wrong_network_option(std::string_view name, std::string_view expected);
bool wants_words(JsonValue options);

}  // namespace susurrus
