#pragma once
#include <string>

#include "base/json_document.h"

namespace susurrus {

/// Options and states, as JavaScript writes them.
inline Result<JsonDocument> parse_request(const std::string& text) {
  return JsonDocument::parse(text, {0, ErrorReason::option, "options"});
}

}  // namespace susurrus
