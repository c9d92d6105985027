#include "graph/operator.h"

#include <algorithm>
#include <charconv>

namespace susurrus {
namespace {

/// More elements than any memory here has.
constexpr uint64_t kMostBytes = uint64_t{1} << 32;

void append_number(FixedString<120>& text, uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append({digits, static_cast<size_t>(end - digits)});
}

}  // namespace

const Operator* find_operator(std::string_view name) {
  for (std::span<const Operator> list : operator_lists()) {
    for (const Operator& op : list) {
      if (op.name == name) return &op;
    }
  }
  return nullptr;
}

Result<std::vector<OwnedTensor>> run_once(const Operator& op, std::span<const Operand> inputs,
                                          const Attributes& attributes, size_t output_count) {
  std::vector<Inference::Output> outputs(output_count);
  Inference inference{inputs, attributes, outputs, {}};
  SUSURRUS_RETURN_IF_ERROR(op.infer(inference));
  const Work& work = inference.work;
  SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer scratch,
                            AlignedBuffer::allocate(work.scratch_byte_count, "scratch"));
  SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer state,
                            AlignedBuffer::allocate(work.state_byte_count, "state"));
  std::vector<Tensor> tensors;
  for (const Operand& input : inputs) {
    tensors.push_back({input.type, input.shape, const_cast<void*>(input.constant), input.packed});
  }
  std::vector<OwnedTensor> results;
  for (const Inference::Output& output : outputs) {
    SUSURRUS_RETURN_IF_ERROR(check_size(output.type, output.shape));
    SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                              OwnedTensor::allocate(output.type, output.shape, "constants"));
    tensors.push_back(tensor.view());
    results.push_back(std::move(tensor));
  }
  const std::span<const Tensor> all = tensors;
  const Call call{all.first(inputs.size()),
                  all.subspan(inputs.size()),
                  attributes,
                  scratch.bytes(),
                  state.bytes(),
                  default_kernels()};
  SUSURRUS_RETURN_IF_ERROR(op.run(call, 0, work.items));
  return results;
}

Error wrong_input(size_t input, std::string_view expected, std::string_view got) {
  FixedString<120> subject;
  subject.append("input ");
  append_number(subject, input);
  return make_error(ErrorCode::shape_mismatch, ErrorReason::bad_shape)
      .with_subject(subject.view())
      .with_expected(expected)
      .with_got(got);
}

Error wrong_attribute(std::string_view name, std::string_view expected) {
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
      .with_subject(name)
      .with_expected(expected);
}

FixedString<120> shape_text(const Shape& shape) {
  FixedString<120> text;
  if (shape.rank() == 0) text.append("a scalar");
  for (uint32_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text.append("×");
    append_number(text, shape[i]);
  }
  return text;
}

Result<uint32_t> axis_of(int64_t axis, size_t rank, std::string_view attribute) {
  const auto dims = static_cast<int64_t>(rank);
  if (axis < -dims || axis >= dims) return wrong_attribute(attribute, "an axis of the input");
  return static_cast<uint32_t>(axis < 0 ? axis + dims : axis);
}

Result<Shape> broadcast_shape(std::span<const Operand> inputs) {
  uint32_t rank = 0;
  for (const Operand& input : inputs) rank = std::max(rank, input.shape.rank());
  Shape shape;
  for (uint32_t i = 0; i < rank; ++i) {
    uint64_t dim = 1;
    for (size_t input = 0; input < inputs.size(); ++input) {
      const Shape& own = inputs[input].shape;
      if (i + own.rank() < rank) continue;
      const uint64_t other = own[i + own.rank() - rank];
      if (other == dim || other == 1) continue;
      if (dim != 1) {
        return wrong_input(input, "dimensions that are equal, or 1", shape_text(own).view());
      }
      dim = other;
    }
    shape.append(dim);
  }
  return shape;
}

Status check_size(ElementType type, const Shape& shape, std::string_view subject) {
  const auto count = shape.element_count();
  const auto bytes = count ? checked_multiply(*count, element_byte_count(type)) : std::nullopt;
  if (bytes && *bytes <= kMostBytes) return ok_status();
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .with_subject(subject)
      .with_expected("at most 4 GiB")
      .with_got(shape_text(shape).view());
}

}  // namespace susurrus
