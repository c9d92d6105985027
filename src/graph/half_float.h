#pragma once
#include "kernels/half.h"

namespace susurrus {

/// A 16-bit float as an element: calculated with as float, rounded when it is stored.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  Half(float value) : bits(f16_from_f32(value)) {}       // NOLINT: implicit
  operator float() const { return f32_from_f16(bits); }  // NOLINT: implicit
};

}  // namespace susurrus
