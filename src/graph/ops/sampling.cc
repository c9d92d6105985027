// Samples of images at places that are given: by a matrix, or around marked points.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"

namespace susurrus {
namespace {

enum SampleAttribute : size_t { kType, kDim, kSizes, kMatrix, kHasOuter, kOuter };
enum class SampleType : int64_t { linear, cubic, nearest, corner };

/// Rows and columns of the image, and elements of a cell.
struct Image {
  size_t outer = 1;
  int64_t height = 1;
  int64_t width = 1;
  size_t inner = 1;
  int64_t out_height = 1;
  int64_t out_width = 1;
};

Result<Image> image_of(const Shape& x, const Attributes& attributes) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim, axis_of(attributes.integer(kDim), x.rank(), "dim"));
  if (dim + 1 >= x.rank()) return wrong_attribute("dim", "a dimension before the last one");
  const auto sizes = attributes.integers(kSizes);
  constexpr int64_t kMost = int64_t{1} << 31;
  if (sizes.size() != 2 || sizes[0] < 0 || sizes[1] < 0 || sizes[0] > kMost || sizes[1] > kMost) {
    return wrong_attribute("sizes", "height and width");
  }
  if (x[dim] < 1 || x[dim + 1] < 1) return wrong_input(0, "an image", shape_text(x).view());
  Image image;
  for (uint32_t i = 0; i < dim; ++i) image.outer *= static_cast<size_t>(x[i]);
  for (uint32_t i = dim + 2; i < x.rank(); ++i) image.inner *= static_cast<size_t>(x[i]);
  image.height = static_cast<int64_t>(x[dim]);
  image.width = static_cast<int64_t>(x[dim + 1]);
  image.out_height = sizes[0];
  image.out_width = sizes[1];
  return image;
}

Status infer_affine(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  const int64_t type = inference.attributes.integer(kType);
  if (type < 0 || type > 3) return wrong_attribute("type", "0 to 3");
  if (inference.attributes.numbers(kMatrix).size() != 9) {
    return wrong_attribute("matrix", "3×3 numbers");
  }
  SUSURRUS_ASSIGN_OR_RETURN(const Image image, image_of(x.shape, inference.attributes));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim,
                            axis_of(inference.attributes.integer(kDim), x.shape.rank(), "dim"));
  Shape shape;
  for (uint32_t i = 0; i < x.shape.rank(); ++i) {
    shape.append(i == dim       ? static_cast<uint64_t>(image.out_height)
                 : i == dim + 1 ? static_cast<uint64_t>(image.out_width)
                                : x.shape[i]);
  }
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  inference.work = elementwise_work(static_cast<size_t>(*shape.element_count()), 16);
  return ok_status();
}

struct AxisTaps {
  size_t count = 1;
  std::array<int64_t, 4> places{};
  std::array<double, 4> weights{1, 0, 0, 0};
  bool is_inner = true;
};

/// Taps along one axis of `size` cells. Inner is from 0 to before the last cell: of the place itself, or of the cell that is
/// nearest to it.
AxisTaps taps_at(SampleType type, double place, int64_t size) {
  AxisTaps taps;
  const auto last = static_cast<double>(size - 1);
  if (type == SampleType::nearest) place = std::round(place);
  if (type == SampleType::corner) place = std::trunc(place);
  taps.is_inner = place >= 0 && place < last;
  place = place == place ? std::clamp(place, 0.0, last) : 0;
  const auto floor = static_cast<int64_t>(std::floor(place));
  const double fraction = place - static_cast<double>(floor);
  taps.places[0] = floor;
  if (type == SampleType::linear) {
    taps.count = 2;
    taps.places[1] = std::min(floor + 1, size - 1);
    taps.weights = {1 - fraction, fraction, 0, 0};
  }
  if (type == SampleType::cubic && size >= 4) {
    constexpr double a = -0.75;
    const int64_t middle = std::clamp<int64_t>(floor, 1, size - 3);
    const double t = middle == floor ? fraction : 0;
    const auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    taps.count = 4;
    taps.places = {middle - 1, middle, middle + 1, middle + 2};
    taps.weights = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  }
  return taps;
}

/// The source of cell (row, column) is matrix · (column, row, 1): first its column, then its row.
Status run_affine(const Call& call, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(const Image image, image_of(call.inputs[0].shape, call.attributes));
  const auto matrix = call.attributes.numbers(kMatrix);
  const auto type = static_cast<SampleType>(call.attributes.integer(kType));
  const bool has_outer = call.attributes.flag(kHasOuter);
  const auto out_height = static_cast<size_t>(image.out_height);
  const auto out_width = static_cast<size_t>(image.out_width);
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    const size_t inner = i % image.inner;
    const auto column = static_cast<double>(i / image.inner % out_width);
    const auto row = static_cast<double>(i / image.inner / out_width % out_height);
    const size_t outer = i / image.inner / out_width / out_height;
    const AxisTaps x = taps_at(type, matrix[0] * column + matrix[1] * row + matrix[2], image.width);
    const AxisTaps y =
        taps_at(type, matrix[3] * column + matrix[4] * row + matrix[5], image.height);
    if (has_outer && !(x.is_inner && y.is_inner)) {
      call.outputs[0].f32()[i] = static_cast<float>(call.attributes.number(kOuter));
      continue;
    }
    double sum = 0;
    for (size_t k = 0; k < y.count; ++k) {
      for (size_t l = 0; l < x.count; ++l) {
        const size_t cell =
            (outer * static_cast<size_t>(image.height) + static_cast<size_t>(y.places[k])) *
                static_cast<size_t>(image.width) +
            static_cast<size_t>(x.places[l]);
        sum += y.weights[k] * x.weights[l] *
               static_cast<double>(call.inputs[0].f32()[cell * image.inner + inner]);
      }
    }
    call.outputs[0].f32()[i] = static_cast<float>(sum);
  }
  return ok_status();
}

// Patches around points: x [N, C, H, W], points [N, 2L, 1, 1] as pairs x, y from 0 to 1; the output is [N, C, h, L, w].

enum PatchAttribute : size_t { kPatch, kOrigin };

Result<std::array<int64_t, 2>> patch_size(const Shape& x, const Attributes& attributes) {
  const auto patch = attributes.numbers(kPatch);
  const auto origin = attributes.numbers(kOrigin);
  if (patch.size() != 2) return wrong_attribute("patch", "height and width");
  if (origin.size() != 2 || !(origin[0] > 0) || !(origin[1] > 0)) {
    return wrong_attribute("origin", "height and width");
  }
  std::array<int64_t, 2> size{};
  for (uint32_t i = 0; i < 2; ++i) {
    const float wanted = static_cast<float>(patch[i]) * static_cast<float>(x[2 + i]) /
                             static_cast<float>(origin[i]) +
                         0.5F;
    if (!(wanted >= 0 && wanted < 1e6F)) return wrong_attribute("patch", "a size");
    size[i] = static_cast<int64_t>(wanted);
  }
  return size;
}

Status infer_patches(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& points = inference.inputs[1];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  if (points.type != ElementType::f32) return wrong_input(1, "f32", element_type_name(points.type));
  if (x.shape.rank() != 4) return wrong_input(0, "4 dimensions", shape_text(x.shape).view());
  if (points.shape.rank() < 2 || points.shape[0] != x.shape[0] ||
      *points.shape.element_count() != points.shape[0] * points.shape[1] ||
      points.shape[1] % 2 != 0) {
    return wrong_input(1, "pairs for each image", shape_text(points.shape).view());
  }
  SUSURRUS_ASSIGN_OR_RETURN(const auto size, patch_size(x.shape, inference.attributes));
  inference.outputs[0] = {x.type,
                          {x.shape[0], x.shape[1], static_cast<uint64_t>(size[0]),
                           points.shape[1] / 2, static_cast<uint64_t>(size[1])}};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, inference.outputs[0].shape));
  inference.work =
      elementwise_work(static_cast<size_t>(*inference.outputs[0].shape.element_count()), 4);
  return ok_status();
}

/// The first row or column of a patch of `size` cells around `point`; calculated in f32, cut towards zero.
int64_t first_cell(float point, uint64_t cells, int64_t size) {
  const float radius = static_cast<float>(size - 1) / 2;
  const float first = point * (static_cast<float>(cells) - 1) - radius + 0.5F;
  return first == first ? static_cast<int64_t>(std::clamp(first, -1e9F, 1e9F)) : -1000000000;
}

Status run_patches(const Call& call, size_t begin, size_t end) {
  const Shape& x = call.inputs[0].shape;
  const Shape& y = call.outputs[0].shape;
  const auto points = static_cast<size_t>(y[3]);
  const auto height = static_cast<size_t>(y[2]);
  const auto width = static_cast<size_t>(y[4]);
  const auto range = elements_of(call.outputs[0].count(), begin, end);
  for (size_t i = range.begin; i < range.end; ++i) {
    const size_t column = i % width;
    const size_t point = i / width % points;
    const size_t row = i / width / points % height;
    const size_t plane = i / width / points / height;
    const float* place =
        call.inputs[1].f32() + (plane / static_cast<size_t>(x[1]) * points + point) * 2;
    const int64_t from_row =
        first_cell(place[1], x[2], static_cast<int64_t>(height)) + static_cast<int64_t>(row);
    const int64_t from_column =
        first_cell(place[0], x[3], static_cast<int64_t>(width)) + static_cast<int64_t>(column);
    const bool is_inside = from_row >= 0 && from_row < static_cast<int64_t>(x[2]) &&
                           from_column >= 0 && from_column < static_cast<int64_t>(x[3]);
    const size_t cell = is_inside
                            ? (plane * static_cast<size_t>(x[2]) + static_cast<size_t>(from_row)) *
                                      static_cast<size_t>(x[3]) +
                                  static_cast<size_t>(from_column)
                            : 0;
    call.outputs[0].f32()[i] = is_inside ? call.inputs[0].f32()[cell] : 0;
  }
  return ok_status();
}

constexpr AttributeSpec kAffineAttributes[] = {
    {"type", AttributeKind::integer},         {"dim", AttributeKind::integer, true},
    {"sizes", AttributeKind::integers, true}, {"matrix", AttributeKind::numbers, true},
    {"has_outer", AttributeKind::integer},    {"outer", AttributeKind::number},
};
constexpr AttributeSpec kPatchAttributes[] = {{"patch", AttributeKind::numbers, true},
                                              {"origin", AttributeKind::numbers, true}};

constexpr Operator kOperators[] = {
    {.name = "affine_sample",
     .attributes = kAffineAttributes,
     .infer = infer_affine,
     .run = run_affine},
    {.name = "patches",
     .least_inputs = 2,
     .most_inputs = 2,
     .attributes = kPatchAttributes,
     .infer = infer_patches,
     .run = run_patches},
};

}  // namespace

std::span<const Operator> sampling_operators() { return kOperators; }

}  // namespace susurrus
