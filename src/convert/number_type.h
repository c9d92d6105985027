#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace susurrus {

/// Plain numbers of any format, one value an element.
struct NumberType {
  std::string_view name;
  uint32_t byte_count;
  bool is_integer;
  /// `count` little-endian elements at any address; what f32 cannot hold is rounded to the nearest.
  void (*read)(const uint8_t* source, size_t count, float* values);
};

/// By the name that inspection gives it: "f64", "u16", "bool", BW2L's "fp32". nullptr if its elements are not real numbers.
const NumberType* find_number_type(std::string_view name);

}  // namespace susurrus
