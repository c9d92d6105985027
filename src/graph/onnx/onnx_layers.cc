// ONNX's normalizations, indexing, GRU and quantised operators in terms of the graph's own.
#include "graph/onnx/onnx_layers.h"

namespace susurrus::onnx {
namespace {

/// Names as many outputs as the node has, from `first` on.
Status set(OnnxTranslation& to, Result<ValueId> first, size_t count = 1) {
  if (!first) return first.error();
  for (size_t i = 0; i < count; ++i) to.set_output(i, *first + static_cast<ValueId>(i));
  return ok_status();
}

Result<int64_t> one_integer(const OnnxTranslation& to, size_t input, std::string_view what) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> values, to.constant_integers(input));
  if (values.size() != 1) return to.wrong(what, "one number that is constant");
  return values[0];
}

}  // namespace

Status batch_norm(OnnxTranslation& to) {
  if (to.integer("training_mode", 0) != 0) return to.wrong("training_mode", "0");
  if (to.node().outputs.size() > 1) return to.wrong("outputs", "the normalised values alone");
  return set(to,
             to.add("batch_norm", {to.input(0), to.input(3), to.input(4), to.input(1), to.input(2)},
                    {{"epsilon", to.number("epsilon", static_cast<double>(1e-5F))}}));
}

Status instance_norm(OnnxTranslation& to) {
  return set(to, to.add("instance_norm", {to.input(0), to.input(1), to.input(2)},
                        {{"epsilon", to.number("epsilon", static_cast<double>(1e-5F))}}));
}

Status gru(OnnxTranslation& to) {
  const std::string_view direction = to.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return to.wrong("direction", "forward, reverse or bidirectional");
  }
  for (std::string_view name : {"activations", "clip"}) {
    if (to.attribute(name) != nullptr) return to.wrong(name, "what it usually is");
  }
  if (to.integer("layout", 0) != 0) return to.wrong("layout", "0");
  if (to.has_input(4)) return to.wrong("sequence_lens", "sequences of one length");
  const int64_t number = direction == "forward" ? 0 : (direction == "reverse" ? 1 : 2);
  return set(
      to,
      to.add("gru", {to.input(0), to.input(1), to.input(2), to.input(3), to.input(5)},
             {{"direction", number}, {"resets_product", to.integer("linear_before_reset", 0)}}, 2),
      2);
}

Status gelu(OnnxTranslation& to) {
  const std::string_view approximate = to.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return to.wrong("approximate", "none or tanh");
  return set(to,
             to.add("gelu", {to.input(0)}, {{"is_approximate", int64_t{approximate == "tanh"}}}));
}

Status gather_nd(OnnxTranslation& to) {
  if (to.integer("batch_dims", 0) != 0) return to.wrong("batch_dims", "0");
  return set(to, to.add("gather_nd", {to.input(0), to.input(1)}));
}

Status scatter_nd(OnnxTranslation& to) {
  if (to.text("reduction", "none") != "none") return to.wrong("reduction", "none");
  return set(to, to.add("scatter_nd", {to.input(0), to.input(1), to.input(2)}));
}

/// How many is an attribute before version 10, an input since.
Status top(OnnxTranslation& to) {
  int64_t count = to.integer("k", 0);
  if (to.has_input(1)) {
    SUSURRUS_ASSIGN_OR_RETURN(count, one_integer(to, 1, "K"));
  }
  return set(to,
             to.add("top", {to.input(0)},
                    {{"axis", to.integer("axis", -1)},
                     {"largest", to.integer("largest", 1)},
                     {"count", count}},
                    2),
             2);
}

Status running_sum(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t axis, one_integer(to, 1, "axis"));
  return set(to, to.add("running_sum", {to.input(0)},
                        {{"axis", axis},
                         {"exclusive", to.integer("exclusive", 0)},
                         {"reverse", to.integer("reverse", 0)}}));
}

Status one_hot(OnnxTranslation& to) {
  return set(to, to.add("one_hot", {to.input(0), to.input(1), to.input(2)},
                        {{"axis", to.integer("axis", -1)}}));
}

Status tile(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> repeats, to.constant_integers(1));
  return set(to, to.add("tile", {to.input(0)}, {{"repeats", std::move(repeats)}}));
}

Status quantize(OnnxTranslation& to) {
  if (to.integer("block_size", 0) != 0) return to.wrong("block_size", "0");
  return set(to, to.add("quantize", {to.input(0), to.input(1), to.input(2)},
                        {{"axis", to.integer("axis", 1)}}));
}

Status dequantize(OnnxTranslation& to) {
  if (to.integer("block_size", 0) != 0) return to.wrong("block_size", "0");
  return set(to, to.add("dequantize", {to.input(0), to.input(1), to.input(2)},
                        {{"axis", to.integer("axis", 1)}}));
}

/// Sums of bytes without their zero points, as i32.
Status matmul_integer(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId a,
                            to.add("centre", {to.input(0), to.input(2)}, {{"axis", int64_t{-2}}}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId b,
                            to.add("centre", {to.input(1), to.input(3)}, {{"axis", int64_t{-1}}}));
  return set(to, to.add("matmul", {a, b}));
}

}  // namespace susurrus::onnx
