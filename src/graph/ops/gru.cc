// GRU as ONNX defines it: gates in the order update, reset, hidden.
#include <cmath>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum Input : size_t { kX, kWeights, kRecurrence, kBias, kInitialH };
enum Output : size_t { kAll, kLastH };
enum Direction : int64_t { kForward, kReverse, kBoth };
/// Whether the reset gate works on the recurrent product rather than on what is remembered.
enum GruAttribute : size_t { kDirection, kResetsProduct };

struct GruShape {
  size_t steps = 0;
  size_t batch = 0;
  size_t in = 0;
  size_t hidden = 0;
  size_t directions = 1;
};

Status infer_gru(Inference& inference) {
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
  const int64_t direction = inference.attributes.integer(kDirection);
  if (direction < kForward || direction > kBoth) return wrong_attribute("direction", "0, 1 or 2");
  const uint64_t directions = direction == kBoth ? 2 : 1;
  const uint64_t hidden = recurrence[2];
  const auto check = [&](size_t input, const Shape& wanted) -> Status {
    if (!inference.has(input) || inputs[input].shape == wanted) return ok_status();
    return wrong_input(input, shape_text(wanted).view(), shape_text(inputs[input].shape).view());
  };
  SUSURRUS_RETURN_IF_ERROR(check(kRecurrence, {directions, 3 * hidden, hidden}));
  SUSURRUS_RETURN_IF_ERROR(check(kWeights, {directions, 3 * hidden, x[2]}));
  SUSURRUS_RETURN_IF_ERROR(check(kBias, {directions, 6 * hidden}));
  SUSURRUS_RETURN_IF_ERROR(check(kInitialH, {directions, x[1], hidden}));
  inference.outputs[kAll].shape = {x[0], directions, x[1], hidden};
  inference.outputs[kLastH].shape = {directions, x[1], hidden};
  for (const Inference::Output& output : inference.outputs) {
    SUSURRUS_RETURN_IF_ERROR(check_size(output.type, output.shape));
  }
  // An item is a step of one direction; without steps the last values are the first ones.
  inference.work.items = static_cast<size_t>(directions * std::max<uint64_t>(1, x[0]));
  inference.work.cost = directions * x[0] * x[1] * 3 * hidden * (x[2] + hidden);
  inference.work.scratch_byte_count = static_cast<size_t>(4 * hidden * sizeof(float));
  return ok_status();
}

double dot(const float* a, const float* b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One step of one element of the batch: h is what is remembered. `scratch` has room for 4 × hidden numbers.
void step(const Call& call, const GruShape& s, size_t direction, const float* x, float* h,
          float* scratch) {
  const size_t hidden = s.hidden;
  const float* weights = call.inputs[kWeights].f32() + direction * 3 * hidden * s.in;
  const float* recurrence = call.inputs[kRecurrence].f32() + direction * 3 * hidden * hidden;
  const float* bias = call.has(kBias) ? call.inputs[kBias].f32() + direction * 6 * hidden : nullptr;
  const auto bias_at = [&](size_t i) {
    return bias == nullptr ? 0.0 : static_cast<double>(bias[i]);
  };
  float* update = scratch;
  float* reset = scratch + hidden;
  float* kept = scratch + 2 * hidden;
  float* next = scratch + 3 * hidden;
  for (size_t gate = 0; gate < 2 * hidden; ++gate) {
    scratch[gate] = static_cast<float>(sigmoid(dot(weights + gate * s.in, x, s.in) +
                                               dot(recurrence + gate * hidden, h, hidden) +
                                               bias_at(gate) + bias_at(3 * hidden + gate)));
  }
  for (size_t i = 0; i < hidden; ++i) kept[i] = reset[i] * h[i];
  const bool resets_product = call.attributes.flag(kResetsProduct);
  for (size_t i = 0; i < hidden; ++i) {
    const size_t gate = 2 * hidden + i;
    const double given = dot(weights + gate * s.in, x, s.in) + bias_at(gate);
    const float* row = recurrence + gate * hidden;
    const double recurrent_bias = bias_at(3 * hidden + gate);
    const double product =
        resets_product ? static_cast<double>(reset[i]) * (dot(row, h, hidden) + recurrent_bias)
                       : dot(row, kept, hidden) + recurrent_bias;
    next[i] = static_cast<float>(std::tanh(given + product));
  }
  for (size_t i = 0; i < hidden; ++i) h[i] = (1 - update[i]) * next[i] + update[i] * h[i];
}

Status run_gru(const Call& call, size_t begin, size_t end) {
  const Shape& x = call.inputs[kX].shape;
  const Shape& recurrence = call.inputs[kRecurrence].shape;
  const GruShape s{static_cast<size_t>(x[0]), static_cast<size_t>(x[1]), static_cast<size_t>(x[2]),
                   static_cast<size_t>(recurrence[2]), static_cast<size_t>(recurrence[0])};
  const size_t steps = std::max<size_t>(1, s.steps);
  const size_t count = s.batch * s.hidden;
  for (size_t item = begin; item < end; ++item) {
    const size_t direction = item / steps;
    const size_t at = item % steps;
    float* last = call.outputs[kLastH].f32() + direction * count;
    if (at == 0 && call.has(kInitialH)) {
      std::copy_n(call.inputs[kInitialH].f32() + direction * count, count, last);
    } else if (at == 0) {
      std::fill_n(last, count, 0.0F);
    }
    if (s.steps == 0) continue;
    const bool is_reverse = call.attributes.integer(kDirection) == kReverse || direction == 1;
    const size_t t = is_reverse ? s.steps - 1 - at : at;
    for (size_t b = 0; b < s.batch; ++b) {
      float* h = last + b * s.hidden;
      step(call, s, direction, call.inputs[kX].f32() + (t * s.batch + b) * s.in, h,
           reinterpret_cast<float*>(call.scratch.data()));
      std::copy_n(
          h, s.hidden,
          call.outputs[kAll].f32() + ((t * s.directions + direction) * s.batch + b) * s.hidden);
    }
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {{"direction", AttributeKind::integer},
                                         {"resets_product", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "gru",
     .least_inputs = 3,
     .most_inputs = 5,
     .least_outputs = 2,
     .most_outputs = 2,
     .attributes = kAttributes,
     .infer = infer_gru,
     .run = run_gru},
};

}  // namespace

std::span<const Operator> gru_operators() { return kOperators; }

}  // namespace susurrus
