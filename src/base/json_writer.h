#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace susurrus {

/// JSON text, written piece by piece in the order of the calls; commas and quotes are its business. Numbers come back as
/// they were: floats with 9 digits, doubles with 17; what is not finite becomes null.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name);
  /// UTF-8.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth) { return json(truth ? "true" : "false"); }
  JsonWriter& value(double number);
  JsonWriter& value(float number);
  JsonWriter& value(uint64_t number);
  JsonWriter& value(uint32_t number) { return value(uint64_t{number}); }
  /// Integers of 64 bits that a file holds: a text where JavaScript's numbers are no longer exact, beyond 2^53 − 1.
  JsonWriter& exact(int64_t number);
  JsonWriter& exact(uint64_t number);
  template <typename T>
  JsonWriter& value(std::span<const T> items) {
    begin_array();
    for (const T& item : items) value(item);
    return end_array();
  }
  template <typename T>
  JsonWriter& field(std::string_view name, T content) {
    return key(name).value(content);
  }
  /// A value that is JSON already.
  JsonWriter& json(std::string_view text);

  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void quote(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace susurrus
