// TenniS's operators on images: other sizes, samples, colours.
#include <cmath>

#include "graph/tennis/tennis_translation.h"

namespace susurrus {
namespace {

using To = TennisTranslation;
using Integers = std::vector<int64_t>;

/// Types 0 to 3: linear, cubic, nearest, and the cell that the corner lies in.
Status resize_to(To& to, const Integers& sizes, int64_t type) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  const Shape own = to.shape(x);
  if (type < 0 || type > 3) return to.wrong("type", "0 to 3");
  if (sizes.size() != own.rank()) return to.wrong("size", "one for each dimension");
  Integers wanted;
  Integers changed;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    const auto dim = static_cast<int64_t>(own[i]);
    if (sizes[i] < -1 || sizes[i] == 0) return to.wrong("size", "sizes, or -1");
    wanted.push_back(sizes[i] == -1 ? dim : sizes[i]);
    if (wanted.back() != dim) changed.push_back(i);
  }
  if (changed.size() > 2 || (changed.size() == 2 && changed[1] != changed[0] + 1)) {
    return to.wrong("size", "a change of two neighbours alone");
  }
  if (changed.empty()) return to.set(x);
  const bool is_nearest = type >= 2;
  return to.set(to.add("resize", {x},
                       {{"mode", int64_t{is_nearest ? 0 : type + 1}},
                        {"places", int64_t{type == 3 ? 6 : 5}},
                        {"nearest", int64_t{type == 3 ? 2 : 1}},
                        {"sizes", std::move(wanted)}}));
}

Status resize(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Integers sizes, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type, to.integer("type", 0));
  return resize_to(to, sizes, type);
}

int64_t scaled(uint64_t dim, double scale) {
  return static_cast<int64_t>(
      std::floor(static_cast<double>(static_cast<float>(dim) * static_cast<float>(scale))));
}

Status check_scale(To& to, double scale) {
  if (scale > 0 && scale <= 65536) return ok_status();
  return to.wrong("scale", "a number from 0 to 65536");
}

Status sample_v2(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<double> scales, to.known_numbers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type, to.integer("type", 3));
  const Shape own = to.shape(x);
  if (scales.size() != own.rank()) return to.wrong("scales", "one for each dimension");
  Integers sizes;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    SUSURRUS_RETURN_IF_ERROR(check_scale(to, scales[i]));
    sizes.push_back(scaled(own[i], scales[i]));
  }
  return resize_to(to, sizes, type);
}

Status resize_nearest(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers size, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  const uint32_t rank = to.shape(x).rank();
  if (size.size() != 2) return to.wrong("size", "height and width");
  if (axis + 1 >= rank) return to.wrong("dim", "a dimension before the last one");
  Integers sizes(rank, -1);
  sizes[axis] = size[0];
  sizes[axis + 1] = size[1];
  return resize_to(to, sizes, 2);
}

/// Sources are i / scale; what is not inside the image, with its last row and column, is 0.
Status sample(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const double scale, to.number("scale"));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type, to.integer("type", 2));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x, -2));
  SUSURRUS_RETURN_IF_ERROR(check_scale(to, scale));
  const Shape own = to.shape(x);
  if (axis + 1 >= own.rank()) return to.wrong("dim", "a dimension before the last one");
  const Integers sizes = {scaled(own[axis], scale), scaled(own[axis + 1], scale)};
  return to.set(to.add("affine_sample", {x},
                       {{"type", type},
                        {"dim", int64_t{axis}},
                        {"sizes", sizes},
                        {"matrix", std::vector<double>{1 / scale, 0, 0, 0, 1 / scale, 0, 0, 0, 1}},
                        {"has_outer", int64_t{1}}}));
}

Status affine_sample(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(Integers size, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<double> matrix, to.known_numbers(2));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t type, to.integer("type"));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  SUSURRUS_ASSIGN_OR_RETURN(const double outer, to.number("outer_value", 0));
  return to.set(to.add("affine_sample", {x},
                       {{"type", type},
                        {"dim", int64_t{axis}},
                        {"sizes", std::move(size)},
                        {"matrix", std::move(matrix)},
                        {"has_outer", int64_t{to.has("outer_value")}},
                        {"outer", outer}}));
}

Status patches(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId points, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<double> patch, to.numbers("origin_patch"));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<double> origin, to.numbers("origin"));
  return to.set(
      to.add("patches", {x, points}, {{"patch", std::move(patch)}, {"origin", std::move(origin)}}));
}

constexpr TennisOperator kOperators[] = {
    {"_resize2d", 2, 2, resize},
    {"sample2d", 1, 1, sample},
    {"sample2d_v2", 2, 2, sample_v2},
    {"affine_sample2d", 3, 3, affine_sample},
    {"resize_nearest_neighbor", 2, 2, resize_nearest},
    {"shape_index_patch", 2, 2, patches},
};

}  // namespace

std::span<const TennisOperator> tennis_image_operators() { return kOperators; }

}  // namespace susurrus
