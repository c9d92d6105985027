#include "graph/bw2l/int8_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/bw2l/bw2l_reals.h"

namespace susurrus {
namespace {

/// Beyond it, products and correction would cancel out more digits than int8 has.
constexpr int64_t kLargestOffset = 128;
constexpr uint64_t kElementsAtOnce = 1024;

bool is_kept(const Bw2lWeights& weights, uint64_t in, uint64_t out) {
  if (weights.array == nullptr || weights.array->dtype != Bw2lDtype::i8) return false;
  const Bw2lLayer& layer = *weights.layer;
  return layer.offset >= -kLargestOffset && layer.offset <= kLargestOffset &&
         std::isfinite(layer.scale * 2 * kLargestOffset) && is_worth_packing(out, in);
}

}  // namespace

Result<std::optional<OwnedTensor>> pack_int8_matrix(const Bw2lLine& line,
                                                    const Bw2lWeights& weights, uint64_t in,
                                                    uint64_t out) {
  const Shape shape{out, in};
  if (!is_kept(weights, in, out) || shape.element_count() != weights.count()) {
    return std::optional<OwnedTensor>();
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      MatrixWriter writer,
      MatrixWriter::make(shape, MatrixOrder::columns, WeightType::integers, *line.build().kernels));
  Bw2lArray piece = *weights.array;
  std::array<float, kElementsAtOnce> integers;
  for (uint64_t left = weights.count(); left > 0; left -= piece.count) {
    piece.file_offset = weights.array->file_offset + (weights.count() - left);
    piece.count = std::min(left, kElementsAtOnce);
    const std::span<float> to(integers.data(), static_cast<size_t>(piece.count));
    if (!read_bw2l_reals(piece, line.build().file, 1, 0, to)) return line.not_held();
    writer.push({reinterpret_cast<const uint8_t*>(to.data()), to.size_bytes()});
  }
  return std::optional<OwnedTensor>(writer.finish());
}

Result<ValueId> multiply_int8(Bw2lLine& line, ValueId x, OwnedTensor matrix,
                              const Bw2lLayer& layer) {
  const ValueId packed = line.build().builder.add_constant({}, std::move(matrix));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId y,
                            line.add("matmul", {x, packed}, {{"is_transposed", int64_t{1}}}));
  if (layer.offset != 0) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId offset,
                              line.constant(static_cast<float>(layer.offset)));
    SUSURRUS_ASSIGN_OR_RETURN(ValueId excess,
                              line.add("reduce_sum", {x}, {{"axes", std::vector<int64_t>{-1}}}));
    SUSURRUS_ASSIGN_OR_RETURN(excess, line.add("multiply", {excess, offset}));
    SUSURRUS_ASSIGN_OR_RETURN(y, line.add("subtract", {y, excess}));
  }
  if (layer.scale == 1) return y;
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId scale, line.constant(layer.scale));
  return line.add("multiply", {y, scale});
}

}  // namespace susurrus
