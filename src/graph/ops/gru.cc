// GRU as ONNX defines it: gates in the order update, reset, hidden.
#include "graph/ops/lists.h"
#include "graph/ops/recurrence.h"

namespace susurrus {
namespace {

constexpr size_t kGates = 3;
constexpr size_t kStates = 1;
/// Whether the reset gate works on the recurrent product rather than on what is remembered.
enum GruAttribute : size_t { kResetsProduct = 1 };

Status infer_gru(Inference& inference) {
  const Shape& x = inference.inputs[kRecurrentX].shape;
  const Shape& recurrence = inference.inputs[kRecurrence].shape;
  const bool is_known = x.rank() == 3 && recurrence.rank() == 3;
  // The gates, and the recurrent product of the hidden one.
  return infer_recurrent(inference, kGates, kStates,
                         is_known ? x[1] * (kGates + 1) * recurrence[2] : 0);
}

void step_gru(const Call& call, const RecurrentPart& part) {
  const size_t hidden = part.hidden;
  const size_t width = part.width();
  auto* gates = reinterpret_cast<float*>(call.scratch.data());
  float* products = gates + part.batch * width;
  const auto scratch = call.scratch.subspan(step_byte_count(part.batch * (width + hidden)));
  float* h = part.state(call, 0);
  const bool resets_product = call.attributes.flag(kResetsProduct);
  const RecurrentProduct heard{.matrix = kRecurrentWeights,
                               .count = width,
                               .x = part.x(call),
                               .y = gates,
                               .y_stride = width};
  part.multiply(call, heard, scratch);
  const RecurrentProduct remembered{.matrix = kRecurrence,
                                    .count = 2 * hidden,
                                    .x = h,
                                    .y = gates,
                                    .y_stride = width,
                                    .epilogue = Epilogue::accumulate};
  part.multiply(call, remembered, scratch);
  for (size_t b = 0; b < part.batch; ++b) {
    float* row = gates + b * width;
    call.kernels.sigmoid(2 * hidden, row, row);
    for (size_t i = 0; !resets_product && i < hidden; ++i) {
      products[b * hidden + i] = row[hidden + i] * h[b * hidden + i];
    }
  }
  RecurrentProduct hidden_gate{.matrix = kRecurrence, .first = 2 * hidden, .count = hidden};
  if (resets_product) {
    hidden_gate.x = h;
    hidden_gate.y = products;
    hidden_gate.y_stride = hidden;
  } else {
    hidden_gate.x = products;
    hidden_gate.y = gates + 2 * hidden;
    hidden_gate.y_stride = width;
    hidden_gate.epilogue = Epilogue::accumulate;
  }
  part.multiply(call, hidden_gate, scratch);
  for (size_t b = 0; b < part.batch; ++b, gates += width, products += hidden, h += hidden) {
    const float* update = gates;
    const float* reset = gates + hidden;
    float* next = gates + 2 * hidden;
    for (size_t i = 0; resets_product && i < hidden; ++i) next[i] += reset[i] * products[i];
    call.kernels.tanh(hidden, next, next);
    for (size_t i = 0; i < hidden; ++i) h[i] = (1 - update[i]) * next[i] + update[i] * h[i];
  }
}

Status run_gru(const Call& call, size_t begin, size_t end) {
  return run_recurrent(call, kGates, kStates, begin, end, step_gru);
}

constexpr AttributeSpec kAttributes[] = {kDirectionAttribute,
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
