#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "container/shape.h"

namespace susurrus {

/// Element types with APR2's numbers (apr.md §2.5).
enum class Dtype : uint8_t {
#define SUSURRUS_DTYPE(name, number, elements, bytes, is_weight) name = number,
#include "facts/dtypes.inc"
#undef SUSURRUS_DTYPE
};

/// The greatest of the numbers.
inline constexpr uint8_t kMostDtypeNumber = [] {
  uint8_t most = 0;
#define SUSURRUS_DTYPE(name, number, elements, bytes, is_weight) \
  if (number > most) most = number;
#include "facts/dtypes.inc"
#undef SUSURRUS_DTYPE
  return most;
}();

struct DtypeTraits {
  std::string_view name;  // "f32", "q8_0"
  uint32_t elements_per_block;
  uint32_t bytes_per_block;
  bool is_weight;
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
