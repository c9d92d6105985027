#pragma once
#include <cstdint>

#include "container/dtype.h"
#include "container/shape.h"

namespace susurrus {

/// How a matrix lies in memory: row after row, f16 perhaps rescaled (kernels/packed_weights/rescaled_halves.h), or packed in panels
/// of 8 rows (kernels/packed_weights/packed_weights.h), those of f32 column after column.
enum class WeightLayout : uint8_t { rows, rescaled_halves, panels_of_2, panels_of_4, float_panels };

/// A tensor in memory: type, shape, pointer. Cheap to copy; owns nothing. Rows are contiguous.
struct TensorView {
  Dtype dtype = Dtype::f32;
  Shape shape;
  const uint8_t* data = nullptr;
  WeightLayout layout = WeightLayout::rows;

  bool empty() const { return data == nullptr; }
  uint64_t rows() const { return shape.rank() == 0 ? 0 : shape[0]; }
  /// Bytes from one row (everything but the first dimension) to the next.
  uint64_t row_byte_count() const {
    const DtypeTraits& traits = dtype_traits(dtype);
    uint64_t elements = 1;
    for (uint32_t i = 1; i < shape.rank(); ++i) elements *= shape[i];
    return elements / traits.elements_per_block * traits.bytes_per_block;
  }
  /// In panels, only of a row that begins one.
  const uint8_t* row(uint64_t index) const { return data + index * row_byte_count(); }
  const float* f32() const { return reinterpret_cast<const float*>(data); }
};

}  // namespace susurrus
