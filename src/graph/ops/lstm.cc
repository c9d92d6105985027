// LSTM as ONNX defines it: gates in the order input, output, forget, cell.
#include "graph/ops/lists.h"
#include "graph/ops/recurrence.h"

namespace susurrus {
namespace {

constexpr size_t kGates = 4;
constexpr size_t kStates = 2;

Status infer_lstm(Inference& inference) {
  const Shape& x = inference.inputs[kRecurrentX].shape;
  const Shape& recurrence = inference.inputs[kRecurrence].shape;
  const bool is_known = x.rank() == 3 && recurrence.rank() == 3;
  return infer_recurrent(inference, kGates, kStates, is_known ? x[1] * kGates * recurrence[2] : 0);
}

void step_lstm(const Call& call, const RecurrentPart& part) {
  const size_t hidden = part.hidden;
  const size_t width = part.width();
  auto* gates = reinterpret_cast<float*>(call.scratch.data());
  const auto scratch = call.scratch.subspan(step_byte_count(part.batch * width));
  float* h = part.state(call, 0);
  float* c = part.state(call, 1);
  const RecurrentProduct heard{.matrix = kRecurrentWeights,
                               .count = width,
                               .x = part.x(call),
                               .y = gates,
                               .y_stride = width};
  part.multiply(call, heard, scratch);
  const RecurrentProduct remembered{.matrix = kRecurrence,
                                    .count = width,
                                    .x = h,
                                    .y = gates,
                                    .y_stride = width,
                                    .epilogue = Epilogue::accumulate};
  part.multiply(call, remembered, scratch);
  for (size_t b = 0; b < part.batch; ++b, gates += width, h += hidden, c += hidden) {
    const float* input = gates;
    const float* output = gates + hidden;
    const float* forget = gates + 2 * hidden;
    float* cell = gates + 3 * hidden;
    call.kernels.sigmoid(3 * hidden, gates, gates);
    call.kernels.tanh(hidden, cell, cell);
    for (size_t i = 0; i < hidden; ++i) c[i] = forget[i] * c[i] + input[i] * cell[i];
    call.kernels.tanh(hidden, c, cell);
    for (size_t i = 0; i < hidden; ++i) h[i] = output[i] * cell[i];
  }
}

Status run_lstm(const Call& call, size_t begin, size_t end) {
  return run_recurrent(call, kGates, kStates, begin, end, step_lstm);
}

constexpr AttributeSpec kAttributes[] = {kDirectionAttribute};

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

std::span<const Operator> lstm_operators() { return kOperators; }

}  // namespace susurrus
