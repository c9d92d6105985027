// TenniS's convolutions and pools, and the operators that calculate their padding.
#include <array>

#include "graph/tennis/tennis_translation.h"

namespace susurrus {
namespace {

using To = TennisTranslation;
using Pair = std::array<int64_t, 2>;

/// Whether channels come last.
Result<bool> is_nhwc(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::string format, to.text("format"));
  if (format != "NCHW" && format != "NHWC") return to.wrong("format", "NCHW or NHWC");
  return format == "NHWC";
}

Status check_image(To& to, ValueId x) {
  if (to.shape(x).rank() == 4) return ok_status();
  return to.wrong("argument 0", "4 dimensions");
}

/// The two of four numbers that are about height and width; the others are `neutral`.
Result<Pair> spatial(To& to, std::span<const int64_t> values, std::string_view name, bool is_last,
                     int64_t neutral) {
  if (values.size() != 4) return to.wrong(name, "4 numbers");
  const size_t at = is_last ? 1 : 2;
  if (values[0] != neutral || values[is_last ? 3 : 1] != neutral) {
    return to.wrong(name, "no window over batch and channels");
  }
  return Pair{values[at], values[at + 1]};
}

Result<Pair> positive(To& to, std::span<const int64_t> values, std::string_view name,
                      bool is_last) {
  SUSURRUS_ASSIGN_OR_RETURN(const Pair pair, spatial(to, values, name, is_last, 1));
  if (pair[0] < 1 || pair[1] < 1) return to.wrong(name, "at least 1");
  return pair;
}

/// Before height and width, then after them.
Result<std::vector<int64_t>> pads_of(To& to, std::span<const int64_t> values, bool is_last) {
  if (values.size() != 8) return to.wrong("padding", "4×2 numbers");
  const size_t at = is_last ? 2 : 4;
  const size_t channels = is_last ? 6 : 2;
  for (const size_t i : {size_t{0}, size_t{1}, channels, channels + 1}) {
    if (values[i] != 0) return to.wrong("padding", "none of batch and channels");
  }
  return std::vector<int64_t>{values[at], values[at + 2], values[at + 1], values[at + 3]};
}

/// Both spellings are legal; one is needed.
Result<std::vector<int64_t>> dilation_of(To& to) {
  return to.integers(!to.has("dilation") && to.has("dialations") ? "dialations" : "dilation");
}

struct Convolution {
  ValueId x = kNoValue;
  ValueId w = kNoValue;
  Pair stride{};
  Pair dilation{};
  std::vector<int64_t> pads;
};

/// x, padding in version 2, and w.
Result<Convolution> convolution_of(To& to, bool has_padding) {
  Convolution c;
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_last, is_nhwc(to));
  if (is_last) return to.unsupported("format", "NCHW");
  for (std::string_view name : {"kernel_packed", "kernel_winograd_transformed"}) {
    SUSURRUS_ASSIGN_OR_RETURN(const int64_t is_packed, to.integer(name, 0));
    if (is_packed != 0) return to.unsupported(name, "weights as they were trained");
  }
  std::vector<int64_t> padding;
  if (has_padding) {
    SUSURRUS_ASSIGN_OR_RETURN(padding, to.known_integers(1));
  } else {
    SUSURRUS_ASSIGN_OR_RETURN(padding, to.integers("padding"));
  }
  SUSURRUS_ASSIGN_OR_RETURN(c.pads, pads_of(to, padding, false));
  SUSURRUS_ASSIGN_OR_RETURN(const auto stride, to.integers("stride"));
  SUSURRUS_ASSIGN_OR_RETURN(c.stride, positive(to, stride, "stride", false));
  SUSURRUS_ASSIGN_OR_RETURN(const auto dilation, dilation_of(to));
  SUSURRUS_ASSIGN_OR_RETURN(c.dilation, positive(to, dilation, "dilation", false));
  SUSURRUS_ASSIGN_OR_RETURN(c.x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(c.w, to.argument(has_padding ? 2 : 1));
  SUSURRUS_RETURN_IF_ERROR(check_image(to, c.x));
  if (to.shape(c.w).rank() != 4) return to.wrong("weights", "4 dimensions");
  // Cells of the padding hold a value.
  SUSURRUS_ASSIGN_OR_RETURN(const double value, to.number("padding_value", 0));
  if (value != 0) {
    const std::vector<int64_t> whole = {0, 0, c.pads[0], c.pads[1], 0, 0, c.pads[2], c.pads[3]};
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId filling, to.scalar(to.type(c.x), value));
    SUSURRUS_ASSIGN_OR_RETURN(c.x, to.add("pad", {c.x, filling}, {{"pads", whole}}));
    c.pads.assign(4, 0);
  }
  return c;
}

Result<ValueId> convolve(To& to, const Convolution& c, int64_t groups) {
  return to.add(
      "convolution", {c.x, c.w},
      {{"strides", c.stride}, {"dilations", c.dilation}, {"pads", c.pads}, {"groups", groups}});
}

template <bool HasPadding>
Status convolution(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Convolution c, convolution_of(to, HasPadding));
  return to.set(convolve(to, c, 1));
}

/// w [1, C, kh, kw]: a filter for each channel.
template <bool HasPadding>
Status depthwise(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(Convolution c, convolution_of(to, HasPadding));
  const Shape w = to.shape(c.w);
  const uint64_t channels = to.shape(c.x)[1];
  if (w[0] != 1 || w[1] != channels || channels == 0) {
    return to.wrong("weights", "one filter for each channel");
  }
  SUSURRUS_ASSIGN_OR_RETURN(c.w, to.reshape(c.w, std::vector<uint64_t>{channels, 1, w[2], w[3]}));
  return to.set(convolve(to, c, static_cast<int64_t>(channels)));
}

Status transposed(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Convolution c, convolution_of(to, false));
  return to.set(to.add("transposed_convolution", {c.x, c.w},
                       {{"strides", c.stride}, {"dilations", c.dilation}, {"pads", c.pads}}));
}

/// Bytes; the sums, as i32, times a scale for each channel are f32.
Status quantized(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(Convolution c, convolution_of(to, false));
  if (to.type(c.x) != ElementType::i8 || to.type(c.w) != ElementType::i8) {
    return to.wrong("arguments", "INT8");
  }
  SUSURRUS_ASSIGN_OR_RETURN(c.x, to.cast(c.x, ElementType::i32));
  SUSURRUS_ASSIGN_OR_RETURN(c.w, to.cast(c.w, ElementType::i32));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId y, convolve(to, c, 1));
  SUSURRUS_ASSIGN_OR_RETURN(y, to.cast(y, ElementType::f32));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId scales, to.constant("dequantize_scales"));
  SUSURRUS_ASSIGN_OR_RETURN(scales, to.cast(scales, ElementType::f32));
  if (to.shape(scales).element_count() == 1) {
    SUSURRUS_ASSIGN_OR_RETURN(scales, to.reshape(scales, {}));
  } else {
    SUSURRUS_ASSIGN_OR_RETURN(scales, to.along(scales, y, 1));
  }
  return to.set(to.add("multiply", {y, scales}));
}

// Pools. The last window may reach beyond the end: TenniS rounds up.

const std::vector<int64_t> kToNchw = {0, 3, 1, 2};
const std::vector<int64_t> kToNhwc = {0, 2, 3, 1};

Result<ValueId> turned(To& to, ValueId x, bool is_needed, const std::vector<int64_t>& order) {
  if (!is_needed) return x;
  return to.add("transpose", {x}, {{"perm", order}});
}

Result<int64_t> pool_type(To& to, bool is_required) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type,
                            is_required ? to.integer("type") : to.integer("type", 0));
  if (type != 0 && type != 1) return to.wrong("type", "0 or 1");
  return type;
}

template <bool HasArguments>
Status pool(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_last, is_nhwc(to));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type, pool_type(to, !HasArguments));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t padding_type, to.integer("padding_type", 0));
  if (padding_type != 0 && padding_type != 3) return to.unsupported("padding_type", "0 or 3");
  std::array<std::vector<int64_t>, 3> lists;
  for (size_t i = 0; i < 3; ++i) {
    constexpr std::string_view kNames[] = {"padding", "ksize", "stride"};
    SUSURRUS_ASSIGN_OR_RETURN(lists[i],
                              HasArguments ? to.known_integers(i + 1) : to.integers(kNames[i]));
  }
  SUSURRUS_ASSIGN_OR_RETURN(auto pads, pads_of(to, lists[0], is_last));
  SUSURRUS_ASSIGN_OR_RETURN(const Pair kernel, positive(to, lists[1], "ksize", is_last));
  SUSURRUS_ASSIGN_OR_RETURN(const Pair stride, positive(to, lists[2], "stride", is_last));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId x, to.argument(0));
  SUSURRUS_RETURN_IF_ERROR(check_image(to, x));
  SUSURRUS_ASSIGN_OR_RETURN(x, turned(to, x, is_last, kToNchw));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add(type == 0 ? "max_pool" : "average_pool", {x},
                                   {{"kernel", kernel},
                                    {"strides", stride},
                                    {"pads", std::move(pads)},
                                    {"last_window", int64_t{2}},
                                    {"divisor", int64_t{padding_type == 0 ? 0 : 2}}}));
  return to.set(turned(to, y, is_last, kToNhwc));
}

Status global_pool(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_last, is_nhwc(to));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type, pool_type(to, true));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId x, to.argument(0));
  SUSURRUS_RETURN_IF_ERROR(check_image(to, x));
  SUSURRUS_ASSIGN_OR_RETURN(x, turned(to, x, is_last, kToNchw));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId y,
                            to.add(type == 0 ? "global_max_pool" : "global_average_pool", {x}));
  return to.set(turned(to, y, is_last, kToNhwc));
}

// Padding as data, [4, 2].

enum class Rule { listed_down, listed, valid, same_upper, same_lower };

int64_t rounded_up(int64_t a, int64_t b) { return a <= 0 ? a / b : (a + b - 1) / b; }

/// The padding of one axis, given its static padding, size, kernel and stride.
Pair padding_by(Rule rule, Pair p, int64_t size, int64_t kernel, int64_t stride) {
  const int64_t padded = size + p[0] + p[1];
  if (rule == Rule::listed) return p;
  if (rule == Rule::listed_down) return {p[0], p[1] - (padded - kernel) % stride};
  const bool is_valid = rule == Rule::valid;
  const int64_t out = rounded_up(is_valid ? padded - kernel + 1 : padded, stride);
  const int64_t missing = (out - 1) * stride + kernel - padded;
  if (is_valid) return {p[0], p[1] + missing};
  const int64_t less = missing / 2;
  return rule == Rule::same_upper ? Pair{p[0] + less, p[1] + missing - less}
                                  : Pair{p[0] + missing - less, p[1] + less};
}

Status set_padding(To& to, Rule rule, bool is_last, const Pair& kernel, const Pair& stride) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_RETURN_IF_ERROR(check_image(to, x));
  std::vector<int64_t> fixed(8, 0);
  if (to.has("padding")) {
    SUSURRUS_ASSIGN_OR_RETURN(fixed, to.integers("padding"));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const auto pads, pads_of(to, fixed, is_last));
  std::vector<int64_t> result(8, 0);
  const uint32_t first = is_last ? 1 : 2;
  for (uint32_t i = 0; i < 2; ++i) {
    const auto size = static_cast<int64_t>(to.shape(x)[first + i]);
    const Pair own = padding_by(rule, {pads[i], pads[2 + i]}, size, kernel[i], stride[i]);
    result[2 * (first + i)] = own[0];
    result[2 * (first + i) + 1] = own[1];
  }
  return to.set(to.short_constant({4, 2}, result));
}

Status set_pool_padding(To& to, Rule rule, bool is_last) {
  SUSURRUS_ASSIGN_OR_RETURN(const auto kernel, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const auto stride, to.known_integers(2));
  SUSURRUS_ASSIGN_OR_RETURN(const Pair k, positive(to, kernel, "ksize", is_last));
  SUSURRUS_ASSIGN_OR_RETURN(const Pair s, positive(to, stride, "stride", is_last));
  return set_padding(to, rule, is_last, k, s);
}

Result<Rule> rule_of(To& to, std::string_view name) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::string text, to.text(name));
  if (text == "VALID") return Rule::valid;
  if (text == "SAME" || text == "SAME_UPPER") return Rule::same_upper;
  if (text == "SAME_LOWER") return Rule::same_lower;
  if (text == "NOTSET") return Rule::listed_down;
  return to.wrong(name, "NOTSET, VALID or SAME");
}

Status onnx_pool_padding(To& to) {
  Rule rule = Rule::listed_down;
  if (to.has("auto_pad")) {
    SUSURRUS_ASSIGN_OR_RETURN(rule, rule_of(to, "auto_pad"));
  }
  return set_pool_padding(to, rule, false);
}

Status mx_pool_padding(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t valid, to.integer("valid"));
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_last, is_nhwc(to));
  if (!to.has("padding")) return to.wrong("padding", "a value");
  return set_pool_padding(to, valid != 0 ? Rule::listed_down : Rule::listed, is_last);
}

Status tf_pool_padding(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Rule rule, rule_of(to, "padding_method"));
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_last, is_nhwc(to));
  return set_pool_padding(to, rule, is_last);
}

Status tf_conv_padding(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Rule rule, rule_of(to, "padding_method"));
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_last, is_nhwc(to));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId w, to.argument(1));
  if (to.shape(w).rank() != 4) return to.wrong("weights", "4 dimensions");
  SUSURRUS_ASSIGN_OR_RETURN(const auto strides, to.integers("stride"));
  SUSURRUS_ASSIGN_OR_RETURN(const Pair stride, positive(to, strides, "stride", is_last));
  Pair dilation{1, 1};
  if (to.has("dilation") || to.has("dialations")) {
    SUSURRUS_ASSIGN_OR_RETURN(const auto values, dilation_of(to));
    SUSURRUS_ASSIGN_OR_RETURN(dilation, positive(to, values, "dilation", is_last));
  }
  Pair kernel{};
  for (uint32_t i = 0; i < 2; ++i) {
    kernel[i] = dilation[i] * (static_cast<int64_t>(to.shape(w)[2 + i]) - 1) + 1;
  }
  return set_padding(to, rule, is_last, kernel, stride);
}

constexpr TennisOperator kOperators[] = {
    {"conv2d", 2, 2, convolution<false>},
    {"conv2d_v2", 3, 3, convolution<true>},
    {"conv2d_winograd", 2, 2, convolution<false>},
    {"conv2d_winograd_v2", 3, 3, convolution<true>},
    {"depthwise_conv2d", 2, 2, depthwise<false>},
    {"depthwise_conv2d_v2", 3, 3, depthwise<true>},
    {"transpose_conv2d", 2, 2, transposed},
    {"conv2d_quantized", 2, 2, quantized},
    {"pooling2d", 1, 1, pool<false>},
    {"pooling2d_v2", 4, 4, pool<true>},
    {"global_pooling2d", 1, 1, global_pool},
    {"_onnx_pooling2d_padding", 3, 3, onnx_pool_padding},
    {"_mx_pooling2d_padding", 3, 3, mx_pool_padding},
    {"_tf_pooling2d_padding", 3, 3, tf_pool_padding},
    {"_tf_conv2d_padding", 2, 2, tf_conv_padding},
};

}  // namespace

std::span<const TennisOperator> tennis_window_operators() { return kOperators; }

}  // namespace susurrus
