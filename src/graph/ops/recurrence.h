#pragma once
#include "graph/ops/elements.h"
#include "graph/ops/products.h"

namespace susurrus {

// What LSTM and GRU share: x [steps, batch, in], weights [directions, gates x hidden, in], recurrence [directions,
// gates x hidden, hidden], bias [directions, 2 x gates x hidden], then the first states [directions, batch, hidden].
// Outputs: what is remembered at each step, then the last states.

enum RecurrentInput : size_t {
  kRecurrentX,
  kRecurrentWeights,
  kRecurrence,
  kRecurrentBias,
  kFirstState
};
enum RecurrentOutput : size_t { kEveryStep, kLastState };

/// Attribute 0 of every such operator.
inline constexpr AttributeSpec kDirectionAttribute = {"direction", AttributeKind::integer};

/// Sizes, and which of `directions` is meant.
struct RecurrentPart {
  size_t gates = 0;
  size_t steps = 0;
  size_t batch = 0;
  size_t in = 0;
  size_t hidden = 0;
  size_t directions = 1;
  size_t direction = 0;
  /// Where this step stands in x.
  size_t t = 0;

  size_t width() const { return gates * hidden; }
  /// State `index` of the direction, [batch, hidden]: its last value is where it lives all the time.
  float* state(const Call& call, size_t index) const;
  /// x of this step, [batch, in].
  const float* x(const Call& call) const;
  /// Rows [first, first + count) of the direction's part of `matrix`.
  TensorView rows(const Call& call, RecurrentInput matrix, size_t first, size_t count) const;
  /// The biases of `matrix`, or nullptr.
  const float* bias(const Call& call, RecurrentInput matrix) const;
};

/// Shapes, types and work of an operator with `gates` and `states`; `step_floats` are what a step keeps besides products.
Status infer_recurrent(Inference& inference, size_t gates, size_t states, uint64_t step_floats);

/// Memory of a step for `floats`, in whole lines of the cache.
size_t step_byte_count(size_t floats);

/// Does `step` for the items [begin, end), each a step of one direction. States begin with what was given, or with zeros.
Status run_recurrent(const Call& call, size_t gates, size_t states, size_t begin, size_t end,
                     void (*step)(const Call& call, const RecurrentPart& part));

}  // namespace susurrus
