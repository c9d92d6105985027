#pragma once
#include "graph/element_type.h"

namespace susurrus {

// Elements are calculated with as floats, doubles, int64 or uint64; those of other types are made such numbers, and cut or
// rounded when they are stored. That is as exact as to calculate in their own type, and takes a third of the code.

/// f32 for f16; i64 and u64 for shorter integers, u64 for truth values; else the type itself.
ElementType wide_type(ElementType type);

/// Elements data[first + i * step], i < count, as numbers of wide_type(type), one after the other.
void widen(ElementType type, const void* data, size_t first, size_t step, size_t count, void* wide);
/// The other way round, to data[first + i]. Floats are rounded, of integers the low bits are stored.
void narrow(ElementType type, const void* wide, size_t count, void* data, size_t first);

/// A double to a float of any kind, rounded.
void store_number(ElementType type, double number, void* data, size_t index);

/// An integer or truth value, its sign extended.
uint64_t integer_at(ElementType type, const void* data, size_t index);
/// Any element as a double, rounded where it is a large integer.
double number_at(ElementType type, const void* data, size_t index);

/// Greater as the element is greater. -0 is 0; NaN is beyond all numbers.
uint64_t order_of(ElementType type, const void* data, size_t index);

/// How many numbers are widened at once.
inline constexpr size_t kWideBlock = 128;
struct alignas(uint64_t) WideBlock {
  std::byte bytes[kWideBlock * sizeof(uint64_t)];
};

/// One function for each wide type.
template <typename Loop>
struct WideLoops {
  Loop f32;
  Loop f64;
  Loop i64 = nullptr;
  Loop u64 = nullptr;

  Loop of(ElementType wide) const {
    switch (wide) {
      case ElementType::f64: return f64;
      case ElementType::i64: return i64;
      case ElementType::u64: return u64;
      default: return f32;
    }
  }
};

/// Calls `visit` with an ElementTag of the C++ type of a wide type: float, double, int64_t or uint64_t.
template <typename Visit>
void with_wide_type(ElementType type, Visit&& visit) {
  switch (wide_type(type)) {
    case ElementType::f64: visit(ElementTag<double>{}); break;
    case ElementType::i64: visit(ElementTag<int64_t>{}); break;
    case ElementType::u64: visit(ElementTag<uint64_t>{}); break;
    default: visit(ElementTag<float>{});
  }
}

}  // namespace susurrus
