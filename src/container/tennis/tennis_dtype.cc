#include "container/tennis/tennis_dtype.h"

#include <iterator>

#include "base/checked_math.h"
#include "container/tennis/tennis_limits.h"

namespace susurrus {
namespace {

struct Row {
  std::string_view name;
  uint8_t byte_count;
};

/// By number.
constexpr Row kDtypes[] = {
    {"void", 0},        {"i8", 1},       {"u8", 1},        {"i16", 2},       {"u16", 2},
    {"i32", 4},         {"u32", 4},      {"i64", 8},       {"u64", 8},       {"f16", 2},
    {"f32", 4},         {"f64", 8},      {"", 0},          {"char8", 1},     {"char16", 2},
    {"char32", 4},      {"unknown8", 1}, {"unknown16", 2}, {"unknown32", 4}, {"unknown64", 8},
    {"unknown128", 16}, {"bool", 1},     {"complex32", 4}, {"complex64", 8}, {"complex128", 16},
    {"sink8q0", 1},     {"sink8q1", 1},  {"sink8q2", 1},   {"sink8q3", 1},   {"sink8q4", 1},
    {"sink8q5", 1},     {"sink8q6", 1},  {"sink8q7", 1},
};

const Row& row(TennisDtype dtype) { return kDtypes[static_cast<uint8_t>(dtype)]; }

}  // namespace

std::optional<TennisDtype> tennis_dtype_from_number(int8_t number) {
  if (number < 0 || static_cast<size_t>(number) >= std::size(kDtypes)) return std::nullopt;
  if (kDtypes[number].name.empty()) return std::nullopt;
  return static_cast<TennisDtype>(number);
}

std::string_view tennis_dtype_name(TennisDtype dtype) { return row(dtype).name; }

uint32_t tennis_dtype_byte_count(TennisDtype dtype) { return row(dtype).byte_count; }

std::optional<uint64_t> tennis_tensor_byte_count(TennisDtype dtype, const Shape& shape) {
  const auto elements = shape.element_count();
  if (!elements || *elements > limits::kTennisTensorBytes) return std::nullopt;
  const auto bytes = checked_multiply(*elements, tennis_dtype_byte_count(dtype));
  if (!bytes || *bytes > limits::kTennisTensorBytes) return std::nullopt;
  return bytes;
}

}  // namespace susurrus
