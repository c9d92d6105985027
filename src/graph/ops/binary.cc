// Two elements in, or three, one out, broadcast as numpy does. Operands have one type: front ends cast before.
#include <cmath>
#include <limits>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

Status infer_same(Inference& inference) {
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape, broadcast_shape(inference.inputs));
  for (size_t i = 1; i < inference.inputs.size(); ++i) {
    if (inference.inputs[i].type != inference.inputs[0].type) {
      return wrong_input(i, element_type_name(inference.inputs[0].type),
                         element_type_name(inference.inputs[i].type));
    }
  }
  inference.outputs[0] = {inference.inputs[0].type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(inference.inputs[0].type, shape));
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()));
  return ok_status();
}

/// A function of the C library, which takes as long as many multiplications.
Status infer_slow(Inference& inference) {
  SUSURRUS_RETURN_IF_ERROR(infer_same(inference));
  inference.work.cost *= 16;
  return ok_status();
}

Status infer_comparison(Inference& inference) {
  SUSURRUS_RETURN_IF_ERROR(infer_same(inference));
  inference.outputs[0].type = ElementType::boolean;
  return ok_status();
}

/// y[i] = function(a[i * a_step], b[i * b_step]), i < count
using Loop = void (*)(const void* a, size_t a_step, const void* b, size_t b_step, void* y,
                      size_t count);

template <typename T, typename Y, auto Function>
void loop(const void* a, size_t a_step, const void* b, size_t b_step, void* y, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<Y*>(y)[i] = static_cast<Y>(
        Function(static_cast<const T*>(a)[i * a_step], static_cast<const T*>(b)[i * b_step]));
  }
}

/// By the type of the inputs; the output is of the same type, or truth values.
struct Loops : WideLoops<Loop> {
  bool answers_truth = false;
};

template <auto Function>
constexpr Loops kNumberLoops = {{loop<float, float, Function>, loop<double, double, Function>,
                                 loop<int64_t, int64_t, Function>,
                                 loop<uint64_t, uint64_t, Function>}};
template <auto Function>
constexpr Loops kTruthLoops = {
    {loop<float, uint8_t, Function>, loop<double, uint8_t, Function>,
     loop<int64_t, uint8_t, Function>, loop<uint64_t, uint8_t, Function>},
    true};

/// Elements [begin, end) of the items.
Status combine(const Call& call, size_t begin, size_t end, const Loops& loops) {
  const Tensor& a = call.inputs[0];
  const Tensor& b = call.inputs[1];
  const Tensor& y = call.outputs[0];
  const ElementType wide = wide_type(a.type);
  const Loop loop = loops.of(wide);
  const size_t size = element_byte_count(a.type);
  const size_t y_size = element_byte_count(y.type);
  std::array<size_t, 2> steps = {1, 1};
  const auto run_row = [&](size_t at, size_t count, const std::array<size_t, 2>& places) {
    auto* to = static_cast<uint8_t*>(y.data) + at * y_size;
    if (a.type == wide) {
      loop(static_cast<const uint8_t*>(a.data) + places[0] * size, steps[0],
           static_cast<const uint8_t*>(b.data) + places[1] * size, steps[1], to, count);
      return;
    }
    for (size_t done = 0; done < count;) {
      WideBlock wide_a;
      WideBlock wide_b;
      WideBlock wide_y;
      const size_t some = std::min(count - done, kWideBlock);
      widen(a.type, a.data, places[0] + done * steps[0], steps[0], some, wide_a.bytes);
      widen(a.type, b.data, places[1] + done * steps[1], steps[1], some, wide_b.bytes);
      if (loops.answers_truth) {
        loop(wide_a.bytes, 1, wide_b.bytes, 1, to + done, some);
      } else {
        loop(wide_a.bytes, 1, wide_b.bytes, 1, wide_y.bytes, some);
        narrow(a.type, wide_y.bytes, some, y.data, at + done);
      }
      done += some;
    }
  };
  const auto range = elements_of(y.count(), begin, end);
  if (a.shape == y.shape && b.shape == y.shape) {
    run_row(range.begin, range.end - range.begin, {range.begin, range.begin});
    return ok_status();
  }
  const std::array strides = {Strides::broadcast(a.shape, y.shape),
                              Strides::broadcast(b.shape, y.shape)};
  for (size_t i = 0; i < 2; ++i) {
    steps[i] = static_cast<size_t>(strides[i].steps[std::max(y.shape.rank(), 1U) - 1]);
  }
  for_each_row(y.shape, strides, range.begin, range.end, run_row);
  return ok_status();
}

template <auto Function>
Status run_numbers(const Call& call, size_t begin, size_t end) {
  return combine(call, begin, end, kNumberLoops<Function>);
}

template <auto Function>
Status run_comparison(const Call& call, size_t begin, size_t end) {
  return combine(call, begin, end, kTruthLoops<Function>);
}

// Integers wrap.
template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>;

constexpr auto kAdd = []<typename T>(T a, T b) {
  using W = typename Wide<T>::type;
  return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
};
constexpr auto kSubtract = []<typename T>(T a, T b) {
  using W = typename Wide<T>::type;
  return static_cast<T>(static_cast<W>(a) - static_cast<W>(b));
};
constexpr auto kMultiply = []<typename T>(T a, T b) {
  using W = typename Wide<T>::type;
  return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
};
/// Integers are cut towards zero, and divided by zero give 0.
constexpr auto kDivide = []<typename T>(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return T{0};
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    }
  }
  return static_cast<T>(a / b);
};
/// The remainder with the sign of the dividend, as C has it.
constexpr auto kRemainder = []<typename T>(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return T{0};
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return T{0};
    }
    return static_cast<T>(a % b);
  } else {
    return std::fmod(a, b);
  }
};
/// The remainder with the sign of the divisor, as Python has it.
constexpr auto kModulo = []<typename T>(T a, T b) {
  const T rest = kRemainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
};
/// The nearest integer towards zero that there is; 0 for NaN.
template <typename T>
T cut_to(double value) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<T>(value);
}
constexpr auto kPower = []<typename T>(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(a, b);
  } else {
    return cut_to<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  }
};
/// NaN wins.
constexpr auto kMinimum = []<typename T>(T a, T b) { return b < a || b != b ? b : a; };
constexpr auto kMaximum = []<typename T>(T a, T b) { return a < b || b != b ? b : a; };
/// Slopes for numbers below zero.
constexpr auto kPrelu = []<typename T>(T a, T b) { return a < 0 ? kMultiply(a, b) : a; };
constexpr auto kAnd = []<typename T>(T a, T b) { return static_cast<T>(a != 0 && b != 0); };
constexpr auto kOr = []<typename T>(T a, T b) { return static_cast<T>(a != 0 || b != 0); };
constexpr auto kXor = []<typename T>(T a, T b) { return static_cast<T>((a != 0) != (b != 0)); };

constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };
constexpr auto kLessOrEqual = [](auto a, auto b) { return a <= b; };

Status infer_where(Inference& inference) {
  const auto [condition, yes, no] =
      std::array{inference.inputs[0], inference.inputs[1], inference.inputs[2]};
  if (condition.type != ElementType::boolean) return wrong_input(0, "truth values");
  if (yes.type != no.type) return wrong_input(2, element_type_name(yes.type));
  SUSURRUS_ASSIGN_OR_RETURN(const Shape shape, broadcast_shape(inference.inputs));
  inference.outputs[0] = {yes.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(yes.type, shape));
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()));
  return ok_status();
}

Status run_where(const Call& call, size_t begin, size_t end) {
  const Shape& shape = call.outputs[0].shape;
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  const std::array strides = {Strides::broadcast(call.inputs[0].shape, shape),
                              Strides::broadcast(call.inputs[1].shape, shape),
                              Strides::broadcast(call.inputs[2].shape, shape)};
  const uint32_t last = shape.rank() == 0 ? 0 : shape.rank() - 1;
  const size_t size = element_byte_count(call.outputs[0].type);
  const auto* condition = static_cast<const uint8_t*>(call.inputs[0].data);
  const auto* yes = static_cast<const uint8_t*>(call.inputs[1].data);
  const auto* no = static_cast<const uint8_t*>(call.inputs[2].data);
  auto* y = static_cast<uint8_t*>(call.outputs[0].data);
  for_each_row(shape, strides, range.begin, range.end,
               [&](size_t at, size_t count, const std::array<size_t, 3>& places) {
                 for (size_t i = 0; i < count; ++i) {
                   const auto place = [&](size_t k) {
                     return places[k] + i * static_cast<size_t>(strides[k].steps[last]);
                   };
                   const uint8_t* from =
                       condition[place(0)] != 0 ? yes + size * place(1) : no + size * place(2);
                   std::copy_n(from, size, y + size * (at + i));
                 }
               });
  return ok_status();
}

constexpr Operator binary(std::string_view name, decltype(Operator::run) run,
                          decltype(Operator::infer) infer = infer_same) {
  return {.name = name,
          .least_inputs = 2,
          .most_inputs = 2,
          .sharing = infer == infer_comparison ? Sharing::none : Sharing::in_place,
          .infer = infer,
          .run = run};
}

constexpr Operator kOperators[] = {
    binary("add", run_numbers<kAdd>),
    binary("subtract", run_numbers<kSubtract>),
    binary("multiply", run_numbers<kMultiply>),
    binary("divide", run_numbers<kDivide>),
    binary("remainder", run_numbers<kRemainder>, infer_slow),
    binary("modulo", run_numbers<kModulo>, infer_slow),
    binary("power", run_numbers<kPower>, infer_slow),
    binary("minimum", run_numbers<kMinimum>),
    binary("maximum", run_numbers<kMaximum>),
    binary("prelu", run_numbers<kPrelu>),
    binary("and", run_numbers<kAnd>),
    binary("or", run_numbers<kOr>),
    binary("xor", run_numbers<kXor>),
    binary("equal", run_comparison<kEqual>, infer_comparison),
    binary("less", run_comparison<kLess>, infer_comparison),
    binary("less_or_equal", run_comparison<kLessOrEqual>, infer_comparison),
    {.name = "where", .least_inputs = 3, .most_inputs = 3, .infer = infer_where, .run = run_where},
};

}  // namespace

std::span<const Operator> binary_operators() { return kOperators; }

}  // namespace susurrus
