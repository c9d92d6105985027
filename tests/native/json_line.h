// One line of JSON, written piece by piece. Enough for the driver's answers: objects, arrays, numbers, text.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace susurrus::driver {

class JsonLine {
 public:
  JsonLine& begin_object() { return open('{'); }
  JsonLine& end_object() { return close('}'); }
  JsonLine& begin_array() { return open('['); }
  JsonLine& end_array() { return close(']'); }

  JsonLine& key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    needs_comma_ = false;
    return *this;
  }
  JsonLine& value(std::string_view text) {
    separate();
    quote(text);
    needs_comma_ = true;
    return *this;
  }
  JsonLine& value(const char* text) { return value(std::string_view(text)); }
  JsonLine& value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonLine& value(double number) {
    if (!std::isfinite(number)) return raw("null");
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", number);
    return raw(text);
  }
  JsonLine& value(float number) { return value(static_cast<double>(number)); }
  JsonLine& value(uint64_t number) { return raw(std::to_string(number)); }
  JsonLine& value(uint32_t number) { return raw(std::to_string(number)); }
  JsonLine& value(std::span<const uint32_t> numbers) {
    begin_array();
    for (uint32_t number : numbers) value(number);
    return end_array();
  }
  template <typename T>
  JsonLine& field(std::string_view name, T content) {
    return key(name).value(content);
  }

  const std::string& text() const { return text_; }

 private:
  JsonLine& raw(std::string_view text) {
    separate();
    text_ += text;
    needs_comma_ = true;
    return *this;
  }
  JsonLine& open(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
    return *this;
  }
  JsonLine& close(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
    return *this;
  }
  void separate() {
    if (needs_comma_) text_ += ',';
    needs_comma_ = false;
  }
  void quote(std::string_view text) {
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

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace susurrus::driver
