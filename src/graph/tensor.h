#pragma once
#include <span>

#include "base/aligned_buffer.h"
#include "container/shape.h"
#include "graph/element_type.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// A tensor of a graph in memory: rows without gaps, the last dimension fastest. Cheap to copy; owns nothing.
struct Tensor {
  ElementType type = ElementType::f32;
  Shape shape;
  void* data = nullptr;
  /// A packed constant's blocks (weight_packer.h), instead of elements; otherwise null.
  const TensorView* packed = nullptr;

  bool empty() const { return data == nullptr && packed == nullptr; }
  /// Checked when the shape was inferred.
  size_t count() const { return static_cast<size_t>(*shape.element_count()); }
  size_t byte_count() const { return count() * element_byte_count(type); }
  template <typename T>
  std::span<T> as() const {
    return {static_cast<T*>(data), count()};
  }
  float* f32() const { return static_cast<float*>(data); }
};

/// A tensor that owns its memory.
struct OwnedTensor {
  ElementType type = ElementType::f32;
  Shape shape;
  AlignedBuffer buffer;
  /// How the buffer holds it where it is packed; else empty, and the buffer holds the elements.
  TensorView packed;

  /// limit_exceeded, subject `what`: more bytes than can be counted.
  static Result<OwnedTensor> allocate(ElementType type, const Shape& shape, const char* what);
  bool is_packed() const { return !packed.empty(); }
  /// Constants are read alone.
  Tensor view() const {
    if (is_packed()) return {type, shape, nullptr, &packed};
    return {type, shape, const_cast<uint8_t*>(buffer.data())};
  }
};

}  // namespace susurrus
