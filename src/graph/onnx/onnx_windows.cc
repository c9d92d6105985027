// ONNX's convolutions, pools and resizes in terms of the graph's own.
#include <algorithm>

#include "graph/onnx/onnx_layers.h"

namespace susurrus::onnx {
namespace {

constexpr size_t kNotFound = ~size_t{0};

/// The index of the attribute's value among the texts.
template <size_t Count>
size_t choice(const OnnxTranslation& to, std::string_view name, std::string_view usual,
              const std::string_view (&texts)[Count]) {
  const auto found = std::ranges::find(texts, to.text(name, usual));
  return found == std::end(texts) ? kNotFound : static_cast<size_t>(found - texts);
}

struct WindowNode {
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;
  int64_t auto_pad = 0;
};

Result<WindowNode> window_of(const OnnxTranslation& to) {
  constexpr std::string_view kTexts[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  const size_t auto_pad = choice(to, "auto_pad", "NOTSET", kTexts);
  if (auto_pad == kNotFound) {
    return to.wrong("auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  }
  WindowNode window{to.integers("strides"), to.integers("dilations"), {}, 0};
  if (auto_pad == 0) window.pads = to.integers("pads");
  if (auto_pad < 3) window.auto_pad = static_cast<int64_t>(auto_pad);
  return window;
}

Status put(OnnxTranslation& to, Result<ValueId> y) {
  if (!y) return y.error();
  to.set_output(0, *y);
  return ok_status();
}

Status pool(OnnxTranslation& to, std::string_view op, int64_t divisor) {
  SUSURRUS_ASSIGN_OR_RETURN(const WindowNode window, window_of(to));
  return put(to, to.add(op, {to.input(0)},
                        {{"kernel", to.integers("kernel_shape")},
                         {"strides", window.strides},
                         {"dilations", window.dilations},
                         {"pads", window.pads},
                         {"auto_pad", window.auto_pad},
                         {"last_window", int64_t{to.integer("ceil_mode", 0) != 0}},
                         {"divisor", divisor}}));
}

}  // namespace

Status convolution(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const WindowNode window, window_of(to));
  return put(to, to.add("convolution", {to.input(0), to.input(1), to.input(2)},
                        {{"strides", window.strides},
                         {"dilations", window.dilations},
                         {"pads", window.pads},
                         {"groups", to.integer("group", 1)},
                         {"auto_pad", window.auto_pad}}));
}

/// Sums of bytes without their zero points, as i32.
Status convolution_integer(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const WindowNode window, window_of(to));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.add("centre", {to.input(0), to.input(2)}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId w,
                            to.add("centre", {to.input(1), to.input(3)}, {{"axis", int64_t{0}}}));
  return put(to, to.add("convolution", {x, w},
                        {{"strides", window.strides},
                         {"dilations", window.dilations},
                         {"pads", window.pads},
                         {"groups", to.integer("group", 1)},
                         {"auto_pad", window.auto_pad}}));
}

Status transposed_convolution(OnnxTranslation& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const WindowNode window, window_of(to));
  return put(to, to.add("transposed_convolution", {to.input(0), to.input(1), to.input(2)},
                        {{"strides", window.strides},
                         {"dilations", window.dilations},
                         {"pads", window.pads},
                         {"groups", to.integer("group", 1)},
                         {"auto_pad", window.auto_pad},
                         {"output_padding", to.integers("output_padding")},
                         {"output_shape", to.integers("output_shape")}}));
}

Status max_pool(OnnxTranslation& to) {
  if (to.node().outputs.size() > 1 && !to.node().outputs[1].empty()) {
    return to.wrong("Indices", "the values alone");
  }
  return pool(to, "max_pool", 0);
}

Status average_pool(OnnxTranslation& to) {
  return pool(to, "average_pool", int64_t{to.integer("count_include_pad", 0) != 0});
}

/// Scales or sizes are inputs 2 and 3, in version 10 the scales input 1; both have to be constants.
Status resize(OnnxTranslation& to) {
  constexpr std::string_view kModes[] = {"nearest", "linear", "cubic"};
  constexpr std::string_view kPlaces[] = {"half_pixel", "asymmetric", "align_corners",
                                          "pytorch_half_pixel", "half_pixel_symmetric"};
  constexpr std::string_view kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                           "ceil"};
  const bool is_old = to.opset() < 11;
  const size_t mode = choice(to, "mode", "nearest", kModes);
  if (mode == kNotFound) return to.wrong("mode", "nearest, linear or cubic");
  const size_t places =
      choice(to, "coordinate_transformation_mode", is_old ? "asymmetric" : "half_pixel", kPlaces);
  if (places == kNotFound) {
    return to.wrong("coordinate_transformation_mode", "one without a region of interest");
  }
  constexpr size_t kCeilIfSmaller = std::size(kNearest);
  const size_t nearest =
      is_old ? kCeilIfSmaller : choice(to, "nearest_mode", "round_prefer_floor", kNearest);
  if (nearest == kNotFound) return to.wrong("nearest_mode", "floor, ceil or a rounding");
  for (std::string_view name : {"antialias", "axes"}) {
    if (to.attribute(name) != nullptr && (name == "axes" || to.integer(name, 0) != 0)) {
      return to.wrong(name, "what it usually is");
    }
  }
  if (to.text("keep_aspect_ratio_policy", "stretch") != "stretch") {
    return to.wrong("keep_aspect_ratio_policy", "stretch");
  }
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, to.constant_integers(3));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<double> scales, to.constant_numbers(is_old ? 1 : 2));
  return put(to, to.add("resize", {to.input(0)},
                        {{"mode", static_cast<int64_t>(mode)},
                         {"places", static_cast<int64_t>(places)},
                         {"nearest", static_cast<int64_t>(nearest)},
                         {"cubic_a", to.number("cubic_coeff_a", -0.75)},
                         {"excludes_outside", to.integer("exclude_outside", 0)},
                         {"sizes", std::move(sizes)},
                         {"scales", std::move(scales)}}));
}

/// Resize of versions before 10; the scales are an attribute before version 9.
Status upsample(OnnxTranslation& to) {
  constexpr std::string_view kModes[] = {"nearest", "linear"};
  const size_t mode = choice(to, "mode", "nearest", kModes);
  if (mode == kNotFound) return to.wrong("mode", "nearest or linear");
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<double> scales, to.constant_numbers(1));
  if (const OnnxAttribute* attribute = to.attribute("scales")) scales = attribute->numbers;
  return put(to, to.add("resize", {to.input(0)},
                        {{"mode", static_cast<int64_t>(mode)},
                         {"places", int64_t{1}},
                         {"nearest", int64_t{2}},
                         {"scales", std::move(scales)}}));
}

Status depth_to_space(OnnxTranslation& to) {
  constexpr std::string_view kModes[] = {"DCR", "CRD"};
  const size_t mode = choice(to, "mode", "DCR", kModes);
  if (mode == kNotFound) return to.wrong("mode", "DCR or CRD");
  return put(to, to.add("depth_to_space", {to.input(0)},
                        {{"block", to.integer("blocksize", 0)},
                         {"channels_first", static_cast<int64_t>(mode)}}));
}

Status space_to_depth(OnnxTranslation& to) {
  return put(to, to.add("space_to_depth", {to.input(0)}, {{"block", to.integer("blocksize", 0)}}));
}

}  // namespace susurrus::onnx
