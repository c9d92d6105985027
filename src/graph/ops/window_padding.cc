// Padding of one dimension for a window that runs over it, where it follows from the size of the dimension.
#include "graph/ops/window_padding.h"

#include <cstring>
#include <limits>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum Attribute : size_t { kAxis, kReach, kStride, kPadding, kFuture, kFilling };

constexpr int64_t kMostSize = int64_t{1} << 31;

Result<WindowPadding> padding_of(const Shape& x, const Attributes& attributes) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis,
                            axis_of(attributes.integer(kAxis), x.rank(), "axis"));
  const int64_t reach = attributes.integer(kReach);
  const int64_t stride = attributes.integer(kStride);
  int64_t padding = attributes.integer(kPadding);
  const double future = attributes.number(kFuture);
  if (reach < 0 || reach > kMostSize) return wrong_attribute("reach", "0 or more");
  if (stride < 1 || stride > kMostSize) return wrong_attribute("stride", "1 or more");
  if (padding < -1 || padding > kMostSize) return wrong_attribute("padding", "-1 (SAME) or more");
  if (!(future >= 0 && future <= 1)) return wrong_attribute("future", "0 to 1");
  if (x[axis] > uint64_t{kMostSize}) return wrong_input(0, "smaller dimensions");
  if (padding == -1) padding = same_padding(x[axis], reach, stride);
  const WindowPadding moved = moved_padding(padding, stride, future);
  if (static_cast<int64_t>(x[axis]) + moved.before + moved.after <= reach) {
    return wrong_input(0, "as much as the window covers", shape_text(x).view());
  }
  return moved;
}

Status infer_window_padding(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  SUSURRUS_ASSIGN_OR_RETURN(const WindowPadding padding, padding_of(x.shape, inference.attributes));
  const uint32_t axis = *axis_of(inference.attributes.integer(kAxis), x.shape.rank(), "axis");
  Shape shape;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    shape.append(i == axis ? static_cast<uint64_t>(static_cast<int64_t>(x.shape[i]) +
                                                   padding.before + padding.after)
                           : x.shape[i]);
  }
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  // An item is all that an index of the dimensions before the axis has.
  uint64_t items = 1;
  for (uint32_t i = 0; i < axis; ++i) items *= shape[i];
  inference.work = {static_cast<size_t>(items), *shape.element_count()};
  return ok_status();
}

Status run_window_padding(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const WindowPadding padding, padding_of(x.shape, call.attributes));
  const uint32_t axis = *axis_of(call.attributes.integer(kAxis), x.shape.rank(), "axis");
  size_t inner = 1;
  for (uint32_t i = axis + 1; i < x.shape.rank(); ++i) inner *= static_cast<size_t>(x.shape[i]);
  const auto in = static_cast<size_t>(x.shape[axis]);
  const auto out = static_cast<size_t>(y.shape[axis]);
  const size_t filled = std::min(out, static_cast<size_t>(std::max<int64_t>(0, padding.before)));
  const size_t skipped = std::min(in, static_cast<size_t>(std::max<int64_t>(0, -padding.before)));
  const size_t copied = std::min(in - skipped, out - filled);
  const double number = call.attributes.number(kFilling);
  const auto filling = static_cast<float>(number);
  for (size_t item = begin; item < end; ++item) {
    const float* from = x.f32() + (item * in + skipped) * inner;
    float* to = y.f32() + item * out * inner;
    to = std::fill_n(to, filled * inner, filling);
    to = std::copy_n(from, copied * inner, to);
    std::fill_n(to, (out - filled - copied) * inner, filling);
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"axis", AttributeKind::integer},
                                         {"reach", AttributeKind::integer},
                                         {"stride", AttributeKind::integer, false, 1},
                                         {"padding", AttributeKind::integer},
                                         {"future", AttributeKind::number, false, 0.5},
                                         {"filling", AttributeKind::number}};

constexpr Operator kOperators[] = {
    {.name = "window_pad",
     .attributes = kAttributes,
     .infer = infer_window_padding,
     .run = run_window_padding},
};

}  // namespace

std::span<const Operator> window_padding_operators() { return kOperators; }

}  // namespace susurrus
