#include "session/networks/network_options.h"

#include <algorithm>

namespace susurrus {

Error wrong_network_option(std::string_view name, std::string_view expected) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option)
      .with_subject(name)
      .with_expected(expected);
}

Status check_network_options(JsonValue options, std::initializer_list<std::string_view> own) {
  for (const auto& [key, value] : options.members()) {
    if (key == "timestamps") {
      const std::string_view kind = value.text().value_or("");
      if (kind != "none" && kind != "segment" && kind != "word") {
        return wrong_network_option(key, "\"none\", \"segment\" or \"word\"");
      }
    } else if (std::find(own.begin(), own.end(), key) == own.end()) {
      return wrong_network_option(key, "an option that models of this family have");
    }
  }
  return ok_status();
}

bool wants_words(JsonValue options) { return options["timestamps"].text() == "word"; }

}  // namespace susurrus
