#include "graph/tennis/tennis_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace susurrus {
namespace {

/// Each row as whole numbers of T times a scale; the values become what is left of them.
template <typename T>
uint32_t add_plane(TennisNodes& nodes, std::string_view name, TennisDtype dtype, const Shape& shape,
                   std::span<float> values) {
  Shape scale_shape;
  uint64_t rows = 1;
  for (const uint64_t dim : shape.dims()) {
    scale_shape.append(rows == 1 ? dim : 1);
    if (rows == 1) rows = dim;
  }
  constexpr float kMost = std::numeric_limits<T>::max();
  const auto columns = static_cast<size_t>(values.size() / rows);
  WrittenParameter numbers{"value", dtype, shape, {}};
  WrittenParameter scales{"value", TennisDtype::f32, scale_shape, {}};
  for (size_t at = 0; at < values.size(); at += columns) {
    const std::span<float> row = values.subspan(at, columns);
    float most = 0;
    for (const float value : row) most = std::max(most, std::abs(value));
    const float scale = most > 0 ? most / kMost : 1;
    scales.append(&scale, sizeof scale);
    for (float& value : row) {
      const auto number = static_cast<T>(std::lround(value / scale));
      numbers.append(&number, sizeof number);
      value -= static_cast<float>(number) * scale;
    }
  }
  const uint32_t stored = nodes.add("<const>", name, {}, {std::move(numbers)});
  const uint32_t whole = nodes.add("to_float", name, {stored});
  return nodes.add("mul", name, {whole, nodes.add("<const>", name, {}, {std::move(scales)})});
}

}  // namespace

uint32_t add_packed_weights(TennisNodes& nodes, std::string_view name, const OwnedTensor& tensor,
                            bool is_fine) {
  const auto* first = reinterpret_cast<const float*>(tensor.buffer.data());
  std::vector<float> values(first, first + *tensor.shape.element_count());
  const uint32_t coarse = add_plane<int16_t>(nodes, name, TennisDtype::i16, tensor.shape, values);
  if (!is_fine) return coarse;
  const uint32_t fine = add_plane<int8_t>(nodes, name, TennisDtype::i8, tensor.shape, values);
  return nodes.add("add", name, {coarse, fine});
}

}  // namespace susurrus
