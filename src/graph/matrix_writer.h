#pragma once
#include <vector>

#include "graph/tensor.h"
#include "kernels/kernel_table.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {

/// What the matrices of products are kept as.
enum class WeightType : uint8_t {
  f32,
  q8_0,      // blocks of 32 integers with a scale, packed as the kernels read them
  integers,  // the same with scales of 1, of whole numbers from -128 to 127, exactly
};

/// How a graph keeps the matrices of its products.
struct WeightOptions {
  WeightType type = WeightType::f32;
  /// Those that the graph runs on.
  const KernelTable* kernels = &default_kernels();
  /// Filters of f32 that see few places become panels, which only runs read.
  bool packs_filters = false;
};

/// In which order the floats of a matrix come: row after row, or column after column.
enum class MatrixOrder : uint8_t { rows, columns };

/// Whether a matrix of this size becomes q8_0: smaller ones gain nothing.
bool is_worth_packing(uint64_t rows, uint64_t columns);

/// Makes the constant matrix of products from the bytes of its floats, pushed in pieces of any
/// size. It holds the matrix and 8 of its rows, or 32 of its columns.
class MatrixWriter {
 public:
  /// `shape` is that of the constant, whose last dimension is a row. out_of_memory, limit_exceeded.
  static Result<MatrixWriter> make(const Shape& shape, MatrixOrder order, WeightType type,
                                   const KernelTable& kernels);

  /// Not more than all of them.
  void push(ByteSpan bytes);
  /// When all have been pushed.
  OwnedTensor finish();

 private:
  MatrixWriter() = default;
  /// Puts what is in the slab where it belongs.
  void flush();
  void put_rows(size_t count);
  void put_block_column(size_t count);

  OwnedTensor tensor_;
  MatrixOrder order_ = MatrixOrder::rows;
  PackRows* pack_rows_ = nullptr;
  void (*make_block_)(const float* values, uint8_t* block) = quantize_block;
  size_t rows_ = 0;
  size_t columns_ = 0;
  size_t lines_ = 0;         // rows or columns that are in the matrix already
  size_t slab_lines_ = 0;    // of which so many make a slab
  size_t slab_filled_ = 0;   // bytes; without a slab, of the matrix
  std::vector<float> slab_;  // the lines that come next; none where bytes go to their place at once
  std::vector<uint8_t> blocks_;
};

}  // namespace susurrus
