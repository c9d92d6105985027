// Images of another size: each output element is a weighted sum of taps along every axis.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum ResizeAttribute : size_t {
  kMode,
  kPlaces,
  kNearest,
  kCubicA,
  kExcludesOutside,
  kSizes,
  kScales
};
enum class Mode : int64_t { nearest, linear, cubic };
/// Which place of the input a place of the output looks at.
enum class Places : int64_t {
  half_pixel,
  asymmetric,
  align_corners,
  pytorch_half_pixel,
  half_pixel_symmetric,
  /// half_pixel as TenniS has it: linear ends just before the last cell, and cubic is constant near the edges.
  tennis,
  /// asymmetric with the scale turned round, which is rounded otherwise.
  tennis_corner,
};
enum class Nearest : int64_t {
  round_prefer_floor,
  round_prefer_ceil,
  floor,
  ceil,
  /// ceil along an axis that becomes smaller, else floor.
  ceil_if_smaller,
};

constexpr size_t kMostTaps = 4;

struct Taps {
  size_t count = 1;
  std::array<size_t, kMostTaps> places{};
  std::array<double, kMostTaps> weights{1};
};

struct Axis {
  int64_t in = 1;
  int64_t out = 1;
  /// Out by in, as it was given or follows from the sizes.
  double scale = 1;
};

/// In f32, as other engines have it: which of two cells is nearest may hang on the last bit.
double place_of(Places places, const Axis& axis, int64_t i) {
  const auto at = static_cast<float>(i);
  const auto in = static_cast<float>(axis.in);
  const auto out = static_cast<float>(axis.out);
  const auto scale = static_cast<float>(axis.scale);
  float place = (at + 0.5F) / scale - 0.5F;
  switch (places) {
    case Places::asymmetric: place = at / scale; break;
    case Places::align_corners: place = axis.out == 1 ? 0 : at * (in - 1) / (out - 1); break;
    case Places::pytorch_half_pixel:
      if (axis.out == 1) place = 0;
      break;
    case Places::half_pixel_symmetric: place += in / 2 * (1 - out / (scale * in)); break;
    case Places::tennis:
      return (static_cast<double>(i) + 0.5) * static_cast<double>(axis.in) /
                 static_cast<double>(axis.out) -
             0.5;
    case Places::tennis_corner: place = in / out * at; break;
    case Places::half_pixel: break;
  }
  return static_cast<double>(place);
}

Taps nearest_tap(double place, const Axis& axis, Nearest nearest) {
  double rounded = 0;
  switch (nearest) {
    case Nearest::round_prefer_floor: rounded = std::ceil(place - 0.5); break;
    case Nearest::round_prefer_ceil: rounded = std::floor(place + 0.5); break;
    case Nearest::floor: rounded = std::floor(place); break;
    case Nearest::ceil: rounded = std::ceil(place); break;
    case Nearest::ceil_if_smaller:
      rounded = axis.scale < 1 ? std::ceil(place) : std::floor(place);
      break;
  }
  Taps taps;
  taps.places[0] = static_cast<size_t>(std::clamp(rounded, 0.0, static_cast<double>(axis.in - 1)));
  return taps;
}

Taps linear_taps(double place, const Axis& axis, bool is_tennis) {
  const auto last = static_cast<double>(axis.in - 1);
  place = std::clamp(place, 0.0, is_tennis ? std::max(0.0, last - 1e-5) : last);
  const double floor = std::floor(place);
  Taps taps;
  taps.count = 2;
  taps.places = {static_cast<size_t>(floor), static_cast<size_t>(std::min(floor + 1, last))};
  taps.weights = {1 - (place - floor), place - floor};
  return taps;
}

/// Keys' weights for a fraction of a cell.
std::array<double, 4> cubic_weights(double t, double a) {
  const auto near = [a](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [a](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

Taps cubic_taps(double place, const Axis& axis, double a, bool excludes_outside, bool is_tennis) {
  double floor = std::floor(place);
  double fraction = place - floor;
  if (is_tennis) {
    // In rows of fewer than four cells the reference reads past the row; here the row ends.
    const double clamped = std::min(std::max(floor, 1.0), static_cast<double>(axis.in - 3));
    if (clamped != floor) fraction = 0;
    floor = std::max(clamped, 0.0);
  }
  Taps taps;
  taps.count = 4;
  taps.weights = cubic_weights(fraction, a);
  double sum = 0;
  for (size_t k = 0; k < 4; ++k) {
    const double cell = floor - 1 + static_cast<double>(k);
    const double inside = std::clamp(cell, 0.0, static_cast<double>(axis.in - 1));
    if (excludes_outside && inside != cell) taps.weights[k] = 0;
    taps.places[k] = static_cast<size_t>(inside);
    sum += taps.weights[k];
  }
  if (excludes_outside) {
    for (double& weight : taps.weights) weight /= sum;
  }
  return taps;
}

struct Resize {
  Mode mode = Mode::nearest;
  Places places = Places::half_pixel;
  std::array<Axis, limits::kMaxDims> axes{};
  Shape shape;
};

/// Sizes, or scales, for each dimension.
Result<Resize> resize_of(const Shape& x, const Attributes& attributes) {
  const auto sizes = attributes.integers(kSizes);
  const auto scales = attributes.numbers(kScales);
  Resize resize;
  if (attributes.integer(kMode) < 0 || attributes.integer(kMode) > 2) {
    return wrong_attribute("mode", "0, 1 or 2");
  }
  if (attributes.integer(kPlaces) < 0 || attributes.integer(kPlaces) > 6) {
    return wrong_attribute("places", "0 to 6");
  }
  resize.mode = static_cast<Mode>(attributes.integer(kMode));
  resize.places = static_cast<Places>(attributes.integer(kPlaces));
  if ((sizes.empty() ? scales.size() : sizes.size()) != x.rank()) {
    return wrong_attribute(sizes.empty() ? "scales" : "sizes", "one for each dimension");
  }
  for (uint32_t i = 0; i < x.rank(); ++i) {
    constexpr double kMost = 2147483648.0;
    const auto in = static_cast<double>(x[i]);
    // Multiplied in f32, as other engines do.
    const float scaled = sizes.empty() ? static_cast<float>(in) * static_cast<float>(scales[i]) : 0;
    const double out =
        sizes.empty() ? std::floor(static_cast<double>(scaled)) : static_cast<double>(sizes[i]);
    if (!(out >= 0 && out <= kMost) || in > kMost || (x[i] == 0 && out > 0)) {
      return wrong_attribute(sizes.empty() ? "scales" : "sizes", "a size from 0 to 2^31");
    }
    resize.axes[i] = {static_cast<int64_t>(x[i]), static_cast<int64_t>(out),
                      sizes.empty() ? scales[i] : out / std::max(in, 1.0)};
    resize.shape.append(static_cast<uint64_t>(out));
  }
  return resize;
}

Status infer_resize(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Resize resize, resize_of(x.shape, inference.attributes));
  if (x.type != ElementType::f32 && resize.mode != Mode::nearest) {
    return wrong_input(0, "f32", element_type_name(x.type));
  }
  inference.outputs[0] = {x.type, resize.shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, resize.shape));
  inference.work = elementwise_work(static_cast<size_t>(*resize.shape.element_count()), 16);
  return ok_status();
}

Taps taps_of(const Resize& resize, const Attributes& attributes, uint32_t i, int64_t at) {
  const Axis& axis = resize.axes[i];
  Taps taps;
  if (axis.in == axis.out && axis.scale == 1) {
    taps.places[0] = static_cast<size_t>(at);
    return taps;
  }
  const double place = place_of(resize.places, axis, at);
  const bool is_tennis = resize.places == Places::tennis;
  if (axis.in == 1) return taps;
  if (resize.mode == Mode::linear) return linear_taps(place, axis, is_tennis);
  if (resize.mode == Mode::cubic) {
    return cubic_taps(place, axis, attributes.number(kCubicA), attributes.flag(kExcludesOutside),
                      is_tennis);
  }
  return nearest_tap(place, axis, static_cast<Nearest>(attributes.integer(kNearest)));
}

Status run_resize(const Call& call, size_t begin, size_t end) {
  const Tensor& x = call.inputs[0];
  const Tensor& y = call.outputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Resize resize, resize_of(x.shape, call.attributes));
  const Strides strides = Strides::of(x.shape);
  const uint32_t rank = x.shape.rank();
  const size_t size = element_byte_count(x.type);
  const auto range = elements_of(y.count(), begin, end);
  for (size_t at = range.begin; at < range.end; ++at) {
    std::array<Taps, limits::kMaxDims> taps;
    size_t rest = at;
    size_t combinations = 1;
    for (uint32_t i = rank; i-- > 0;) {
      const auto dim = static_cast<size_t>(y.shape[i]);
      taps[i] = taps_of(resize, call.attributes, i, static_cast<int64_t>(rest % dim));
      combinations *= taps[i].count;
      rest /= dim;
    }
    double sum = 0;
    size_t first_place = 0;
    for (size_t combination = 0; combination < combinations; ++combination) {
      size_t place = 0;
      double weight = 1;
      for (size_t i = rank, which = combination; i-- > 0;) {
        const size_t tap = which % taps[i].count;
        which /= taps[i].count;
        place += taps[i].places[tap] * static_cast<size_t>(strides.steps[i]);
        weight *= taps[i].weights[tap];
      }
      if (combination == 0) first_place = place;
      if (resize.mode != Mode::nearest) sum += weight * static_cast<double>(x.f32()[place]);
    }
    if (resize.mode == Mode::nearest) {
      std::memcpy(static_cast<uint8_t*>(y.data) + at * size,
                  static_cast<const uint8_t*>(x.data) + first_place * size, size);
    } else {
      y.f32()[at] = static_cast<float>(sum);
    }
  }
  return ok_status();
}

constexpr AttributeSpec kResizeAttributes[] = {
    {"mode", AttributeKind::integer},
    {"places", AttributeKind::integer},
    {"nearest", AttributeKind::integer},
    {"cubic_a", AttributeKind::number, false, -0.75},
    {"excludes_outside", AttributeKind::integer},
    {"sizes", AttributeKind::integers},
    {"scales", AttributeKind::numbers},
};

constexpr Operator kOperators[] = {
    {.name = "resize", .attributes = kResizeAttributes, .infer = infer_resize, .run = run_resize},
};

}  // namespace

std::span<const Operator> resampling_operators() { return kOperators; }

}  // namespace susurrus
