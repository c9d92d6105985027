#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json_document.h"
#include "base/result.h"

namespace susurrus {

/// What a numeric option may be; `text` says so in errors.
struct NumberRange {
  double least = 0;
  double most = 0;
  const char* text = "";
  bool holds(double number) const { return number >= least && number <= most; }
};

/// The error of an option that is out of its range, by its name in the JavaScript API.
Error option_error(std::string_view name, std::string_view expected);

/// An option as JSON, under its name in the API. Reading it: invalid_argument.
struct JsonOption {
  std::string_view name;
  JsonValue value;

  Error wrong(std::string_view expected) const;

  Status read(bool& target) const;
  Status read(std::string& target) const;
  Status read(double& target, const NumberRange& range) const;
  Status read(float& target, const NumberRange& range) const;
  /// Whole numbers; the range fits T.
  template <typename T>
    requires std::is_integral_v<T>
  Status read(T& target, const NumberRange& range) const {
    double number = 0;
    SUSURRUS_RETURN_IF_ERROR(read(number, range));
    if (number != std::floor(number)) return wrong(range.text);
    target = static_cast<T>(number);
    return ok_status();
  }
  /// null is nullopt.
  template <typename T>
  Status read(std::optional<T>& target, const NumberRange& range) const {
    target.reset();
    if (value.is_null()) return ok_status();
    return read(target.emplace(), range);
  }
};

}  // namespace susurrus
