#include "graph/ops/recurrence.h"

#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

enum Direction : int64_t { kForward, kReverse, kBoth };

}  // namespace

float* RecurrentPart::state(const Call& call, size_t index) const {
  return call.outputs[kLastState + index].f32() + direction * batch * hidden;
}

const float* RecurrentPart::x(const Call& call) const {
  return call.inputs[kRecurrentX].f32() + t * batch * in;
}

void RecurrentPart::multiply(const Call& call, const RecurrentProduct& product,
                             std::span<uint8_t> scratch) const {
  const bool is_recurrent = product.matrix == kRecurrence;
  const size_t columns = is_recurrent ? hidden : in;
  const float* bias = nullptr;
  if (call.has(kRecurrentBias)) {
    bias = call.inputs[kRecurrentBias].f32() + (2 * direction + is_recurrent) * width() +
           product.first;
  }
  multiply_rows(call.kernels,
                {.rows = batch,
                 .x = product.x,
                 .x_stride = columns,
                 .weight = matrix_rows(call.inputs[product.matrix],
                                       direction * width() + product.first, product.count),
                 .bias = bias,
                 .y = product.y,
                 .y_stride = product.y_stride,
                 .epilogue = product.epilogue},
                columns, scratch);
}

size_t step_byte_count(size_t floats) { return round_up(floats, 16) * sizeof(float); }

Status infer_recurrent(Inference& inference, size_t gates, size_t states, uint64_t step_floats) {
  const auto inputs = inference.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_present && inputs[i].type != ElementType::f32) {
      return wrong_input(i, "f32", element_type_name(inputs[i].type));
    }
  }
  const Shape& x = inputs[kRecurrentX].shape;
  const Shape& recurrence = inputs[kRecurrence].shape;
  if (x.rank() != 3) return wrong_input(kRecurrentX, "3 dimensions", shape_text(x).view());
  if (recurrence.rank() != 3) return wrong_input(kRecurrence, "3 dimensions");
  const int64_t direction = inference.attributes.integer(0);
  if (direction < kForward || direction > kBoth) return wrong_attribute("direction", "0, 1 or 2");
  const uint64_t directions = direction == kBoth ? 2 : 1;
  const uint64_t hidden = recurrence[2];
  const uint64_t width = gates * hidden;
  const Shape state{directions, x[1], hidden};
  const auto check = [&](size_t input, const Shape& wanted) -> Status {
    if (!inference.has(input) || inputs[input].shape == wanted) return ok_status();
    return wrong_input(input, shape_text(wanted).view(), shape_text(inputs[input].shape).view());
  };
  SUSURRUS_RETURN_IF_ERROR(check(kRecurrence, {directions, width, hidden}));
  SUSURRUS_RETURN_IF_ERROR(check(kRecurrentWeights, {directions, width, x[2]}));
  SUSURRUS_RETURN_IF_ERROR(check(kRecurrentBias, {directions, 2 * width}));
  inference.outputs[kEveryStep].shape = {x[0], directions, x[1], hidden};
  for (size_t i = 0; i < states; ++i) {
    SUSURRUS_RETURN_IF_ERROR(check(kFirstState + i, state));
    inference.outputs[kLastState + i].shape = state;
  }
  for (const Inference::Output& output : inference.outputs) {
    SUSURRUS_RETURN_IF_ERROR(check_size(output.type, output.shape));
  }
  // An item is a step of one direction; without steps the last values are the first ones.
  inference.work.items = static_cast<size_t>(directions * std::max<uint64_t>(1, x[0]));
  inference.work.cost = directions * x[0] * x[1] * width * (x[2] + hidden);
  size_t product_bytes = 0;
  for (const auto& [input, columns] :
       {std::pair{kRecurrentWeights, x[2]}, std::pair{kRecurrence, hidden}}) {
    product_bytes =
        std::max(product_bytes,
                 product_scratch_byte_count(static_cast<size_t>(x[1]), static_cast<size_t>(columns),
                                            inputs[input].packed != nullptr));
  }
  inference.work.scratch_byte_count =
      step_byte_count(static_cast<size_t>(step_floats)) + product_bytes;
  return ok_status();
}

Status run_recurrent(const Call& call, size_t gates, size_t states, size_t begin, size_t end,
                     void (*step)(const Call& call, const RecurrentPart& part)) {
  const Shape& x = call.inputs[kRecurrentX].shape;
  const Shape& recurrence = call.inputs[kRecurrence].shape;
  RecurrentPart part{gates,
                     static_cast<size_t>(x[0]),
                     static_cast<size_t>(x[1]),
                     static_cast<size_t>(x[2]),
                     static_cast<size_t>(recurrence[2]),
                     static_cast<size_t>(recurrence[0])};
  const size_t steps = std::max<size_t>(1, part.steps);
  const size_t count = part.batch * part.hidden;
  for (size_t item = begin; item < end; ++item) {
    part.direction = item / steps;
    const size_t place = item % steps;
    for (size_t i = 0; place == 0 && i < states; ++i) {
      float* state = part.state(call, i);
      if (call.has(kFirstState + i)) {
        std::copy_n(call.inputs[kFirstState + i].f32() + part.direction * count, count, state);
      } else {
        std::fill_n(state, count, 0.0F);
      }
    }
    if (part.steps == 0) continue;
    const bool is_reverse = call.attributes.integer(0) == kReverse || part.direction == 1;
    part.t = is_reverse ? part.steps - 1 - place : place;
    step(call, part);
    std::copy_n(
        part.state(call, 0), count,
        call.outputs[kEveryStep].f32() + (part.t * part.directions + part.direction) * count);
  }
  return ok_status();
}

}  // namespace susurrus
