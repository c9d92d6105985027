#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "container/shape.h"

namespace susurrus {

/// Element types with TenniS's numbers (tennis.md §1). A pointer (12) cannot be stored and is left out.
enum class TennisDtype : uint8_t {
  void_type = 0,
  i8 = 1,
  u8 = 2,
  i16 = 3,
  u16 = 4,
  i32 = 5,
  u32 = 6,
  i64 = 7,
  u64 = 8,
  f16 = 9,
  f32 = 10,
  f64 = 11,
  char8 = 13,
  char16 = 14,
  char32 = 15,
  unknown8 = 16,
  unknown128 = 20,
  boolean = 21,
  complex32 = 22,
  complex64 = 23,
  complex128 = 24,
  sink8q0 = 25,
  sink8q7 = 32,
};

/// nullopt for a number that no stored tensor may have.
std::optional<TennisDtype> tennis_dtype_from_number(int8_t number);
/// As inspection prints it: "f32", "char8", "void".
std::string_view tennis_dtype_name(TennisDtype dtype);
uint32_t tennis_dtype_byte_count(TennisDtype dtype);

/// Bytes of a tensor; nullopt when they are more than any file can have (limits::kTennisTensorBytes).
std::optional<uint64_t> tennis_tensor_byte_count(TennisDtype dtype, const Shape& shape);

}  // namespace susurrus
