// TenniS's operators of structure and shape.
#include <algorithm>
#include <functional>
#include <numeric>

#include "graph/tennis/tennis_translation.h"

namespace susurrus {
namespace {

using To = TennisTranslation;
using Dims = std::vector<uint64_t>;

Dims dims_of(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

uint64_t product(std::span<const uint64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), uint64_t{1}, std::multiplies<>());
}

Status field(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t offset, to.integer("offset"));
  const auto fields = to.fields(0);
  if (offset < 0 || static_cast<uint64_t>(offset) >= fields.size()) {
    return to.wrong("offset", "a field below " + std::to_string(fields.size()));
  }
  return to.set(fields[static_cast<size_t>(offset)]);
}

Status pack(To& to) {
  std::vector<ValueId> fields;
  for (size_t i = 0; i < to.argument_count(); ++i) {
    for (const ValueId id : to.fields(i)) fields.push_back(id);
  }
  return to.set_packed(std::move(fields));
}

Status copy(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  return to.set(x);
}

Status cast(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t number, to.integer("dtype"));
  const auto dtype = number < 0 || number > 32
                         ? std::nullopt
                         : tennis_dtype_from_number(static_cast<int8_t>(number));
  const auto type = dtype ? tennis_element_type(*dtype) : std::nullopt;
  if (!type) return to.wrong("dtype", "a type that is calculated with here");
  return to.set(to.cast(x, *type));
}

Status to_float(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  return to.set(to.cast(x, ElementType::f32));
}

Status shape(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  const Shape own = to.shape(x);
  const std::vector<int64_t> dims(own.dims().begin(), own.dims().end());
  return to.set(to.short_constant({dims.size()}, dims));
}

Status dims(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  const int64_t rank = to.shape(x).rank();
  return to.set(to.short_constant({}, {&rank, 1}));
}

Status reshape_to(To& to, const std::vector<int64_t>& wanted) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, to.integer_constant(wanted));
  return to.set(to.add("reshape", {x, shape}));
}

Status reshape(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, to.integers("shape"));
  return reshape_to(to, wanted);
}

Status reshape_v2(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, to.known_integers(1));
  return reshape_to(to, wanted);
}

/// Dimensions before `dim` stay; where there are fewer, ones come after.
Status flatten(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t dim, to.integer("dim", 1));
  if (dim < 0 || dim >= static_cast<int64_t>(limits::kMaxDims)) return to.wrong("dim", "0 to 7");
  const Dims own = dims_of(to.shape(x));
  const auto kept = std::min(own.size(), static_cast<size_t>(dim));
  Dims wanted(own.begin(), own.begin() + static_cast<ptrdiff_t>(kept));
  wanted.push_back(product(std::span(own).subspan(kept)));
  wanted.resize(static_cast<size_t>(dim) + 1, 1);
  return to.set(to.reshape(x, wanted));
}

Status flatten2d(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t dim, to.integer("dim", 1));
  const Dims own = dims_of(to.shape(x));
  if (dim < 0 || static_cast<uint64_t>(dim) > own.size()) return to.wrong("dim", "an axis");
  const auto rows = product(std::span(own).first(static_cast<size_t>(dim)));
  const auto columns = product(std::span(own).subspan(static_cast<size_t>(dim)));
  return to.set(to.reshape(x, Dims{rows, columns}));
}

/// Without a permutation the last two dimensions change places; with a longer one ones come in front.
Status transpose(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(ValueId x, to.argument(0));
  Dims own = dims_of(to.shape(x));
  std::vector<int64_t> order(own.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  if (to.has("permute")) {
    SUSURRUS_ASSIGN_OR_RETURN(order, to.integers("permute"));
  }
  if (!to.has("permute") || order.empty()) {
    if (own.size() < 2) return to.wrong("permute", "two dimensions, or a permutation");
    order.resize(own.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[own.size() - 1], order[own.size() - 2]);
  }
  if (order.size() > own.size()) {
    own.insert(own.begin(), order.size() - own.size(), 1);
    SUSURRUS_ASSIGN_OR_RETURN(x, to.reshape(x, own));
  }
  return to.set(to.add("transpose", {x}, {{"perm", std::move(order)}}));
}

/// Ones in front, at most `front`, and after, at most `end`, up to a rank; -1: any number.
Status expand(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  int64_t rank = 0;
  if (to.argument_count() > 1) {
    SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> known, to.known_integers(1));
    if (known.size() != 1) return to.wrong("dims", "one number");
    rank = known[0];
  } else {
    SUSURRUS_ASSIGN_OR_RETURN(rank, to.integer("dims"));
  }
  if (rank > static_cast<int64_t>(limits::kMaxDims)) return to.wrong("dims", "at most 8");
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t front, to.integer("front", -1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t end, to.integer("end", -1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t is_inverse, to.integer("inverse", 0));
  Dims own = dims_of(to.shape(x));
  const auto fill = [&](bool is_front, int64_t most) {
    const int64_t missing = std::max<int64_t>(0, rank - static_cast<int64_t>(own.size()));
    const auto count = static_cast<size_t>(most < 0 ? missing : std::min(most, missing));
    own.insert(is_front ? own.begin() : own.end(), count, 1);
  };
  fill(is_inverse == 0, is_inverse == 0 ? front : end);
  fill(is_inverse != 0, is_inverse == 0 ? end : front);
  return to.set(to.reshape(x, own));
}

/// The last axis first; each counts in what is left.
Status squeeze(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  Dims own = dims_of(to.shape(x));
  std::vector<int64_t> axes;
  if (to.has("axes")) {
    SUSURRUS_ASSIGN_OR_RETURN(axes, to.integers("axes"));
  }
  if (axes.empty()) std::erase(own, uint64_t{1});
  std::ranges::reverse(axes);
  for (int64_t axis : axes) {
    const auto rank = static_cast<int64_t>(own.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || own[static_cast<size_t>(axis)] != 1) {
      return to.wrong("axes", "axes of size 1");
    }
    own.erase(own.begin() + axis);
  }
  return to.set(to.reshape(x, own));
}

Status unsqueeze(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, to.integers("axes"));
  Dims own = dims_of(to.shape(x));
  for (int64_t axis : axes) {
    const auto rank = static_cast<int64_t>(own.size());
    if (axis < 0) axis += rank + 1;
    if (axis < 0 || axis > rank) return to.wrong("axes", "axes of the output");
    own.insert(own.begin() + axis, 1);
  }
  return to.set(to.reshape(x, own));
}

Result<std::vector<ValueId>> all_arguments(To& to) {
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < to.argument_count(); ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(i));
    inputs.push_back(x);
  }
  return inputs;
}

Status concat(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const auto inputs, all_arguments(to));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", inputs[0]));
  const Attribute attribute{"axis", int64_t{axis}};
  return to.set(to.add("concat", inputs, {&attribute, 1}, 1));
}

Status stack(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(auto inputs, all_arguments(to));
  SUSURRUS_ASSIGN_OR_RETURN(int64_t axis, to.integer("axis", 0));
  const int64_t rank = to.shape(inputs[0]).rank();
  if (axis < 0) axis += rank + 1;
  if (axis < 0 || axis > rank) return to.wrong("axis", "an axis of the output");
  for (ValueId& x : inputs) {
    SUSURRUS_ASSIGN_OR_RETURN(x, to.add("unsqueeze", {x}, {{"axes", std::vector<int64_t>{axis}}}));
  }
  const Attribute attribute{"axis", axis};
  return to.set(to.add("concat", inputs, {&attribute, 1}, 1));
}

Status split_into(To& to, ValueId x, uint32_t axis, std::vector<int64_t> sizes) {
  if (sizes.empty()) return to.wrong("sizes", "at least one");
  const size_t count = sizes.size();
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId first,
      to.add("split", {x}, {{"axis", int64_t{axis}}, {"sizes", std::move(sizes)}}, count));
  std::vector<ValueId> fields;
  for (size_t i = 0; i < count; ++i) fields.push_back(first + static_cast<ValueId>(i));
  return to.set_packed(std::move(fields));
}

Status chunk(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t chunks, to.integer("chunks"));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("dim", x, -2));
  auto left = static_cast<int64_t>(to.shape(x)[axis]);
  if (chunks < 1 || chunks > left) return to.wrong("chunks", "1 to the size of the dimension");
  const int64_t size = (left + chunks - 1) / chunks;
  if ((left + size - 1) / size != chunks) return to.wrong("chunks", "as many parts as it gives");
  std::vector<int64_t> sizes;
  for (; left > 0; left -= size) sizes.push_back(std::min(size, left));
  return split_into(to, x, axis, std::move(sizes));
}

Status split(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t axis, to.axis("axis", x));
  return split_into(to, x, axis, std::move(sizes));
}

Status broadcast(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId x, to.argument(0));
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, to.known_integers(1));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, to.integer_constant(wanted));
  return to.set(to.add("expand", {x, shape}));
}

/// The shorter of shape and repeats gets ones in front.
Status tile_by(To& to, std::vector<int64_t> repeats) {
  SUSURRUS_ASSIGN_OR_RETURN(ValueId x, to.argument(0));
  Dims own = dims_of(to.shape(x));
  if (repeats.size() > limits::kMaxDims) return to.wrong("repeats", "at most 8");
  if (own.size() < repeats.size()) {
    own.insert(own.begin(), repeats.size() - own.size(), 1);
    SUSURRUS_ASSIGN_OR_RETURN(x, to.reshape(x, own));
  }
  repeats.insert(repeats.begin(), own.size() - repeats.size(), 1);
  return to.set(to.add("tile", {x}, {{"repeats", std::move(repeats)}}));
}

Status tile(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> repeats, to.integers("repeats"));
  return tile_by(to, std::move(repeats));
}

Status tile_v2(To& to) {
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<int64_t> repeats, to.known_integers(1));
  return tile_by(to, std::move(repeats));
}

constexpr TennisOperator kOperators[] = {
    {"_field", 1, 1, field},
    {"_pack", 1, kAnyNumber, pack},
    {"_copy", 1, 1, copy},
    {"_cast", 1, 1, cast},
    {"to_float", 1, 1, to_float},
    {"_shape", 1, 1, shape},
    {"_dims", 1, 1, dims},
    {"_reshape", 1, 1, reshape},
    {"_reshape_v2", 2, 2, reshape_v2},
    {"flatten", 1, 1, flatten},
    {"flatten2d", 1, 1, flatten2d},
    {"_transpose", 1, 1, transpose},
    {"_expand", 1, 2, expand},
    {"squeeze", 1, 1, squeeze},
    {"unsqueeze", 1, 1, unsqueeze},
    {"concat", 1, kAnyNumber, concat},
    {"stack", 1, kAnyNumber, stack},
    {"chunk", 1, 1, chunk},
    {"split", 2, 2, split},
    {"broadcast", 2, 2, broadcast},
    {"tile", 1, 1, tile},
    {"tile_v2", 2, 2, tile_v2},
};

}  // namespace

std::span<const TennisOperator> tennis_shaping_operators() { return kOperators; }

}  // namespace susurrus
