#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/attributes.h"
#include "graph/tensor.h"
#include "kernels/kernel_table.h"

namespace susurrus {

/// What is known of an input before the graph runs.
struct Operand {
  ElementType type = ElementType::f32;
  Shape shape;
  /// Its elements, where they are known already: a weight, a folded value; else null.
  const void* constant = nullptr;
  /// Not left out by the node.
  bool is_present = true;
  /// Its blocks, if it is a constant that is packed; its elements are then not known.
  const TensorView* packed = nullptr;

  template <typename T>
  std::span<const T> values() const {
    return {static_cast<const T*>(constant), static_cast<size_t>(*shape.element_count())};
  }
};

/// Work that can be done in parts: items in order, each part after the one before.
struct Work {
  size_t items = 1;
  /// The cost of all items, in multiplications or operations that take as long.
  uint64_t cost = 0;
  /// Memory for the time of a part, 64-byte aligned; its contents are lost between parts.
  size_t scratch_byte_count = 0;
  /// Memory that lives from the first part to the last one.
  size_t state_byte_count = 0;
};

/// What a shape rule is given, and what it returns.
struct Inference {
  std::span<const Operand> inputs;
  const Attributes& attributes;
  /// One for each output that the node has; type f32 and no shape at first.
  struct Output {
    ElementType type = ElementType::f32;
    Shape shape;
  };
  std::span<Output> outputs;
  Work work;

  bool has(size_t input) const { return input < inputs.size() && inputs[input].is_present; }
};

/// What a kernel is given: the tensors of its inputs (empty where left out) and outputs.
struct Call {
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
  const Attributes& attributes;
  std::span<uint8_t> scratch;
  std::span<uint8_t> state;
  const KernelTable& kernels;

  bool has(size_t input) const { return input < inputs.size() && !inputs[input].empty(); }
};

/// How an operator's output may lie where an input lies.
enum class Sharing : uint8_t {
  none,
  /// Element i of the output depends on element i of the first input alone: it may be written over it, if it is as large.
  in_place,
  /// The output is the first input with another shape.
  view,
};

/// A primitive operation of graphs. Front ends translate their files' operators into these.
struct Operator {
  std::string_view name;
  uint8_t least_inputs = 1;
  uint8_t most_inputs = 1;
  uint8_t least_outputs = 1;
  uint8_t most_outputs = 1;
  Sharing sharing = Sharing::none;
  /// Its outputs follow from the shapes of the inputs, whatever their elements.
  bool reads_shapes_alone = false;
  /// Bit i: input i may be a packed constant.
  uint8_t packed_inputs = 0;
  std::span<const AttributeSpec> attributes = {};
  /// Types and shapes of the outputs, and how much work it is. Errors have what is wrong as their subject: an attribute, "input 1".
  Status (*infer)(Inference&) = nullptr;
  /// Items [begin, end) of the work. Fails only for values that make no sense: an index out of range.
  Status (*run)(const Call& call, size_t begin, size_t end) = nullptr;
};

/// Without end: as many inputs as the node has.
inline constexpr uint8_t kAnyNumber = 255;

/// Null if no operator has that name.
const Operator* find_operator(std::string_view name);
/// All, one list for each file of graph/ops.
std::span<const std::span<const Operator>> operator_lists();

/// Infers and runs at once, on operands whose elements are known.
Result<std::vector<OwnedTensor>> run_once(const Operator& op, std::span<const Operand> inputs,
                                          const Attributes& attributes, size_t output_count);

// Helpers of shape rules.

/// shape_mismatch about an input, numbered from 0.
Error wrong_input(size_t input, std::string_view expected, std::string_view got = {});
/// malformed, about an attribute.
Error wrong_attribute(std::string_view name, std::string_view expected);
/// "2×3×4"
FixedString<120> shape_text(const Shape& shape);
/// From the end where negative; wrong_attribute where it is out of range.
Result<uint32_t> axis_of(int64_t axis, size_t rank, std::string_view attribute);
/// numpy's: ranks filled with leading ones, dimensions equal or 1. shape_mismatch names the input that does not fit.
Result<Shape> broadcast_shape(std::span<const Operand> inputs);
/// limit_exceeded where elements or bytes cannot be counted, or are beyond the memory there may be.
Status check_size(ElementType type, const Shape& shape, std::string_view subject = "output");

}  // namespace susurrus
