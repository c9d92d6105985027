#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace susurrus {

/// In the order of the alternatives of AttributeValue and GivenValue.
enum class AttributeKind : uint8_t { integer, number, integers, numbers, text };

/// An attribute that an operator knows. Lists that are not given are empty.
struct AttributeSpec {
  std::string_view name;
  AttributeKind kind = AttributeKind::integer;
  bool is_required = false;
  /// The default of an integer or a number.
  double usual = 0;
  /// The default of a text.
  std::string_view usual_text = {};
};

using AttributeValue =
    std::variant<int64_t, double, std::vector<int64_t>, std::vector<double>, std::string>;

/// An AttributeValue whose lists and texts belong to the caller.
using GivenValue = std::variant<int64_t, double, std::span<const int64_t>, std::span<const double>,
                                std::string_view>;

/// As a front end gives it, for the time of a call.
struct Attribute {
  const char* name;
  GivenValue value;
};

/// The attributes of one node, in the order in which its operator lists them.
class Attributes {
 public:
  /// invalid_argument or missing, with the attribute as its subject: one that the operator does not know, of another kind, or
  /// that it needs. Integers do for numbers.
  static Result<Attributes> match(std::span<const AttributeSpec> specs,
                                  std::span<const Attribute> given);

  int64_t integer(size_t index) const { return std::get<int64_t>(values_[index]); }
  bool flag(size_t index) const { return integer(index) != 0; }
  double number(size_t index) const { return std::get<double>(values_[index]); }
  std::span<const int64_t> integers(size_t index) const {
    return std::get<std::vector<int64_t>>(values_[index]);
  }
  std::span<const double> numbers(size_t index) const {
    return std::get<std::vector<double>>(values_[index]);
  }
  std::string_view text(size_t index) const { return std::get<std::string>(values_[index]); }

 private:
  std::vector<AttributeValue> values_;
};

}  // namespace susurrus
