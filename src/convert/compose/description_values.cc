#include "convert/compose/description_values.h"

#include <bit>

#include "base/utf8.h"

namespace susurrus {

Error wrong_description(std::string_view subject) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option).with_subject(subject);
}

Result<std::string> byte_string(JsonValue value, std::string_view subject) {
  const auto text = value.text();
  if (!text) return wrong_description(subject).with_expected("text or bytes");
  std::string bytes;
  bytes.reserve(text->size());
  for (size_t i = 0; i < text->size();) {
    const Utf8Step step = next_utf8(text->substr(i));
    if (step.point > 0xFF) return wrong_description(subject).with_expected("bytes");
    bytes.push_back(static_cast<char>(step.point));
    i += step.byte_count;
  }
  return bytes;
}

Result<uint64_t> whole_number(JsonValue value, std::string_view subject) {
  const auto number = value.unsigned_integer();
  if (!number) return wrong_description(subject).with_expected("a whole number");
  return *number;
}

Result<int64_t> integer_between(JsonValue value, int64_t least, int64_t most,
                                std::string_view subject) {
  const auto number = value.number();
  const auto in_range =
      number && *number >= static_cast<double>(least) && *number <= static_cast<double>(most);
  if (!in_range || static_cast<double>(static_cast<int64_t>(*number)) != *number) {
    return wrong_description(subject).with_expected("an integer from " + std::to_string(least) +
                                                    " to " + std::to_string(most));
  }
  return static_cast<int64_t>(*number);
}

Result<float> float_of_bits(JsonValue value, std::string_view subject) {
  const auto bits = value.unsigned_integer();
  if (!bits || *bits > ~uint32_t{0}) return wrong_description(subject).with_expected("a number");
  return std::bit_cast<float>(static_cast<uint32_t>(*bits));
}

Result<Shape> shape_of(JsonValue value, uint32_t most_dims, std::string_view subject) {
  if (!value.is_array() || value.size() > most_dims) {
    return wrong_description(subject).with_expected("a shape of at most " +
                                                    std::to_string(most_dims) + " sizes");
  }
  Shape shape;
  for (const JsonValue size : value.items()) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint64_t dim, whole_number(size, subject));
    shape.append(dim);
  }
  return shape;
}

}  // namespace susurrus
