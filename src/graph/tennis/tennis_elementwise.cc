// TenniS's operators on single elements.
#include <algorithm>

#include "graph/operator_name.h"
#include "graph/tennis/tennis_translation.h"

namespace susurrus {
namespace {

using To = TennisTranslation;

template <OperatorName Op>
Status unary(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  return to.set(to.add(Op.view(), {x}));
}

Status relu_max(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const double most, to.number("max", 0));
  return to.set(to.add("clip", {x}, {{"min", 0.0}, {"max", most}}));
}

Status leaky_relu(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const double scale, to.number("scale"));
  return to.set(to.add("leaky_relu", {x}, {{"alpha", scale}}));
}

Status hard_sigmoid(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const double alpha, to.number("alpha", 0.2));
  SUSURRUS_ASSIGN_OR_RETURN(const double beta, to.number("beta", 0.5));
  return to.set(to.add("hard_sigmoid", {x}, {{"alpha", alpha}, {"beta", beta}}));
}

Status prelu(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId slope, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  SUSURRUS_ASSIGN_OR_RETURN(slope, to.along(slope, x, axis));
  return to.set(to.add("prelu", {x, slope}));
}

Status power(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const double exponent, to.number("y"));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y, to.scalar(to.type(x), exponent));
  return to.set(to.add("power", {x, y}));
}

// What two types meet in.

bool is_unsigned(ElementType type) {
  return type == ElementType::u8 || type == ElementType::u16 || type == ElementType::u32 ||
         type == ElementType::u64;
}

ElementType signed_of_width(size_t bytes) {
  return bytes == 1   ? ElementType::i8
         : bytes == 2 ? ElementType::i16
         : bytes == 4 ? ElementType::i32
                      : ElementType::i64;
}

/// A float of 16 or 32 bits with an integer.
ElementType float_with_integer(ElementType real, size_t bytes) {
  if (bytes == 8) return ElementType::f64;
  return real == ElementType::f16 && bytes == 4 ? ElementType::f32 : real;
}

/// As TenniS's table has it (tennis.md §2.2).
ElementType common_type(ElementType a, ElementType b) {
  if (a == b) return a;
  if (a == ElementType::boolean) return b;
  if (b == ElementType::boolean) return a;
  if (a == ElementType::f64 || b == ElementType::f64) return ElementType::f64;
  if (is_float(a) && is_float(b)) return ElementType::f32;
  if (is_float(a)) return float_with_integer(a, element_byte_count(b));
  if (is_float(b)) return float_with_integer(b, element_byte_count(a));
  const size_t width = std::max(element_byte_count(a), element_byte_count(b));
  if (!is_unsigned(a) || !is_unsigned(b)) return signed_of_width(width);
  // The table is odd here.
  const size_t other = std::min(element_byte_count(a), element_byte_count(b));
  if (other == 1 && (width == 2 || width == 8)) return signed_of_width(width);
  return element_byte_count(a) == width ? a : b;
}

template <OperatorName Op>
Status binary(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(ValueId a, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId b, to.argument(1));
  const ElementType type = common_type(to.type(a), to.type(b));
  SUSURRUS_ASSIGN_OR_RETURN(a, to.cast(a, type));
  SUSURRUS_ASSIGN_OR_RETURN(b, to.cast(b, type));
  return to.set(to.add(Op.view(), {a, b}));
}

Status where(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(ValueId condition, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId a, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId b, to.argument(2));
  const ElementType type = common_type(to.type(a), to.type(b));
  SUSURRUS_ASSIGN_OR_RETURN(condition, to.cast(condition, ElementType::boolean));
  SUSURRUS_ASSIGN_OR_RETURN(a, to.cast(a, type));
  SUSURRUS_ASSIGN_OR_RETURN(b, to.cast(b, type));
  return to.set(to.add("where", {condition, a, b}));
}

constexpr TennisOperator kOperators[] = {
    {"relu", 1, 1, unary<"relu">},
    {"relu_max", 1, 1, relu_max},
    {"leaky_relu", 1, 1, leaky_relu},
    {"prelu", 2, 2, prelu},
    {"sigmoid", 1, 1, unary<"sigmoid">},
    {"hard_sigmoid", 1, 1, hard_sigmoid},
    {"tanh", 1, 1, unary<"tanh">},
    {"exp", 1, 1, unary<"exp">},
    {"sqrt", 1, 1, unary<"sqrt">},
    {"rsqrt", 1, 1, unary<"rsqrt">},
    {"square", 1, 1, unary<"square">},
    {"abs", 1, 1, unary<"abs">},
    {"erf", 1, 1, unary<"erf">},
    {"floor", 1, 1, unary<"floor">},
    {"ceil", 1, 1, unary<"ceil">},
    {"softplus", 1, 1, unary<"softplus">},
    {"pow", 1, 1, power},
    {"add", 2, 2, binary<"add">},
    {"sub", 2, 2, binary<"subtract">},
    {"mul", 2, 2, binary<"multiply">},
    {"div", 2, 2, binary<"divide">},
    {"mod", 2, 2, binary<"remainder">},
    {"maximum", 2, 2, binary<"maximum">},
    {"equal", 2, 2, binary<"equal">},
    {"where", 3, 3, where},
};

}  // namespace

std::span<const TennisOperator> tennis_elementwise_operators() { return kOperators; }

}  // namespace susurrus
