#pragma once
#include <algorithm>
#include <type_traits>

#include "graph/operator.h"

namespace susurrus {

// Sums of products, one by one: of f64 and integers; of f32 in double.

template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

/// Calls visit with the tag of f32, f64 or an integer type; returns an error for halves.
template <typename Visit>
Status with_summed_type(ElementType type, Visit&& visit) {
  if (type == ElementType::f16 || type == ElementType::boolean) {
    return wrong_input(0, "f32, f64 or integers", element_type_name(type));
  }
  with_number_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, Half>) visit(tag);
  });
  return ok_status();
}

// Products of f32 on the kernels: rows of x times the rows of a matrix.

/// Rows [first, first + count) of a matrix, whose rows are the tensor's last dimension. Of a packed one `first` begins a panel.
inline TensorView matrix_rows(const Tensor& matrix, uint64_t first, uint64_t count) {
  TensorView rows{Dtype::f32, {}, static_cast<const uint8_t*>(matrix.data), WeightLayout::rows};
  if (matrix.packed != nullptr) rows = *matrix.packed;
  rows.shape = {count, matrix.packed == nullptr ? matrix.shape.last() : rows.shape[1]};
  rows.data += first * rows.row_byte_count();
  return rows;
}

/// Memory for products of up to `rows` rows of k floats; packed matrices take rows of whole blocks.
size_t product_scratch_byte_count(size_t rows, size_t k, bool is_packed);

/// LinearArgs::x is `rows` of k floats, or of as many as the matrix has columns. All of LinearArgs is given but the scratch memory.
void multiply_rows(const KernelTable& kernels, LinearArgs args, size_t k,
                   std::span<uint8_t> scratch);

}  // namespace susurrus
