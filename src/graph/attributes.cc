#include "graph/attributes.h"

namespace susurrus {
namespace {

AttributeValue usual_value(const AttributeSpec& spec) {
  switch (spec.kind) {
    case AttributeKind::integer: return static_cast<int64_t>(spec.usual);
    case AttributeKind::number: return spec.usual;
    case AttributeKind::integers: return std::vector<int64_t>{};
    case AttributeKind::numbers: return std::vector<double>{};
    case AttributeKind::text: break;
  }
  return std::string(spec.usual_text);
}

/// Converts to the operator's kind; false if that is impossible.
bool convert(AttributeKind kind, const GivenValue& given, AttributeValue& value) {
  const auto* integer = std::get_if<int64_t>(&given);
  const auto* integers = std::get_if<std::span<const int64_t>>(&given);
  if (kind == AttributeKind::number && integer != nullptr) {
    value = static_cast<double>(*integer);
  } else if (kind == AttributeKind::numbers && integers != nullptr) {
    value = std::vector<double>(integers->begin(), integers->end());
  } else if (given.index() != static_cast<size_t>(kind)) {
    return false;
  } else if (integer != nullptr) {
    value = *integer;
  } else if (integers != nullptr) {
    value = std::vector<int64_t>(integers->begin(), integers->end());
  } else if (const auto* number = std::get_if<double>(&given)) {
    value = *number;
  } else if (const auto* numbers = std::get_if<std::span<const double>>(&given)) {
    value = std::vector<double>(numbers->begin(), numbers->end());
  } else {
    value = std::string(std::get<std::string_view>(given));
  }
  return true;
}

}  // namespace

Result<Attributes> Attributes::match(std::span<const AttributeSpec> specs,
                                     std::span<const Attribute> given) {
  Attributes attributes;
  std::vector<bool> is_given(specs.size());
  for (const AttributeSpec& spec : specs) attributes.values_.push_back(usual_value(spec));
  for (const Attribute& attribute : given) {
    size_t index = 0;
    while (index < specs.size() && specs[index].name != attribute.name) ++index;
    if (index == specs.size()) {
      return make_error(ErrorCode::unsupported_operator, ErrorReason::unsupported)
          .with_subject(attribute.name)
          .with_expected("an attribute that the operator has");
    }
    if (is_given[index]) {
      return make_error(ErrorCode::malformed, ErrorReason::duplicate).with_subject(attribute.name);
    }
    is_given[index] = true;
    if (!convert(specs[index].kind, attribute.value, attributes.values_[index])) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
          .with_subject(attribute.name)
          .with_expected("a value of another kind");
    }
  }
  for (size_t index = 0; index < specs.size(); ++index) {
    if (specs[index].is_required && !is_given[index]) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
          .with_subject(specs[index].name)
          .with_expected("a value");
    }
  }
  return attributes;
}

}  // namespace susurrus
