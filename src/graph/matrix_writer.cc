#include "graph/matrix_writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

constexpr uint64_t kLeastColumns = 32;
constexpr uint64_t kLeastElements = 4096;
constexpr size_t kBlockBytes = kQ80Layout.byte_count;

}  // namespace

bool is_worth_packing(uint64_t rows, uint64_t columns) {
  return columns >= kLeastColumns && rows >= kPackedRows && rows >= kLeastElements / columns;
}

Result<MatrixWriter> MatrixWriter::make(const Shape& shape, MatrixOrder order, WeightType type,
                                        const KernelTable& kernels) {
  MatrixWriter writer;
  writer.order_ = order;
  if (type == WeightType::integers) writer.make_block_ = integers_to_block;
  const auto count = shape.element_count();
  SUSURRUS_CHECK(count && *count > 0 && *count <= ~uint64_t{0} / sizeof(float));
  writer.tensor_.shape = shape;
  writer.columns_ = static_cast<size_t>(shape.last());
  writer.rows_ = static_cast<size_t>(*count) / writer.columns_;
  uint64_t byte_count = *count * sizeof(float);
  if (type != WeightType::f32) {
    const size_t padded = round_up(writer.columns_, kBlockValues);
    byte_count =
        round_up(writer.rows_, kPackedRows) * uint64_t{padded / kBlockValues * kBlockBytes};
    TensorView& packed = writer.tensor_.packed;
    packed = {Dtype::q8_0, {writer.rows_, padded}, nullptr, WeightLayout::rows};
    writer.pack_rows_ = kernels.packing.pack_rows;
    if (writer.pack_rows_ != nullptr) packed.layout = kernels.packing.layout;
  }
  SUSURRUS_ASSIGN_OR_RETURN(writer.tensor_.buffer, AlignedBuffer::allocate(byte_count, "weights"));
  if (type != WeightType::f32) writer.tensor_.packed.data = writer.tensor_.buffer.data();
  const size_t line = order == MatrixOrder::rows ? writer.columns_ : writer.rows_;
  const bool has_panels = order == MatrixOrder::rows && type != WeightType::f32;
  writer.slab_lines_ = has_panels ? kPackedRows : kBlockValues;
  // Rows of floats go to their place as they come.
  if (order == MatrixOrder::columns || has_panels) writer.slab_.resize(writer.slab_lines_ * line);
  return writer;
}

void MatrixWriter::push(ByteSpan bytes) {
  if (slab_.empty()) {
    SUSURRUS_CHECK(bytes.size() <= tensor_.buffer.byte_count() - slab_filled_);
    std::memcpy(tensor_.buffer.data() + slab_filled_, bytes.data(), bytes.size());
    slab_filled_ += bytes.size();
    return;
  }
  const size_t room = slab_.size() * sizeof(float);
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), room - slab_filled_);
    std::memcpy(reinterpret_cast<uint8_t*>(slab_.data()) + slab_filled_, bytes.data(), count);
    bytes = bytes.subspan(count);
    slab_filled_ += count;
    if (slab_filled_ == room) flush();
  }
}

void MatrixWriter::flush() {
  const size_t line = order_ == MatrixOrder::rows ? columns_ : rows_;
  const size_t lines = slab_filled_ / sizeof(float) / line;
  if (order_ == MatrixOrder::rows) {
    put_rows(lines);
  } else if (tensor_.is_packed()) {
    put_block_column(lines);
  } else {
    auto* elements = reinterpret_cast<float*>(tensor_.buffer.data());
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t i = 0; i < lines; ++i) {
        elements[row * columns_ + lines_ + i] = slab_[i * rows_ + row];
      }
    }
  }
  lines_ += lines;
  slab_filled_ = 0;
}

/// A panel of rows.
void MatrixWriter::put_rows(size_t count) {
  const size_t blocks = static_cast<size_t>(tensor_.packed.shape[1]) / kBlockValues;
  std::vector<uint8_t>& made = blocks_;
  made.assign(kPackedRows * blocks * kBlockBytes, 0);
  for (size_t row = 0; row < count; ++row) {
    for (size_t block = 0; block < blocks; ++block) {
      const size_t first = block * kBlockValues;
      float values[kBlockValues] = {};
      std::copy_n(slab_.data() + row * columns_ + first, std::min(kBlockValues, columns_ - first),
                  values);
      make_block_(values, made.data() + (row * blocks + block) * kBlockBytes);
    }
  }
  uint8_t* to = tensor_.buffer.data() + lines_ * blocks * kBlockBytes;
  if (tensor_.packed.layout == WeightLayout::rows) {
    std::copy(made.begin(), made.end(), to);
  } else {
    pack_rows_(tensor_.packed, tensor_.packed.layout, made.data(), to);
  }
}

/// A block of every row: of each panel one.
void MatrixWriter::put_block_column(size_t count) {
  const TensorView& packed = tensor_.packed;
  const size_t blocks = static_cast<size_t>(packed.shape[1]) / kBlockValues;
  const size_t block = lines_ / kBlockValues;
  for (size_t first = 0; first < rows_; first += kPackedRows) {
    uint8_t made[kPackedRows * kBlockBytes] = {};
    const size_t row_count = std::min(kPackedRows, rows_ - first);
    for (size_t row = 0; row < row_count; ++row) {
      float values[kBlockValues] = {};
      for (size_t i = 0; i < count; ++i) values[i] = slab_[i * rows_ + first + row];
      make_block_(values, made + row * kBlockBytes);
    }
    uint8_t* rows = tensor_.buffer.data() + first * blocks * kBlockBytes;
    if (packed.layout != WeightLayout::rows) {
      const TensorView one{Dtype::q8_0, {kPackedRows, kBlockValues}, nullptr, packed.layout};
      pack_rows_(one, packed.layout, made, rows + kPackedRows * block * kBlockBytes);
      continue;
    }
    for (size_t row = 0; row < kPackedRows; ++row) {
      std::copy_n(made + row * kBlockBytes, kBlockBytes,
                  rows + (row * blocks + block) * kBlockBytes);
    }
  }
}

OwnedTensor MatrixWriter::finish() {
  if (!slab_.empty() && slab_filled_ > 0) flush();
  return std::move(tensor_);
}

}  // namespace susurrus
