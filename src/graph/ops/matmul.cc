// Matrix products, numpy's. A rank of 1 stands for a row on the left and a column on the right, which the result does without.
#include "base/checked_math.h"
#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/products.h"

namespace susurrus {
namespace {

enum MatmulAttribute : size_t { kIsTransposed };

/// Rows of a product on the kernels that are one item of the work.
constexpr size_t kRowsPerItem = 32;
/// From this many rows on, a matrix that is read by columns is transposed for the kernels.
constexpr uint64_t kRowsWorthTurning = 4;
constexpr uint64_t kMostTurned = 1 << 20;

struct Product {
  Shape leading;  // dimensions of the result
  Shape outer;    // the same of the matrices that are multiplied one after the other
  Shape a_outer;  // of a's, filled with ones
  Shape b_outer;
  uint64_t rows = 1;
  uint64_t inner = 1;
  uint64_t columns = 1;
  /// How it is calculated: of f32 b's rows with the kernels, b's columns turned into rows for them; else one by one.
  enum class Way : uint8_t { one_by_one, rows, turned };
  Way way = Way::one_by_one;

  size_t rows_per_item() const { return way == Way::one_by_one ? 1 : kRowsPerItem; }
  size_t items_per_matrix() const {
    return (static_cast<size_t>(rows) + rows_per_item() - 1) / rows_per_item();
  }
};

/// `is_transposed`: b is [columns, inner], or leading dimensions in front of them.
Result<Product> product_of(ElementType type, const Shape& a, const Shape& b, bool is_transposed) {
  if (a.rank() == 0) return wrong_input(0, "a vector or more");
  if (b.rank() == 0) return wrong_input(1, "a vector or more");
  Product product;
  product.inner = a.last();
  if (a.rank() > 1) product.rows = a[a.rank() - 2];
  uint64_t b_inner = b.last();
  if (b.rank() > 1) {
    product.columns = b[b.rank() - 2];
    if (!is_transposed) std::swap(b_inner, product.columns);
  }
  if (b_inner != product.inner) {
    return wrong_input(1,
                       is_transposed ? "as many columns as the first input has"
                                     : "as many rows as the first input has columns",
                       shape_text(b).view());
  }
  for (uint32_t i = 0; i + 2 < a.rank(); ++i) product.a_outer.append(a[i]);
  for (uint32_t i = 0; i + 2 < b.rank(); ++i) product.b_outer.append(b[i]);
  std::array<Operand, 2> leading;
  leading[0].shape = product.a_outer;
  leading[1].shape = product.b_outer;
  SUSURRUS_ASSIGN_OR_RETURN(product.outer, broadcast_shape(leading));
  product.leading = product.outer;
  const auto matrices = product.outer.element_count();
  const auto all_rows = matrices ? checked_multiply(*matrices, product.rows) : std::nullopt;
  if (!all_rows) return wrong_input(0, "rows that can be counted", shape_text(a).view());
  if (b.rank() <= 2) {
    // All rows of a meet the same matrix.
    product.rows = *all_rows;
    product.outer = product.a_outer = product.b_outer = {};
  }
  if (type != ElementType::f32) return product;
  const auto turned = checked_multiply(product.inner, product.columns);
  if (is_transposed || b.rank() == 1) {
    product.way = Product::Way::rows;
  } else if (product.rows >= kRowsWorthTurning && turned && *turned <= kMostTurned) {
    product.way = Product::Way::turned;
  }
  return product;
}

Status infer_matmul(Inference& inference) {
  const Operand& a = inference.inputs[0];
  const Operand& b = inference.inputs[1];
  if (a.type != b.type) return wrong_input(1, element_type_name(a.type), element_type_name(b.type));
  SUSURRUS_RETURN_IF_ERROR(with_summed_type(a.type, [](auto) {}));
  const bool is_transposed = inference.attributes.flag(kIsTransposed);
  SUSURRUS_ASSIGN_OR_RETURN(const Product product,
                            product_of(a.type, a.shape, b.shape, is_transposed));
  if (b.packed != nullptr && (!is_transposed || b.shape.rank() != 2)) {
    return wrong_input(1, "a packed matrix that is transposed");
  }
  Shape shape = product.leading;
  if (a.shape.rank() > 1) shape.append(a.shape[a.shape.rank() - 2]);
  if (b.shape.rank() > 1) shape.append(product.columns);
  inference.outputs[0] = {a.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(a.type, shape));
  const uint64_t matrices = *product.outer.element_count();
  inference.work.items = static_cast<size_t>(matrices) * product.items_per_matrix();
  inference.work.cost = matrices * product.rows * product.inner * product.columns;
  if (product.way == Product::Way::one_by_one) return ok_status();
  const auto rows = static_cast<size_t>(std::min<uint64_t>(product.rows, kRowsPerItem));
  const auto inner = static_cast<size_t>(product.inner);
  inference.work.scratch_byte_count = product_scratch_byte_count(rows, inner, b.packed != nullptr);
  if (product.way == Product::Way::turned) {
    inference.work.scratch_byte_count +=
        static_cast<size_t>(product.inner * product.columns) * sizeof(float);
  }
  return ok_status();
}

/// Where an item's matrices begin, and which of the rows it has.
struct Item {
  size_t a_matrix = 0;
  size_t b_matrix = 0;
  size_t first_row = 0;
};

Item item_of(const Product& product, size_t index) {
  const Strides a_steps = Strides::broadcast(product.a_outer, product.outer);
  const Strides b_steps = Strides::broadcast(product.b_outer, product.outer);
  const size_t per_matrix = product.items_per_matrix();
  Item item;
  item.first_row = index % per_matrix * product.rows_per_item();
  size_t rest = index / per_matrix;
  for (uint32_t i = product.outer.rank(); i-- > 0;) {
    const auto dim = static_cast<size_t>(product.outer[i]);
    item.a_matrix += rest % dim * static_cast<size_t>(a_steps.steps[i]);
    item.b_matrix += rest % dim * static_cast<size_t>(b_steps.steps[i]);
    rest /= dim;
  }
  return item;
}

/// One row of the result.
template <typename T>
void multiply_one_by_one(const Call& call, const Product& product, bool is_transposed,
                         size_t index) {
  const Item item = item_of(product, index);
  const auto inner = static_cast<size_t>(product.inner);
  const auto columns = static_cast<size_t>(product.columns);
  const T* a = static_cast<const T*>(call.inputs[0].data) +
               (item.a_matrix * static_cast<size_t>(product.rows) + item.first_row) * inner;
  const T* b = static_cast<const T*>(call.inputs[1].data) + item.b_matrix * inner * columns;
  T* y = static_cast<T*>(call.outputs[0].data) + index * columns;
  const size_t step = is_transposed ? 1 : columns;
  for (size_t column = 0; column < columns; ++column) {
    const T* b_column = b + (is_transposed ? column * inner : column);
    Sum<T> sum = 0;
    for (size_t k = 0; k < inner; ++k) {
      sum += static_cast<Sum<T>>(a[k]) * static_cast<Sum<T>>(b_column[k * step]);
    }
    y[column] = static_cast<T>(sum);
  }
}

/// The columns of a matrix [inner, columns] as rows.
void turn(const float* matrix, size_t inner, size_t columns, float* rows) {
  for (size_t k = 0; k < inner; ++k) {
    for (size_t column = 0; column < columns; ++column) {
      rows[column * inner + k] = matrix[k * columns + column];
    }
  }
}

/// Items [begin, end), in runs that meet the same matrix.
void multiply(const Call& call, const Product& product, size_t begin, size_t end) {
  const auto inner = static_cast<size_t>(product.inner);
  const auto columns = static_cast<size_t>(product.columns);
  const auto all_rows = static_cast<size_t>(product.rows);
  const size_t per_matrix = product.items_per_matrix();
  std::span<uint8_t> scratch = call.scratch;
  Tensor rows = call.inputs[1];
  const bool is_turned = product.way == Product::Way::turned;
  const auto* matrices = static_cast<const float*>(rows.data);
  if (is_turned) {
    rows.data = scratch.data();
    rows.shape = {product.columns, product.inner};
    scratch = scratch.subspan(inner * columns * sizeof(float));
  }
  for (size_t index = begin; index < end;) {
    const Item item = item_of(product, index);
    const size_t matrix = index / per_matrix;
    const size_t last = std::min(end, (matrix + 1) * per_matrix);
    if (is_turned) turn(matrices + item.b_matrix * inner * columns, inner, columns, rows.f32());
    const TensorView weight =
        matrix_rows(rows, is_turned ? 0 : item.b_matrix * columns, product.columns);
    // There is memory for copies of an item's rows, and all are multiplied at once where none are needed.
    const bool is_copied = weight.shape[1] != inner;
    for (size_t row = item.first_row; index < last;) {
      const size_t items = is_copied ? 1 : last - index;
      const size_t row_count = std::min(items * kRowsPerItem, all_rows - row);
      multiply_rows(call.kernels,
                    {.rows = row_count,
                     .x = call.inputs[0].f32() + (item.a_matrix * all_rows + row) * inner,
                     .x_stride = inner,
                     .weight = weight,
                     .y = call.outputs[0].f32() + (matrix * all_rows + row) * columns,
                     .y_stride = columns},
                    inner, scratch);
      index += items;
      row += row_count;
    }
  }
}

Status run_matmul(const Call& call, size_t begin, size_t end) {
  const Tensor& a = call.inputs[0];
  const bool is_transposed = call.attributes.flag(kIsTransposed);
  SUSURRUS_ASSIGN_OR_RETURN(const Product product,
                            product_of(a.type, a.shape, call.inputs[1].shape, is_transposed));
  if (product.way != Product::Way::one_by_one) {
    multiply(call, product, begin, end);
    return ok_status();
  }
  return with_summed_type(a.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t item = begin; item < end; ++item) {
      multiply_one_by_one<T>(call, product, is_transposed, item);
    }
  });
}

/// b has its last two dimensions the other way round.
constexpr AttributeSpec kAttributes[] = {{"is_transposed", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "matmul",
     .least_inputs = 2,
     .most_inputs = 2,
     .packed_inputs = 0b10,
     .attributes = kAttributes,
     .infer = infer_matmul,
     .run = run_matmul},
};

}  // namespace

std::span<const Operator> matmul_operators() { return kOperators; }

}  // namespace susurrus
