#pragma once
#include <cstdint>
#include <span>

#include "graph/operator.h"

namespace susurrus {

/// Limits what is worked out once, while a graph is built or planned, so that no file makes that take long or fills memory.
/// What is beyond it is done in each run, in steps that can be stopped.
class FoldingBudget {
 public:
  /// Bytes of results; multiplications.
  constexpr FoldingBudget(uint64_t byte_count, uint64_t cost)
      : bytes_left_(byte_count), cost_left_(cost) {}

  /// Takes a node off, unless it is too much. Sizes are checked before.
  bool take(std::span<const Inference::Output> outputs, const Work& work) {
    uint64_t byte_count = 0;
    for (const Inference::Output& output : outputs) {
      byte_count += *output.shape.element_count() * element_byte_count(output.type);
    }
    if (byte_count > bytes_left_ || work.cost > cost_left_) return false;
    bytes_left_ -= byte_count;
    cost_left_ -= work.cost;
    return true;
  }

 private:
  uint64_t bytes_left_;
  uint64_t cost_left_;
};

}  // namespace susurrus
