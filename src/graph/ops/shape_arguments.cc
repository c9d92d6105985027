#include "graph/ops/shape_arguments.h"

namespace susurrus {

Result<std::vector<int64_t>> known_integers(const Inference& inference, size_t input) {
  const Operand& operand = inference.inputs[input];
  if (operand.type != ElementType::i64 && operand.type != ElementType::i32) {
    return wrong_input(input, "integers", element_type_name(operand.type));
  }
  const auto count = static_cast<size_t>(*operand.shape.element_count());
  if (operand.constant == nullptr && count > 0) {
    return wrong_input(input, "numbers that follow from constants and shapes");
  }
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = operand.type == ElementType::i64 ? operand.values<int64_t>()[i]
                                                 : operand.values<int32_t>()[i];
  }
  return values;
}

Result<std::array<bool, limits::kMaxDims>> marked_axes(std::span<const int64_t> axes, size_t rank) {
  std::array<bool, limits::kMaxDims> is_marked{};
  for (int64_t axis : axes) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t at, axis_of(axis, rank, "axes"));
    if (is_marked[at]) return wrong_attribute("axes", "each axis once");
    is_marked[at] = true;
  }
  return is_marked;
}

}  // namespace susurrus
