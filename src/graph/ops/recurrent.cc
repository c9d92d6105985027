// LSTM as ONNX defines it: gates in the order input, output, forget, cell.
#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/products.h"
#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

enum Input : size_t { kX, kWeights, kRecurrence, kBias, kInitialH, kInitialC };
enum Output : size_t { kAll, kLastH, kLastC };
enum Direction : int64_t { kForward, kReverse, kBoth };

struct LstmShape {
  size_t steps = 0;
  size_t batch = 0;
  size_t in = 0;
  size_t hidden = 0;
  size_t directions = 1;
};

LstmShape shape_of(const Shape& x, const Shape& recurrence) {
  return {static_cast<size_t>(x[0]), static_cast<size_t>(x[1]), static_cast<size_t>(x[2]),
          static_cast<size_t>(recurrence[2]), static_cast<size_t>(recurrence[0])};
}

/// Memory for the gates of a step, in whole lines of the cache.
size_t gates_byte_count(size_t count) { return round_up(count, 16) * sizeof(float); }

Status infer_lstm(Inference& inference) {
  const auto inputs = inference.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_present && inputs[i].type != ElementType::f32) {
      return wrong_input(i, "f32", element_type_name(inputs[i].type));
    }
  }
  const Shape& x = inputs[kX].shape;
  const Shape& recurrence = inputs[kRecurrence].shape;
  if (x.rank() != 3) return wrong_input(kX, "3 dimensions", shape_text(x).view());
  if (recurrence.rank() != 3) return wrong_input(kRecurrence, "3 dimensions");
  const int64_t direction = inference.attributes.integer(0);
  if (direction < kForward || direction > kBoth) return wrong_attribute("direction", "0, 1 or 2");
  const uint64_t directions = direction == kBoth ? 2 : 1;
  const uint64_t hidden = recurrence[2];
  const auto check = [&](size_t input, const Shape& wanted) -> Status {
    if (!inference.has(input) || inputs[input].shape == wanted) return ok_status();
    return wrong_input(input, shape_text(wanted).view(), shape_text(inputs[input].shape).view());
  };
  SUSURRUS_RETURN_IF_ERROR(check(kRecurrence, {directions, 4 * hidden, hidden}));
  SUSURRUS_RETURN_IF_ERROR(check(kWeights, {directions, 4 * hidden, x[2]}));
  SUSURRUS_RETURN_IF_ERROR(check(kBias, {directions, 8 * hidden}));
  SUSURRUS_RETURN_IF_ERROR(check(kInitialH, {directions, x[1], hidden}));
  SUSURRUS_RETURN_IF_ERROR(check(kInitialC, {directions, x[1], hidden}));
  inference.outputs[kAll].shape = {x[0], directions, x[1], hidden};
  inference.outputs[kLastH].shape = {directions, x[1], hidden};
  inference.outputs[kLastC].shape = {directions, x[1], hidden};
  for (const Inference::Output& output : inference.outputs) {
    SUSURRUS_RETURN_IF_ERROR(check_size(output.type, output.shape));
  }
  // An item is a step of one direction; without steps the last values are the first ones.
  inference.work.items = static_cast<size_t>(directions * std::max<uint64_t>(1, x[0]));
  inference.work.cost = directions * x[0] * x[1] * 4 * hidden * (x[2] + hidden);
  inference.work.scratch_byte_count = gates_byte_count(static_cast<size_t>(x[1] * 4 * hidden));
  for (const auto& [input, columns] : {std::pair{kWeights, x[2]}, std::pair{kRecurrence, hidden}}) {
    const bool is_packed = inputs[input].packed != nullptr;
    inference.work.scratch_byte_count =
        std::max(inference.work.scratch_byte_count,
                 gates_byte_count(static_cast<size_t>(x[1] * 4 * hidden)) +
                     product_scratch_byte_count(static_cast<size_t>(x[1]),
                                                static_cast<size_t>(columns), is_packed));
  }
  return ok_status();
}

/// Item `step` of `direction`: what is remembered lies in the outputs of the last values.
void run_step(const Call& call, const LstmShape& s, size_t direction, size_t step) {
  const bool is_reverse = call.attributes.integer(0) == kReverse || direction == 1;
  const size_t t = is_reverse ? s.steps - 1 - step : step;
  const size_t width = 4 * s.hidden;
  auto* gates = reinterpret_cast<float*>(call.scratch.data());
  const auto scratch = call.scratch.subspan(gates_byte_count(s.batch * width));
  float* h = call.outputs[kLastH].f32() + direction * s.batch * s.hidden;
  float* c = call.outputs[kLastC].f32() + direction * s.batch * s.hidden;
  const float* bias = call.has(kBias) ? call.inputs[kBias].f32() + direction * 2 * width : nullptr;
  const auto multiply = [&](Input matrix, const float* x, size_t in, const float* own_bias,
                            Epilogue epilogue) {
    multiply_rows(call.kernels,
                  {.rows = s.batch,
                   .x = x,
                   .x_stride = in,
                   .weight = matrix_rows(call.inputs[matrix], direction * width, width),
                   .bias = own_bias,
                   .y = gates,
                   .y_stride = width,
                   .epilogue = epilogue},
                  in, scratch);
  };
  multiply(kWeights, call.inputs[kX].f32() + t * s.batch * s.in, s.in, bias, Epilogue::store);
  multiply(kRecurrence, h, s.hidden, bias == nullptr ? nullptr : bias + width,
           Epilogue::accumulate);
  for (size_t b = 0; b < s.batch; ++b, gates += width, h += s.hidden, c += s.hidden) {
    const float* input = gates;
    const float* output = gates + s.hidden;
    const float* forget = gates + 2 * s.hidden;
    float* cell = gates + 3 * s.hidden;
    call.kernels.sigmoid(3 * s.hidden, gates, gates);
    call.kernels.tanh(s.hidden, cell, cell);
    for (size_t i = 0; i < s.hidden; ++i) c[i] = forget[i] * c[i] + input[i] * cell[i];
    call.kernels.tanh(s.hidden, c, cell);
    for (size_t i = 0; i < s.hidden; ++i) h[i] = output[i] * cell[i];
    std::copy_n(
        h, s.hidden,
        call.outputs[kAll].f32() + ((t * s.directions + direction) * s.batch + b) * s.hidden);
  }
}

Status run_lstm(const Call& call, size_t begin, size_t end) {
  const LstmShape s = shape_of(call.inputs[kX].shape, call.inputs[kRecurrence].shape);
  const size_t steps = std::max<size_t>(1, s.steps);
  for (size_t item = begin; item < end; ++item) {
    const size_t direction = item / steps;
    const size_t step = item % steps;
    const size_t count = s.batch * s.hidden;
    if (step == 0) {
      for (const auto& [from, to] : {std::pair{kInitialH, kLastH}, std::pair{kInitialC, kLastC}}) {
        float* last = call.outputs[to].f32() + direction * count;
        if (call.has(from)) {
          std::copy_n(call.inputs[from].f32() + direction * count, count, last);
        } else {
          std::fill_n(last, count, 0.0F);
        }
      }
    }
    if (s.steps > 0) run_step(call, s, direction, step);
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"direction", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "lstm",
     .least_inputs = 3,
     .most_inputs = 6,
     .least_outputs = 3,
     .most_outputs = 3,
     .packed_inputs = 0b110,
     .attributes = kAttributes,
     .infer = infer_lstm,
     .run = run_lstm},
};

}  // namespace

std::span<const Operator> recurrent_operators() { return kOperators; }

}  // namespace susurrus
