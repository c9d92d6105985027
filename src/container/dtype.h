#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "container/shape.h"

namespace susurrus {

/// Element types with APR2's numbers (apr.md §2.5).
enum class Dtype : uint8_t {
  f32 = 0,
  f16 = 1,
  bf16 = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  u8 = 7,
  q8_0 = 16,
  q4_0 = 17,
  q4_1 = 18,
  q5_0 = 19,
  q5_1 = 20,
};

struct DtypeTraits {
  std::string_view name;  // "f32", "q8_0"
  uint32_t elements_per_block;
  uint32_t bytes_per_block;
};

/// nullopt for a number that is not in the table.
std::optional<Dtype> dtype_from_number(uint8_t number);
std::optional<Dtype> dtype_from_name(std::string_view name);
const DtypeTraits& dtype_traits(Dtype dtype);
/// Blocks of 32 values with their own scale: q8_0 and the like.
bool is_block_dtype(Dtype dtype);
/// A type that weights may have: floats and blocks, no integers.
bool is_weight_dtype(Dtype dtype);

/// Bytes of a tensor; nullopt when a block type's last dimension is not a multiple of 32, or on overflow.
std::optional<uint64_t> tensor_byte_count(Dtype dtype, const Shape& shape);

}  // namespace susurrus
