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

/// A matrix times one row of x for each sequence, plus the matrix's biases: into `y`, or onto what is there.
struct RecurrentProduct {
  RecurrentInput matrix;
  /// Rows of the matrix: [first, first + count).
  size_t first = 0;
  size_t count = 0;
  const float* x = nullptr;
  float* y = nullptr;
  size_t y_stride = 0;
  Epilogue epilogue = Epilogue::store;
};

/// Sizes, and which of `directions` is meant.
struct RecurrentPart {
  size_t gates = 0;
  size_t steps = 0;
  size_t batch = 0;
  size_t in = 0;
  size_t hidden = 0;
  size_t directions = 1;
  size_t direction = 0;
  /// The index of this step in x.
  size_t t = 0;

  size_t width() const { return gates * hidden; }
  /// State `index` of the direction, [batch, hidden]: its last value is where it lives all the time.
  float* state(const Call& call, size_t index) const;
  /// x of this step, [batch, in].
  const float* x(const Call& call) const;
  void multiply(const Call& call, const RecurrentProduct& product,
                std::span<uint8_t> scratch) const;
};

/// Shapes, types and work of an operator with `gates` and `states`; `step_floats` are what a step
/// keeps apart from products.
Status infer_recurrent(Inference& inference, size_t gates, size_t states, uint64_t step_floats);

/// Memory of a step for `floats`, in whole lines of the cache.
size_t step_byte_count(size_t floats);

/// Does `step` for the items [begin, end), each a step of one direction. States begin with what was given, or with zeros.
Status run_recurrent(const Call& call, size_t gates, size_t states, size_t begin, size_t end,
                     void (*step)(const Call& call, const RecurrentPart& part));

}  // namespace susurrus
