#include "base/json_writer.h"

#include <cmath>
#include <cstdio>

namespace susurrus {

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return json("null");
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return json(text);
}

JsonWriter& JsonWriter::value(float number) {
  if (!std::isfinite(number)) return json("null");
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(number));
  return json(text);
}

JsonWriter& JsonWriter::value(uint64_t number) { return json(std::to_string(number)); }

JsonWriter& JsonWriter::json(std::string_view text) {
  separate();
  text_ += text;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = false;
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      text_ += escape;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace susurrus
