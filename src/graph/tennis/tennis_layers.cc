// TenniS's linear layers, normalizations, reductions and LSTM.
#include <cmath>

#include "graph/tennis/tennis_translation.h"

namespace susurrus {
namespace {

using To = TennisTranslation;

/// x op values, along a dimension.
Result<ValueId> with_channels(To& to, std::string_view op, ValueId x, size_t argument,
                              uint32_t axis) {
  SUSURRUS_ASSIGN_OR_RETURN(ValueId values, to.argument(argument));
  SUSURRUS_ASSIGN_OR_RETURN(values, to.along(values, x, axis));
  return to.add(op, {x, values});
}

Status add_bias(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  uint32_t axis = 0;
  if (to.has("dim")) {
    SUSURRUS_ASSIGN_OR_RETURN(axis, to.axis("dim", x));
  } else {
    SUSURRUS_ASSIGN_OR_RETURN(const std::string format, to.text("format"));
    if (format != "NCHW" && format != "NHWC") return to.wrong("format", "NCHW or NHWC");
    axis = format == "NCHW" ? 1 : 3;
    if (axis >= to.shape(x).rank()) return to.wrong("format", "one that the argument has");
  }
  return to.set(with_channels(to, "add", x, 1, axis));
}

Status batch_norm(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  SUSURRUS_ASSIGN_OR_RETURN(const double epsilon, to.number("epsilon", 1e-5));
  std::vector<ValueId> inputs = {x};
  for (size_t i = 1; i < to.argument_count(); ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId own, to.argument(i));
    inputs.push_back(own);
  }
  const Attribute attributes[] = {{"epsilon", epsilon}, {"axis", int64_t{axis}}};
  return to.set(to.add("batch_norm", inputs, attributes, 1));
}

Status batch_scale(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, with_channels(to, "multiply", x, 1, axis));
  return to.set(with_channels(to, "add", y, 2, axis));
}

/// [N, all the rest]
Result<ValueId> rows_of(To& to, ValueId x) {
  if (to.shape(x).rank() == 0) return to.wrong("argument 0", "a dimension at least");
  return to.add("flatten", {x}, {{"axis", int64_t{1}}});
}

Result<ValueId> turned(To& to, ValueId x, bool is_turned) {
  if (!is_turned) return x;
  return to.add("transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}});
}

Status inner_product(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t is_packed, to.integer("kernel_packed", 0));
  if (is_packed != 0) return to.unsupported("kernel_packed", "weights as they were trained");
  SUSURRUS_ASSIGN_OR_RETURN(ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId w, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t is_turned, to.integer("transpose", 0));
  if (to.shape(w).rank() != 2) return to.wrong("argument 1", "2 dimensions");
  SUSURRUS_ASSIGN_OR_RETURN(x, rows_of(to, x));
  SUSURRUS_ASSIGN_OR_RETURN(w, turned(to, w, is_turned != 0));
  return to.set(to.add("matmul", {x, w}));
}

Result<ValueId> scaled(To& to, ValueId x, double factor) {
  if (factor == 1) return x;
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId value, to.scalar(to.type(x), factor));
  return to.add("multiply", {x, value});
}

Status gemm(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(ValueId a, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId b, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId c, to.argument(2));
  SUSURRUS_ASSIGN_OR_RETURN(const double alpha, to.number("alpha", 1));
  SUSURRUS_ASSIGN_OR_RETURN(const double beta, to.number("beta", 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t a_turned, to.integer("transA", 0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t b_turned, to.integer("transB", 0));
  if (to.shape(a).rank() != 2 || to.shape(b).rank() != 2) {
    return to.wrong("arguments", "2 dimensions");
  }
  SUSURRUS_ASSIGN_OR_RETURN(a, turned(to, a, a_turned != 0));
  SUSURRUS_ASSIGN_OR_RETURN(b, turned(to, b, b_turned != 0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId y, to.add("matmul", {a, b}));
  SUSURRUS_ASSIGN_OR_RETURN(y, scaled(to, y, alpha));
  SUSURRUS_ASSIGN_OR_RETURN(c, scaled(to, c, beta));
  return to.set(to.add("add", {y, c}));
}

Status matmul(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId a, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId b, to.argument(1));
  return to.set(to.add("matmul", {a, b}));
}

Status softmax(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  return to.set(to.add("softmax", {x}, {{"axis", int64_t{axis}}}));
}

/// A dimension of size 1 gives 1.
Status l2_norm(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x, -1));
  SUSURRUS_ASSIGN_OR_RETURN(const double epsilon, to.number("epsilon", 1e-10));
  const Shape own = to.shape(x);
  if (own[axis] == 1) {
    const std::vector<int64_t> dims(own.dims().begin(), own.dims().end());
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, to.integer_constant(dims));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId one, to.scalar(to.type(x), 1));
    return to.set(to.add("constant_of_shape", {one, shape}));
  }
  return to.set(to.add("l2_normalise", {x}, {{"axis", int64_t{axis}}, {"epsilon", epsilon}}));
}

/// Each sample less its mean, divided by its deviation; `divisor` says what becomes of that.
template <typename Divisor>
Status normalise_samples(To& to, Divisor&& divisor) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId rows, rows_of(to, x));
  const std::vector<int64_t> last = {1};
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId mean, to.add("reduce_mean", {rows}, {{"axes", last}}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId centred, to.add("subtract", {rows, mean}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId squares, to.add("square", {centred}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId variance,
                            to.add("reduce_mean", {squares}, {{"axes", last}}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId deviation, to.add("sqrt", {variance}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId by, divisor(deviation, to.shape(rows)[1]));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("divide", {centred, by}));
  const Shape own = to.shape(x);
  return to.set(to.reshape(y, own.dims()));
}

Status norm_image(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const double epsilon, to.number("epsilon", 1e-5));
  return normalise_samples(to, [&](ValueId deviation, uint64_t) -> Result<ValueId> {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId value, to.scalar(to.type(deviation), epsilon));
    return to.add("add", {deviation, value});
  });
}

Status prewhiten(To& to) {
  return normalise_samples(to, [&](ValueId deviation, uint64_t count) -> Result<ValueId> {
    const double least = count == 0 ? 1 : 1 / std::sqrt(static_cast<double>(count));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId value, to.scalar(to.type(deviation), least));
    return to.add("maximum", {deviation, value});
  });
}

/// One dimension, or for a mean several that are neighbours in ascending order.
Status reduce(To& to, std::string_view op, bool has_several, std::string_view name) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> axes, to.integers(name));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t keep_dims, to.integer("keep_dims", 1));
  if (axes.empty() || (!has_several && axes.size() != 1)) {
    return to.wrong(name, has_several ? "at least one" : "one");
  }
  const int64_t rank = to.shape(x).rank();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0) axes[i] += rank;
    if (i > 0 && axes[i] != axes[i - 1] + 1) return to.wrong(name, "neighbours, in order");
  }
  return to.set(to.add(op, {x}, {{"axes", std::move(axes)}, {"keep_dims", keep_dims}}));
}

Status reduce_sum(To& to) { return reduce(to, "reduce_sum", false, "dims"); }
Status reduce_mean(To& to) { return reduce(to, "reduce_mean", true, "dims"); }
Status reduce_max(To& to) { return reduce(to, "reduce_max", false, "dim"); }

/// x, w, r, b, and where they have three dimensions the first h and c.
Status lstm(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::string direction, to.text("direction"));
  if (direction != "forward" && direction != "bidirectional") {
    return to.unsupported("direction", "forward or bidirectional");
  }
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t hidden, to.integer("hidden_size"));
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < to.argument_count(); ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId own, to.argument(i));
    inputs.push_back(i >= 4 && to.shape(own).rank() < 3 ? kNoValue : own);
  }
  const Shape recurrence = to.shape(inputs[2]);
  if (recurrence.rank() != 3 || static_cast<int64_t>(recurrence[2]) != hidden) {
    return to.wrong("hidden_size", "that of the weights");
  }
  const Attribute attribute{"direction", int64_t{direction == "forward" ? 0 : 2}};
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId first, to.add("lstm", inputs, {&attribute, 1}, 3));
  return to.set_packed({first, first + 1, first + 2});
}

/// Rounded, halves away from zero, and cut to INT8.
Status quantize(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId scale, to.constant("quantize_scale"));
  SUSURRUS_ASSIGN_OR_RETURN(scale, to.cast(scale, to.type(x)));
  if (to.shape(scale).element_count() == 1) {
    SUSURRUS_ASSIGN_OR_RETURN(scale, to.reshape(scale, {}));
  } else {
    if (to.shape(x).rank() < 2) return to.wrong("quantize_scale", "one scale");
    SUSURRUS_ASSIGN_OR_RETURN(scale, to.along(scale, x, 1));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.add("multiply", {x, scale}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId sign, to.add("sign", {y}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId half, to.scalar(to.type(x), 0.5));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId halves, to.add("multiply", {sign, half}));
  // The cast cuts towards zero, at the ends of the range too.
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId moved, to.add("add", {y, halves}));
  return to.set(to.cast(moved, ElementType::i8));
}

constexpr TennisOperator kOperators[] = {
    {"add_bias", 2, 2, add_bias},
    {"batch_norm", 3, 3, batch_norm},
    {"batch_scale", 3, 3, batch_scale},
    {"fused_batch_norm", 5, 5, batch_norm},
    {"inner_prod", 2, 2, inner_product},
    {"gemm", 3, 3, gemm},
    {"matmul", 2, 2, matmul},
    {"softmax", 1, 1, softmax},
    {"l2_norm", 1, 1, l2_norm},
    {"norm_image", 1, 1, norm_image},
    {"prewhiten", 1, 1, prewhiten},
    {"reduce_sum", 1, 1, reduce_sum},
    {"reduce_mean", 1, 1, reduce_mean},
    {"max", 1, 1, reduce_max},
    {"LSTM", 4, 6, lstm},
    {"quantize", 1, 1, quantize},
};

}  // namespace

std::span<const TennisOperator> tennis_layer_operators() { return kOperators; }

}  // namespace susurrus
