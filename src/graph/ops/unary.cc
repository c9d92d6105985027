// One element in, one out. References: the functions as the C library has them, in the type of the elements.
#include <cmath>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"

namespace susurrus {
namespace {

Status same_type(Inference& inference) {
  const Operand& x = inference.inputs[0];
  inference.outputs[0] = {x.type, x.shape};
  inference.work = elementwise_work(static_cast<size_t>(*x.shape.element_count()), 4);
  return ok_status();
}

Status float_type(Inference& inference) {
  if (!is_float(inference.inputs[0].type)) {
    return wrong_input(0, "floats", element_type_name(inference.inputs[0].type));
  }
  return same_type(inference);
}

/// A function of the C library, which takes as long as many multiplications.
Status slow_float(Inference& inference) {
  SUSURRUS_RETURN_IF_ERROR(float_type(inference));
  inference.work.cost *= 4;
  return ok_status();
}

/// One that has a kernel for f32.
Status gate_type(Inference& inference) {
  return inference.inputs[0].type == ElementType::f32 ? float_type(inference)
                                                      : slow_float(inference);
}

/// y[i] = function(x[i], attributes), i < count
using Loop = void (*)(const void* x, void* y, size_t count, const Attributes& attributes);

template <typename T, auto Function>
void loop(const void* x, void* y, size_t count, const Attributes& attributes) {
  for (size_t i = 0; i < count; ++i) {
    static_cast<T*>(y)[i] = static_cast<T>(Function(static_cast<const T*>(x)[i], attributes));
  }
}

/// Elements [begin, end) of the items.
Status map(const Call& call, size_t begin, size_t end, const WideLoops<Loop>& loops) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const Loop loop = loops.of(wide_type(x.type));
  const auto range = elements_of(y.count(), begin, end);
  if (x.type == wide_type(x.type)) {
    const size_t first = range.begin * element_byte_count(x.type);
    loop(static_cast<const uint8_t*>(x.data) + first, static_cast<uint8_t*>(y.data) + first,
         range.end - range.begin, call.attributes);
    return ok_status();
  }
  for (size_t at = range.begin; at < range.end; at += kWideBlock) {
    WideBlock wide;
    const size_t count = std::min(range.end - at, kWideBlock);
    widen(x.type, x.data, at, 1, count, wide.bytes);
    loop(wide.bytes, wide.bytes, count, call.attributes);
    narrow(x.type, wide.bytes, count, y.data, at);
  }
  return ok_status();
}

/// Takes floats only.
template <auto Function>
Status run_float(const Call& call, size_t begin, size_t end) {
  static constexpr WideLoops<Loop> kLoops = {loop<float, Function>, loop<double, Function>};
  return map(call, begin, end, kLoops);
}

/// Takes any numbers.
template <auto Function>
Status run_number(const Call& call, size_t begin, size_t end) {
  static constexpr WideLoops<Loop> kLoops = {loop<float, Function>, loop<double, Function>,
                                             loop<int64_t, Function>, loop<uint64_t, Function>};
  return map(call, begin, end, kLoops);
}

/// Elements of f32 on the kernels.
template <auto Function, auto Kernel>
Status run_gate(const Call& call, size_t begin, size_t end) {
  if (call.outputs[0].type != ElementType::f32) return run_float<Function>(call, begin, end);
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  (call.kernels.*Kernel)(range.end - range.begin, call.inputs[0].f32() + range.begin,
                         call.outputs[0].f32() + range.begin);
  return ok_status();
}

constexpr auto kExp = [](auto x, const Attributes&) { return std::exp(x); };
constexpr auto kLog = [](auto x, const Attributes&) { return std::log(x); };
constexpr auto kSqrt = [](auto x, const Attributes&) { return std::sqrt(x); };
constexpr auto kReciprocalSqrt = [](auto x, const Attributes&) { return 1 / std::sqrt(x); };
constexpr auto kReciprocal = [](auto x, const Attributes&) { return 1 / x; };
constexpr auto kFloor = [](auto x, const Attributes&) { return std::floor(x); };
constexpr auto kCeil = [](auto x, const Attributes&) { return std::ceil(x); };
/// Rounds ties to even.
constexpr auto kRound = [](auto x, const Attributes&) { return std::nearbyint(x); };
constexpr auto kErf = [](auto x, const Attributes&) { return std::erf(x); };
constexpr auto kTanh = [](auto x, const Attributes&) { return std::tanh(x); };
constexpr auto kSin = [](auto x, const Attributes&) { return std::sin(x); };
constexpr auto kCos = [](auto x, const Attributes&) { return std::cos(x); };
constexpr auto kSigmoid = [](auto x, const Attributes&) {
  // This form overflows for neither sign of x.
  const auto e = std::exp(-std::abs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
};
constexpr auto kSoftplus = [](auto x, const Attributes&) {
  return std::max(x, decltype(x){0}) + std::log1p(std::exp(-std::abs(x)));
};
constexpr auto kSoftsign = [](auto x, const Attributes&) { return x / (1 + std::abs(x)); };
constexpr auto kElu = [](auto x, const Attributes& attributes) {
  return x < 0 ? static_cast<decltype(x)>(attributes.number(0)) * std::expm1(x) : x;
};
constexpr auto kLeakyRelu = [](auto x, const Attributes& attributes) {
  return x < 0 ? static_cast<decltype(x)>(attributes.number(0)) * x : x;
};
constexpr auto kHardSigmoid = [](auto x, const Attributes& attributes) {
  using T = decltype(x);
  const T y = static_cast<T>(attributes.number(0)) * x + static_cast<T>(attributes.number(1));
  return std::min(std::max(y, T{0}), T{1});
};

constexpr auto kGelu = [](auto x, const Attributes& attributes) {
  using T = decltype(x);
  if (attributes.flag(0)) {
    const T inner = static_cast<T>(0.7978845608028654) * (x + static_cast<T>(0.044715) * x * x * x);
    return x * (1 + std::tanh(inner)) / 2;
  }
  return x * (1 + std::erf(x * static_cast<T>(0.7071067811865476))) / 2;
};
constexpr auto kHardSwish = [](auto x, const Attributes&) {
  using T = decltype(x);
  return x * std::min(std::max(x / 6 + T{0.5}, T{0}), T{1});
};

constexpr auto kNegative = [](auto x, const Attributes&) { return -x; };
constexpr auto kAbs = [](auto x, const Attributes&) { return x < 0 ? -x : x; };
constexpr auto kSign = [](auto x, const Attributes&) { return x < 0 ? -1 : (x > 0 ? 1 : 0); };
constexpr auto kSquare = [](auto x, const Attributes&) { return x * x; };
/// NaN stays NaN.
constexpr auto kRelu = [](auto x, const Attributes&) { return x < 0 ? decltype(x){0} : x; };
constexpr auto kNot = [](auto x, const Attributes&) { return x == 0; };
constexpr auto kClip = [](auto x, const Attributes& attributes) {
  using T = decltype(x);
  const double least = attributes.number(0);
  const double most = attributes.number(1);
  if (static_cast<double>(x) < least) return static_cast<T>(least);
  return static_cast<double>(x) > most ? static_cast<T>(most) : x;
};

Status infer_cast(Inference& inference) {
  const int64_t type = inference.attributes.integer(0);
  if (type < 0 || type > static_cast<int64_t>(ElementType::boolean)) {
    return wrong_attribute("to", "a type that is calculated with here");
  }
  SUSURRUS_RETURN_IF_ERROR(same_type(inference));
  inference.outputs[0].type = static_cast<ElementType>(type);
  return ok_status();
}

/// As C casts, but that numbers beyond the range of an integer type become its least or most, and NaN 0.
uint64_t integer_of(ElementType type, double number) {
  if (type == ElementType::boolean) return number != 0;
  if (number != number) return 0;
  const bool is_signed = wide_type(type) == ElementType::i64;
  const auto bits = static_cast<int>(8 * element_byte_count(type));
  const double beyond = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const uint64_t most = ~uint64_t{0} >> (is_signed ? 65 - bits : 64 - bits);
  if (number >= beyond) return most;
  if (!is_signed) return number <= 0 ? 0 : static_cast<uint64_t>(number);
  return number < -beyond ? ~most : static_cast<uint64_t>(static_cast<int64_t>(number));
}

/// Rounded once.
void store_integer(ElementType type, uint64_t integer, bool is_signed, void* data, size_t index) {
  const auto own = static_cast<int64_t>(integer);
  if (type == ElementType::f64) {
    store_number(type, is_signed ? static_cast<double>(own) : static_cast<double>(integer), data,
                 index);
  } else if (is_float(type)) {
    const float number = is_signed ? static_cast<float>(own) : static_cast<float>(integer);
    narrow(type, &number, 1, data, index);
  } else {
    if (type == ElementType::boolean) integer = integer != 0;
    narrow(type, &integer, 1, data, index);
  }
}

Status run_cast(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  const bool is_signed = wide_type(x.type) == ElementType::i64;
  const auto range = elements_of(y.count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    if (!is_float(x.type)) {
      store_integer(y.type, integer_at(x.type, x.data, i), is_signed, y.data, i);
      continue;
    }
    const double number = number_at(x.type, x.data, i);
    if (is_float(y.type)) {
      store_number(y.type, number, y.data, i);
    } else {
      store_integer(y.type, integer_of(y.type, number), false, y.data, i);
    }
  }
  return ok_status();
}

constexpr AttributeSpec kEluAttributes[] = {{"alpha", AttributeKind::number, false, 1}};
constexpr AttributeSpec kLeakyAttributes[] = {{"alpha", AttributeKind::number, false, 0.01}};
constexpr AttributeSpec kHardSigmoidAttributes[] = {{"alpha", AttributeKind::number, false, 0.2},
                                                    {"beta", AttributeKind::number, false, 0.5}};
constexpr AttributeSpec kClipAttributes[] = {{"min", AttributeKind::number, false, -HUGE_VAL},
                                             {"max", AttributeKind::number, false, HUGE_VAL}};
/// `is_approximate`: by tanh instead of erf.
constexpr AttributeSpec kGeluAttributes[] = {{"is_approximate", AttributeKind::integer}};
constexpr AttributeSpec kCastAttributes[] = {{"to", AttributeKind::integer, true}};

constexpr Operator unary(std::string_view name, decltype(Operator::infer) infer,
                         decltype(Operator::run) run,
                         std::span<const AttributeSpec> attributes = {}) {
  return {.name = name,
          .sharing = Sharing::in_place,
          .attributes = attributes,
          .infer = infer,
          .run = run};
}

constexpr Operator kOperators[] = {
    unary("exp", slow_float, run_float<kExp>),
    unary("log", slow_float, run_float<kLog>),
    unary("sqrt", float_type, run_float<kSqrt>),
    unary("rsqrt", float_type, run_float<kReciprocalSqrt>),
    unary("reciprocal", float_type, run_float<kReciprocal>),
    unary("floor", float_type, run_float<kFloor>),
    unary("ceil", float_type, run_float<kCeil>),
    unary("round", float_type, run_float<kRound>),
    unary("erf", slow_float, run_float<kErf>),
    unary("tanh", gate_type, run_gate<kTanh, &KernelTable::tanh>),
    unary("sin", slow_float, run_float<kSin>),
    unary("cos", slow_float, run_float<kCos>),
    unary("sigmoid", gate_type, run_gate<kSigmoid, &KernelTable::sigmoid>),
    unary("softplus", slow_float, run_float<kSoftplus>),
    unary("softsign", float_type, run_float<kSoftsign>),
    unary("elu", slow_float, run_float<kElu>, kEluAttributes),
    unary("leaky_relu", float_type, run_float<kLeakyRelu>, kLeakyAttributes),
    unary("hard_sigmoid", float_type, run_float<kHardSigmoid>, kHardSigmoidAttributes),
    unary("gelu", slow_float, run_float<kGelu>, kGeluAttributes),
    unary("hard_swish", float_type, run_float<kHardSwish>),
    unary("negative", same_type, run_number<kNegative>),
    unary("abs", same_type, run_number<kAbs>),
    unary("sign", same_type, run_number<kSign>),
    unary("square", same_type, run_number<kSquare>),
    unary("relu", same_type, run_number<kRelu>),
    unary("not", same_type, run_number<kNot>),
    unary("clip", same_type, run_number<kClip>, kClipAttributes),
    {.name = "cast", .attributes = kCastAttributes, .infer = infer_cast, .run = run_cast},
};

}  // namespace

std::span<const Operator> unary_operators() { return kOperators; }

}  // namespace susurrus
