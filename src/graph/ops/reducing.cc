// Many elements in, one out. Sums of floats are made in double.
#include <array>
#include <cmath>
#include <limits>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

/// Which elements go into an element of the output: those at `base` of it plus every place of `inner`.
struct Reduction {
  Shape kept;     // dimensions that stay, reduced ones as 1
  Shape reduced;  // dimensions that go
  Strides kept_steps;
  Strides reduced_steps;
  Shape shape;  // of the output
};

enum ReductionAttribute : size_t { kAxes, kKeepDims };

/// Without axes: all.
Result<Reduction> reduction_of(const Shape& x, std::span<const int64_t> axes, bool keep_dims) {
  std::array<bool, limits::kMaxDims> is_reduced;
  is_reduced.fill(axes.empty());
  for (int64_t axis : axes) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t at, axis_of(axis, x.rank(), "axes"));
    if (is_reduced[at]) return wrong_attribute("axes", "each axis once");
    is_reduced[at] = true;
  }
  const Strides own = Strides::of(x);
  Reduction reduction;
  for (uint32_t i = 0; i < x.rank(); ++i) {
    if (is_reduced[i]) {
      reduction.reduced_steps.steps[reduction.reduced.rank()] = own.steps[i];
      reduction.reduced.append(x[i]);
      if (keep_dims) reduction.shape.append(1);
    } else {
      reduction.kept_steps.steps[reduction.kept.rank()] = own.steps[i];
      reduction.kept.append(x[i]);
      reduction.shape.append(x[i]);
    }
  }
  return reduction;
}

size_t place_of(const Shape& shape, const Strides& strides, size_t index) {
  size_t place = 0;
  for (uint32_t i = shape.rank(); i-- > 0;) {
    const auto dim = static_cast<size_t>(shape[i]);
    place += index % dim * static_cast<size_t>(strides.steps[i]);
    index /= dim;
  }
  return place;
}

Status infer_reduction(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type == ElementType::boolean) return wrong_input(0, "numbers", "bool");
  SUSURRUS_ASSIGN_OR_RETURN(const Reduction reduction,
                            reduction_of(x.shape, inference.attributes.integers(kAxes),
                                         inference.attributes.flag(kKeepDims)));
  inference.outputs[0] = {x.type, reduction.shape};
  inference.work = {static_cast<size_t>(*reduction.kept.element_count()),
                    2 * *x.shape.element_count()};
  return ok_status();
}

/// Visits the reduced elements of output element `at` as numbers of a wide type: visit(numbers, step, count), in their order.
template <typename Visit>
void for_each_wide_row(const Reduction& reduction, const Tensor& x, size_t at, Visit&& visit) {
  const size_t base = place_of(reduction.kept, reduction.kept_steps, at);
  const auto count = static_cast<size_t>(*reduction.reduced.element_count());
  const uint32_t rank = reduction.reduced.rank();
  const size_t step = rank == 0 ? 0 : static_cast<size_t>(reduction.reduced_steps.steps[rank - 1]);
  const bool is_wide = wide_type(x.type) == x.type;
  for_each_row<1>(reduction.reduced, {reduction.reduced_steps}, 0, count,
                  [&](size_t, size_t row, const std::array<size_t, 1>& places) {
                    const size_t first = base + places[0];
                    if (is_wide) {
                      visit(
                          static_cast<const uint8_t*>(x.data) + first * element_byte_count(x.type),
                          step, row);
                      return;
                    }
                    for (size_t done = 0; done < row; done += kWideBlock) {
                      WideBlock block;
                      const size_t some = std::min(row - done, kWideBlock);
                      widen(x.type, x.data, first + done * step, step, some, block.bytes);
                      visit(block.bytes, size_t{1}, some);
                    }
                  });
}

enum class Fold : uint8_t { sum, product, squares, magnitudes };
/// What becomes of a fold in the end.
enum class Finish : uint8_t { as_it_is, mean, root };

/// `folded` with `count` more numbers: doubles, or integers that wrap.
template <typename T, typename S>
S fold_row(Fold fold, const void* numbers, size_t step, size_t count, S folded) {
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<S>(static_cast<const T*>(numbers)[i * step]);
    switch (fold) {
      case Fold::sum: folded += value; break;
      case Fold::product: folded *= value; break;
      case Fold::squares: folded += value * value; break;
      case Fold::magnitudes:
        if constexpr (std::is_integral_v<S>) {
          folded += static_cast<int64_t>(value) < 0 ? 0 - value : value;
        } else {
          folded += value < 0 ? -value : value;
        }
    }
  }
  return folded;
}

int64_t finished(Finish finish, int64_t folded, size_t count) {
  if (finish == Finish::mean) return count == 0 ? 0 : folded / static_cast<int64_t>(count);
  if (finish == Finish::root) return static_cast<int64_t>(std::sqrt(static_cast<double>(folded)));
  return folded;
}
double finished(Finish finish, double folded, size_t count) {
  if (finish == Finish::mean) return folded / static_cast<double>(count);
  return finish == Finish::root ? std::sqrt(folded) : folded;
}

Status fold(const Call& call, size_t begin, size_t end, Fold fold, Finish finish) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(
      const Reduction reduction,
      reduction_of(x.shape, call.attributes.integers(kAxes), call.attributes.flag(kKeepDims)));
  const auto count = static_cast<size_t>(*reduction.reduced.element_count());
  const ElementType wide = wide_type(x.type);
  void* y = call.outputs[0].data;
  for (size_t i = begin; i < end; ++i) {
    double sum = fold == Fold::product ? 1 : 0;
    uint64_t whole = fold == Fold::product ? 1 : 0;
    for_each_wide_row(reduction, x, i, [&](const void* numbers, size_t step, size_t some) {
      if (wide == ElementType::f32) {
        sum = fold_row<float>(fold, numbers, step, some, sum);
      } else if (wide == ElementType::f64) {
        sum = fold_row<double>(fold, numbers, step, some, sum);
      } else {
        whole = fold_row<uint64_t>(fold, numbers, step, some, whole);
      }
    });
    if (!is_float(x.type)) {
      const int64_t result = finished(finish, static_cast<int64_t>(whole), count);
      narrow(x.type, &result, 1, y, i);
      continue;
    }
    store_number(x.type, finished(finish, sum, count), y, i);
  }
  return ok_status();
}

template <Fold kFold, Finish kFinish = Finish::as_it_is>
Status run_fold(const Call& call, size_t begin, size_t end) {
  return fold(call, begin, end, kFold, kFinish);
}

/// The least number of a type, or the greatest.
template <typename T>
T limit_of(ElementType type, bool is_greatest) {
  if constexpr (std::is_floating_point_v<T>) {
    return is_greatest ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
  } else {
    const size_t unused_bits = 8 * (sizeof(T) - element_byte_count(type));
    using Limits = std::numeric_limits<T>;
    return static_cast<T>((is_greatest ? Limits::max() : Limits::min()) >> unused_bits);
  }
}

/// The greatest, or the least; NaN wins. Of nothing: the least, or greatest, that the type has.
Status find_extreme(const Call& call, size_t begin, size_t end, bool wants_greatest) {
  const Tensor& x = call.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(
      const Reduction reduction,
      reduction_of(x.shape, call.attributes.integers(kAxes), call.attributes.flag(kKeepDims)));
  with_wide_type(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = begin; i < end; ++i) {
      T best = limit_of<T>(x.type, !wants_greatest);
      for_each_wide_row(reduction, x, i, [&](const void* numbers, size_t step, size_t count) {
        for (size_t k = 0; k < count; ++k) {
          const T value = static_cast<const T*>(numbers)[k * step];
          if (best == best && (wants_greatest ? !(value <= best) : !(value >= best))) best = value;
        }
      });
      narrow(x.type, &best, 1, call.outputs[0].data, i);
    }
  });
  return ok_status();
}

template <bool WantsGreatest>
Status run_extreme(const Call& call, size_t begin, size_t end) {
  return find_extreme(call, begin, end, WantsGreatest);
}

// argmax and argmin: the first of several, or the last one.

enum ArgAttribute : size_t { kArgAxis, kArgKeepDims, kSelectLast };

Status infer_arg(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const std::array axes = {inference.attributes.integer(kArgAxis)};
  SUSURRUS_ASSIGN_OR_RETURN(const Reduction reduction,
                            reduction_of(x.shape, axes, inference.attributes.flag(kArgKeepDims)));
  if (reduction.reduced[0] == 0) return wrong_input(0, "an element at least");
  inference.outputs[0] = {ElementType::i64, reduction.shape};
  inference.work = {static_cast<size_t>(*reduction.kept.element_count()), *x.shape.element_count()};
  return ok_status();
}

Status find_arg(const Call& call, size_t begin, size_t end, bool wants_greatest) {
  const Tensor& x = call.inputs[0];
  const std::array axes = {call.attributes.integer(kArgAxis)};
  SUSURRUS_ASSIGN_OR_RETURN(const Reduction reduction,
                            reduction_of(x.shape, axes, call.attributes.flag(kArgKeepDims)));
  const bool takes_last = call.attributes.flag(kSelectLast);
  with_wide_type(x.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = begin; i < end; ++i) {
      int64_t index = 0;
      int64_t best_index = -1;
      T best{};
      for_each_wide_row(reduction, x, i, [&](const void* numbers, size_t step, size_t count) {
        for (size_t k = 0; k < count; ++k) {
          const T value = static_cast<const T*>(numbers)[k * step];
          const bool is_better = wants_greatest ? value > best : value < best;
          if (best_index < 0 || is_better || (takes_last && value == best)) {
            best = value;
            best_index = index;
          }
          ++index;
        }
      });
      static_cast<int64_t*>(call.outputs[0].data)[i] = best_index;
    }
  });
  return ok_status();
}

template <bool WantsGreatest>
Status run_arg(const Call& call, size_t begin, size_t end) {
  return find_arg(call, begin, end, WantsGreatest);
}

constexpr AttributeSpec kReduceAttributes[] = {{"axes", AttributeKind::integers},
                                               {"keep_dims", AttributeKind::integer, false, 1}};
constexpr AttributeSpec kArgAttributes[] = {{"axis", AttributeKind::integer},
                                            {"keep_dims", AttributeKind::integer, false, 1},
                                            {"select_last", AttributeKind::integer}};

constexpr Operator reduction(std::string_view name, decltype(Operator::run) run) {
  return {.name = name, .attributes = kReduceAttributes, .infer = infer_reduction, .run = run};
}

constexpr Operator kOperators[] = {
    reduction("reduce_sum", run_fold<Fold::sum>),
    reduction("reduce_mean", run_fold<Fold::sum, Finish::mean>),
    reduction("reduce_product", run_fold<Fold::product>),
    reduction("reduce_l1", run_fold<Fold::magnitudes>),
    reduction("reduce_l2", run_fold<Fold::squares, Finish::root>),
    reduction("reduce_sum_square", run_fold<Fold::squares>),
    reduction("reduce_max", run_extreme<true>),
    reduction("reduce_min", run_extreme<false>),
    {.name = "argmax", .attributes = kArgAttributes, .infer = infer_arg, .run = run_arg<true>},
    {.name = "argmin", .attributes = kArgAttributes, .infer = infer_arg, .run = run_arg<false>},
};

}  // namespace

std::span<const Operator> reducing_operators() { return kOperators; }

}  // namespace susurrus
