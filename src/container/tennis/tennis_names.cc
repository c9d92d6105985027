#include "container/tennis/tennis_names.h"

#include "base/utf8.h"

namespace susurrus {
namespace {

constexpr size_t kShownNameBytes = 48;

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point < 0xA0); }

}  // namespace

std::string shown_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Step step = next_utf8(bytes);
    if (step.is_valid && !is_control(step.point)) {
      text += bytes.substr(0, step.byte_count);
    } else {
      text += "\xEF\xBF\xBD";
    }
    bytes.remove_prefix(step.byte_count);
  }
  return text;
}

std::string tennis_subject(uint64_t node, std::string_view name, std::string_view what) {
  std::string text = "node " + std::to_string(node);
  if (!name.empty()) {
    const bool is_long = name.size() > kShownNameBytes;
    text += " \"" + shown_text(name.substr(0, kShownNameBytes)) + (is_long ? "…\"" : "\"");
  }
  if (!what.empty()) (text += ": ") += what;
  return text;
}

}  // namespace susurrus
