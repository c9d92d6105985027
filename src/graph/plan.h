#pragma once
#include <string>
#include <vector>

#include "graph/graph.h"

namespace susurrus {

/// The place of a value while a graph runs.
struct ValuePlace {
  enum class Kind : uint8_t { unused, input, constant, folded, buffer };
  Kind kind = Kind::unused;
  /// An input's number, a constant's index, a folded value's index in Plan::folded, or a buffer's
  /// offset.
  uint64_t where = 0;
  ElementType type = ElementType::f32;
  Shape shape;
};

/// One node's work with everything decided: what is left is to calculate.
struct PlanStep {
  uint32_t node = 0;
  Work work;
};

/// How a graph runs on inputs of given shapes.
struct Plan {
  std::vector<Shape> input_shapes;
  std::vector<ValuePlace> places;   // of each value of the graph
  std::vector<PlanStep> steps;      // in order
  std::vector<OwnedTensor> folded;  // what followed from constants and shapes alone
  uint64_t buffer_byte_count =
      0;  // activations, laid over each other as far as they do not live together
  uint64_t scratch_byte_count = 0;  // of the step that needs most
  uint64_t state_byte_count = 0;
  uint64_t cost = 0;  // in multiplications

  /// Memory for a run beside constants and inputs.
  uint64_t run_byte_count() const {
    return buffer_byte_count + align_up(scratch_byte_count, kBufferAlignment) +
           align_up(state_byte_count, kBufferAlignment);
  }
};

/// Works out what the outputs need. Errors name the node: shapes that do not fit, sizes beyond the limits, out_of_memory.
Result<Plan> make_plan(const Graph& graph, std::span<const Shape> input_shapes);

}  // namespace susurrus
