// TenniS's operators that cut, pad, gather and find.
#include <algorithm>
#include <limits>

#include "graph/tennis/tennis_translation.h"

namespace susurrus {
namespace {

using To = TennisTranslation;
using Integers = std::vector<int64_t>;

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// Elements from starts to ends of the first dimensions.
Result<ValueId> cut(To& to, ValueId x, const Integers& starts, const Integers& ends) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId from, to.integer_constant(starts));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId until, to.integer_constant(ends));
  return to.add("slice", {x, from, until});
}

/// A size of -1 reaches to the end.
Status slice_by(To& to, const Integers& begin, const Integers& size) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  const Shape own = to.shape(x);
  if (begin.size() != own.rank()) return to.wrong("begin", "one for each dimension");
  if (size.size() != own.rank()) return to.wrong("size", "one for each dimension");
  Integers ends;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    const auto dim = static_cast<int64_t>(own[i]);
    if (begin[i] < 0 || begin[i] > dim) return to.wrong("begin", "a place in the argument");
    if (size[i] < -1 || size[i] > dim - begin[i]) return to.wrong("size", "what is left, or -1");
    ends.push_back(size[i] == -1 ? dim : begin[i] + size[i]);
  }
  return to.set(cut(to, x, begin, ends));
}

Status slice(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Integers begin, to.integers("begin"));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers size, to.integers("size"));
  return slice_by(to, begin, size);
}

Status slice_v2(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Integers begin, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers size, to.known_integers(2));
  return slice_by(to, begin, size);
}

/// ONNX's Slice, but an end before the first place leaves nothing, also when it goes backwards.
Status slice_v3(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  const Shape own = to.shape(x);
  std::vector<Integers> lists;  // starts, ends, axes, steps
  for (size_t i = 1; i < to.argument_count(); ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(lists.emplace_back(), to.known_integers(i));
  }
  const Integers& starts = lists[0];
  Integers& ends = lists[1];
  if (ends.size() != starts.size()) return to.wrong("ends", "as many as starts");
  for (size_t i = 0; i < ends.size(); ++i) {
    const auto rank = static_cast<int64_t>(own.rank());
    int64_t axis = static_cast<int64_t>(i);
    if (lists.size() > 2 && i < lists[2].size()) axis = lists[2][i];
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return to.wrong("axes", "dimensions of the argument");
    if (ends[i] <= -static_cast<int64_t>(own[static_cast<size_t>(axis)])) ends[i] = starts[i];
  }
  std::vector<ValueId> inputs = {x};
  for (const Integers& list : lists) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, to.integer_constant(list));
    inputs.push_back(id);
  }
  return to.set(to.add("slice", inputs, {}, 1));
}

/// TensorFlow's StridedSlice. Masks have a bit for each entry of the lists.
Status strided_slice(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers begin, to.integers("begin"));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers end, to.integers("end"));
  Integers stride(begin.size(), 1);
  if (to.has("stride")) {
    SUSURRUS_ASSIGN_OR_RETURN(stride, to.integers("stride"));
  }
  enum { kBegin, kEndMask, kEllipsis, kNewAxis, kShrink };
  int64_t masks[5] = {};
  constexpr std::string_view kNames[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                         "shrink_axis_mask"};
  for (size_t i = 0; i < 5; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(masks[i], to.integer(kNames[i], 0));
  }
  const size_t count = begin.size();
  if (end.size() != count) return to.wrong("end", "as many as begin");
  if (stride.size() != count) return to.wrong("stride", "as many as begin");
  if (count > 2 * limits::kMaxDims) return to.wrong("begin", "at most 16");
  const auto is_set = [&](size_t mask, size_t i) { return (masks[mask] >> i & 1) != 0; };
  size_t used = 0;  // dimensions that entries are about
  for (size_t i = 0; i < count; ++i) used += !is_set(kEllipsis, i) && !is_set(kNewAxis, i);
  const Shape own = to.shape(x);
  if (used > own.rank()) return to.wrong("begin", "one for each dimension at most");
  Integers starts, ends, axes, steps;
  std::vector<int64_t> shape;  // -1: what the slice gives
  uint32_t axis = 0;
  bool had_ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    if (is_set(kEllipsis, i)) {
      if (had_ellipsis) return to.wrong("ellipsis_mask", "one bit");
      had_ellipsis = true;
      for (size_t k = used; k < own.rank(); ++k, ++axis) shape.push_back(-1);
      continue;
    }
    if (is_set(kNewAxis, i)) {
      shape.push_back(1);
      continue;
    }
    const auto dim = static_cast<int64_t>(own[axis]);
    if (stride[i] == 0) return to.wrong("stride", "other than 0");
    const bool is_forward = stride[i] > 0;
    axes.push_back(axis++);
    if (is_set(kShrink, i)) {
      const int64_t index = begin[i] < 0 ? begin[i] + dim : begin[i];
      if (index < 0 || index >= dim) return to.wrong("begin", "an index of the dimension");
      starts.push_back(index);
      ends.push_back(index + 1);
      steps.push_back(1);
      continue;
    }
    starts.push_back(!is_set(kBegin, i) ? begin[i] : (is_forward ? 0 : kEnd));
    ends.push_back(!is_set(kEndMask, i) ? end[i] : (is_forward ? kEnd : -kEnd));
    steps.push_back(stride[i]);
    shape.push_back(-1);
  }
  for (; axis < own.rank(); ++axis) shape.push_back(-1);
  Integers gone;
  for (size_t i = 0, k = 0; i < count; ++i) {
    if (is_set(kEllipsis, i) || is_set(kNewAxis, i)) continue;
    if (is_set(kShrink, i)) gone.push_back(axes[k]);
    ++k;
  }
  ValueId y = x;
  if (!starts.empty()) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId from, to.integer_constant(starts));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId until, to.integer_constant(ends));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId along, to.integer_constant(axes));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId by, to.integer_constant(steps));
    SUSURRUS_ASSIGN_OR_RETURN(y, to.add("slice", {x, from, until, along, by}));
  }
  const Shape sliced = to.shape(y);
  std::vector<uint64_t> dims;
  uint32_t from = 0;
  for (const int64_t dim : shape) {
    while (dim == -1 && std::ranges::find(gone, int64_t{from}) != gone.end()) ++from;
    dims.push_back(dim == -1 ? sliced[from++] : 1);
  }
  return to.set(to.reshape(y, dims));
}

Result<ValueId> indices_of(To& to, size_t argument) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId id, to.argument(argument));
  return to.type(id) == ElementType::i32 ? id : to.cast(id, ElementType::i64);
}

Status gather_along(To& to, std::string_view op) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId indices, indices_of(to, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("axis", x, 0));
  return to.set(to.add(op, {x, indices}, {{"axis", int64_t{axis}}}));
}

Status gather(To& to) { return gather_along(to, "gather"); }

/// The indices have one place along the axis.
Status gather_elements(To& to) { return gather_along(to, "gather_elements"); }

Status gather_nd(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId indices, indices_of(to, 1));
  return to.set(to.add("gather_nd", {x, indices}));
}

Status scatter_nd(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId indices, indices_of(to, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId updates, to.argument(2));
  return to.set(to.add("scatter_nd", {x, indices, updates}));
}

Status shuffle(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers order, to.integers("shuffle"));
  for (const int64_t index : order) {
    if (index < 0) return to.wrong("shuffle", "indices of the dimension");
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId indices, to.integer_constant(order));
  return to.set(to.add("gather", {x, indices}, {{"axis", int64_t{axis}}}));
}

/// Cells before and after each dimension; less than 0 cuts off.
Result<ValueId> padded(To& to, ValueId x, Integers before, const Integers& after, double value) {
  before.insert(before.end(), after.begin(), after.end());
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId filling, to.scalar(to.type(x), value));
  return to.add("pad", {x, filling}, {{"pads", std::move(before)}});
}

Status pad(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers padding, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const double value, to.number("padding_value", 0));
  if (padding.size() != 2 * to.shape(x).rank()) {
    return to.wrong("padding", "two for each dimension");
  }
  Integers before, after;
  for (size_t i = 0; i < padding.size(); i += 2) {
    before.push_back(padding[i]);
    after.push_back(padding[i + 1]);
  }
  return to.set(padded(to, x, before, after, value));
}

/// To sizes, in the middle or from a shift on; sizes that are not positive stay.
Status crop(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const Integers size, to.known_integers(1));
  const Shape own = to.shape(x);
  if (size.size() != own.rank()) return to.wrong("size", "one for each dimension");
  Integers shift;
  if (to.has("shift")) {
    SUSURRUS_ASSIGN_OR_RETURN(shift, to.integers("shift"));
    if (shift.size() != own.rank()) return to.wrong("shift", "one for each dimension");
  }
  Integers before, after;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    const int64_t missing = size[i] <= 0 ? 0 : size[i] - static_cast<int64_t>(own[i]);
    before.push_back(size[i] <= 0 ? 0 : (shift.empty() ? missing / 2 : -shift[i]));
    after.push_back(missing - before.back());
  }
  return to.set(padded(to, x, before, after, 0));
}

Status crop_to(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId wanted, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("axis", x, 2));
  const Shape own = to.shape(x);
  const Shape sizes = to.shape(wanted);
  if (sizes.rank() != own.rank()) return to.wrong("argument 1", "as many dimensions");
  Integers offset(own.rank() - axis, 0);
  if (to.has("offset")) {
    SUSURRUS_ASSIGN_OR_RETURN(offset, to.integers("offset"));
    if (offset.size() == 1) offset.resize(own.rank() - axis, offset[0]);
    if (offset.size() != own.rank() - axis) return to.wrong("offset", "one for each dimension");
  }
  Integers starts(own.rank(), 0);
  Integers ends;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    ends.push_back(static_cast<int64_t>(own[i]));
    if (i < axis) continue;
    starts[i] = offset[i - axis];
    const auto size = static_cast<int64_t>(sizes[i]);
    if (starts[i] < 0 || starts[i] > ends[i] || size > ends[i] - starts[i]) {
      return to.wrong("offset", "as much as the second argument has");
    }
    ends[i] = starts[i] + size;
  }
  return to.set(cut(to, x, starts, ends));
}

/// A list for the last dimensions; the others are `usual`.
Result<Integers> right_aligned(To& to, std::string_view name, uint32_t rank) {
  SUSURRUS_ASSIGN_OR_RETURN(Integers list, to.integers(name));
  if (list.size() > rank) return to.wrong(name, "one for each dimension at most");
  list.insert(list.begin(), rank - list.size(), 0);
  return list;
}

/// The middle of dimensions that are too large.
Status limit(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  const Shape own = to.shape(x);
  SUSURRUS_ASSIGN_OR_RETURN(const Integers most, right_aligned(to, "shape", own.rank()));
  Integers before, after;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    const int64_t missing =
        most[i] <= 0 ? 0 : std::min<int64_t>(0, most[i] - static_cast<int64_t>(own[i]));
    before.push_back(missing / 2);
    after.push_back(missing - missing / 2);
  }
  return to.set(padded(to, x, before, after, 0));
}

Status divided(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const double value, to.number("padding_value", 0));
  const Shape own = to.shape(x);
  SUSURRUS_ASSIGN_OR_RETURN(const Integers size, right_aligned(to, "size", own.rank()));
  Integers after;
  for (uint32_t i = 0; i < own.rank(); ++i) {
    const auto dim = static_cast<int64_t>(own[i]);
    after.push_back(size[i] <= 1 ? 0 : (size[i] - dim % size[i]) % size[i]);
  }
  return to.set(padded(to, x, Integers(own.rank(), 0), after, value));
}

Status constant_of_shape(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const Integers dims, to.known_integers(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, to.integer_constant(dims));
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId value, to.has("value") ? to.constant("value") : to.scalar(ElementType::f32, 0));
  return to.set(to.add("constant_of_shape", {value, shape}));
}

/// All of the type of the start.
Status range(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId start, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId end, to.argument(1));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId step, to.argument(2));
  SUSURRUS_ASSIGN_OR_RETURN(end, to.cast(end, to.type(start)));
  SUSURRUS_ASSIGN_OR_RETURN(step, to.cast(step, to.type(start)));
  return to.set(to.add("range", {start, end, step}));
}

Status top(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t number, to.integer("number"));
  if (to.shape(x).rank() == 0) return to.wrong("argument 0", "a dimension at least");
  const int64_t count = std::min(number, static_cast<int64_t>(to.shape(x).last()));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId values, to.add("top", {x}, {{"count", count}}, 2));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId indices, to.cast(values + 1, ElementType::i32));
  return to.set_packed({values, indices});
}

Status argmax(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x));
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId y, to.add("argmax", {x}, {{"axis", int64_t{axis}}, {"keep_dims", int64_t{0}}}));
  return to.set(to.cast(y, ElementType::i32));
}

constexpr TennisOperator kOperators[] = {
    {"slice", 1, 1, slice},
    {"slice_v2", 3, 3, slice_v2},
    {"slice_v3", 3, 5, slice_v3},
    {"strided_slice", 1, 1, strided_slice},
    {"gather", 2, 2, gather},
    {"gatherv2", 2, 2, gather_nd},
    {"gather_elements", 2, 2, gather_elements},
    {"scatter_nd", 3, 3, scatter_nd},
    {"_dimshuffle", 1, 1, shuffle},
    {"pad", 2, 2, pad},
    {"crop_nd", 2, 2, crop},
    {"crop_to", 2, 2, crop_to},
    {"_limit", 1, 1, limit},
    {"divided", 1, 1, divided},
    {"constant_of_shape", 1, 1, constant_of_shape},
    {"range", 3, 3, range},
    {"topkv2", 1, 1, top},
    {"argmax", 1, 1, argmax},
};

}  // namespace

std::span<const TennisOperator> tennis_indexing_operators() { return kOperators; }

}  // namespace susurrus
