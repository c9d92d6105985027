#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graph/half_float.h"

namespace susurrus {

/// What the elements of a graph's tensors are.
enum class ElementType : uint8_t {
  f32,
  f64,
  f16,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  boolean,  // a byte, 0 or 1
};

size_t element_byte_count(ElementType type);
/// "f32", "i64", "bool"
std::string_view element_type_name(ElementType type);
bool is_float(ElementType type);

/// A truth value of a tensor; std::vector<bool> and its like are not arrays.
enum class Truth : uint8_t { no = 0, yes = 1 };

template <typename T>
struct ElementTag {
  using type = T;
};

/// Calls `visit` with an ElementTag of the C++ type of the elements: float, double, Half, int8_t … uint64_t, or Truth.
template <typename Visit>
auto with_element_type(ElementType type, Visit&& visit) {
  switch (type) {
    case ElementType::f64: return visit(ElementTag<double>{});
    case ElementType::f16: return visit(ElementTag<Half>{});
    case ElementType::i8: return visit(ElementTag<int8_t>{});
    case ElementType::u8: return visit(ElementTag<uint8_t>{});
    case ElementType::i16: return visit(ElementTag<int16_t>{});
    case ElementType::u16: return visit(ElementTag<uint16_t>{});
    case ElementType::i32: return visit(ElementTag<int32_t>{});
    case ElementType::u32: return visit(ElementTag<uint32_t>{});
    case ElementType::i64: return visit(ElementTag<int64_t>{});
    case ElementType::u64: return visit(ElementTag<uint64_t>{});
    case ElementType::boolean: return visit(ElementTag<Truth>{});
    case ElementType::f32: break;
  }
  return visit(ElementTag<float>{});
}

/// with_element_type() for arithmetic: a truth value counts as uint8_t.
template <typename Visit>
auto with_number_type(ElementType type, Visit&& visit) {
  return with_element_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, Truth>) {
      return visit(ElementTag<uint8_t>{});
    } else {
      return visit(tag);
    }
  });
}

}  // namespace susurrus
