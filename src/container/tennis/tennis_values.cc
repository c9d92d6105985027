#include "container/tennis/tennis_values.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace susurrus {
namespace {

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double element_value(TennisDtype dtype, const uint8_t* at) {
  switch (dtype) {
    case TennisDtype::i8: return load_le<int8_t>(at);
    case TennisDtype::u8:
    case TennisDtype::boolean: return *at;
    case TennisDtype::i16: return load_le<int16_t>(at);
    case TennisDtype::u16: return load_le<uint16_t>(at);
    case TennisDtype::i32: return load_le<int32_t>(at);
    case TennisDtype::u32: return load_le<uint32_t>(at);
    case TennisDtype::i64: return static_cast<double>(load_le<int64_t>(at));
    case TennisDtype::u64: return static_cast<double>(load_le<uint64_t>(at));
    case TennisDtype::f16: return half_value(load_le<uint16_t>(at));
    case TennisDtype::f32: return load_le<float>(at);
    default: return load_le<double>(at);
  }
}

std::optional<double> text_value(std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<double>(value);
}

}  // namespace

bool is_tennis_numeric(TennisDtype dtype) {
  return (dtype >= TennisDtype::i8 && dtype <= TennisDtype::f64) || dtype == TennisDtype::boolean;
}

std::optional<double> tennis_number(TennisDtype dtype, ByteSpan bytes) {
  if (dtype == TennisDtype::char8) return text_value(as_text(bytes));
  if (!is_tennis_numeric(dtype) || bytes.size() != tennis_dtype_byte_count(dtype)) {
    return std::nullopt;
  }
  return element_value(dtype, bytes.data());
}

void write_tennis_number(JsonWriter& json, TennisDtype dtype, const uint8_t* element) {
  switch (dtype) {
    case TennisDtype::boolean: json.value(*element != 0); break;
    case TennisDtype::i64: json.exact(load_le<int64_t>(element)); break;
    case TennisDtype::u64: json.exact(load_le<uint64_t>(element)); break;
    case TennisDtype::f32: json.value(load_le<float>(element)); break;
    default: json.value(element_value(dtype, element));
  }
}

}  // namespace susurrus
