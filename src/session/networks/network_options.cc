#include "session/networks/network_options.h"

#include <algorithm>

#include "session/json_option.h"

namespace susurrus {

Status check_network_options(JsonValue options, std::span<const std::string_view> own) {
  for (const auto& [key, value] : options.members()) {
    if (key == "timestamps") {
      const std::string_view kind = value.text().value_or("");
      if (kind != "none" && kind != "segment" && kind != "word") {
        return option_error(key, "\"none\", \"segment\" or \"word\"");
      }
    } else if (std::find(own.begin(), own.end(), key) == own.end()) {
      return option_error(key, "an option that models of this family have");
    }
  }
  return ok_status();
}

bool wants_words(JsonValue options) { return options["timestamps"].text() == "word"; }

}  // namespace susurrus
