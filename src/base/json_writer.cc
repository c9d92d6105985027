#include "base/json_writer.h"

#include <cmath>

#include "base/decimal.h"

namespace susurrus {
namespace {

/// Number.MAX_SAFE_INTEGER.
constexpr int64_t kLargestExact = (int64_t{1} << 53) - 1;

}  // namespace

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
  return json(decimal_text(number, 17));
}

JsonWriter& JsonWriter::value(float number) {
  if (!std::isfinite(number)) return json("null");
  return json(decimal_text(static_cast<double>(number), 9));
}

JsonWriter& JsonWriter::value(uint64_t number) { return json(std::to_string(number)); }

JsonWriter& JsonWriter::exact(int64_t number) {
  const std::string digits = std::to_string(number);
  return number > kLargestExact || number < -kLargestExact ? value(digits.c_str()) : json(digits);
}

JsonWriter& JsonWriter::exact(uint64_t number) {
  const std::string digits = std::to_string(number);
  return number > uint64_t{kLargestExact} ? value(digits.c_str()) : json(digits);
}

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
      text_ += "\\u00";
      text_ += static_cast<char>('0' + c / 16);
      text_ += "0123456789abcdef"[c % 16];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace susurrus
