#include "graph/bw2l/bw2l_layer.h"

#include <algorithm>
#include <cmath>

#include "container/bw2l/bw2l_number.h"
#include "graph/bw2l/bw2l_reals.h"

namespace susurrus {
namespace {

constexpr size_t kMostParts = 1 << 15;
constexpr double kMostInteger = double{1 << 30};

std::vector<std::string> words_of(std::string_view line, const Bw2lBuild& build) {
  std::string text(line);
  const auto replace = [&text](std::string_view name, uint64_t number) {
    const std::string digits = std::to_string(number);
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += digits.size()) {
      text.replace(at, name.size(), digits);
    }
  };
  replace("NFEAT", build.feature_count);
  replace("NLABEL", build.label_count);
  constexpr std::string_view kBlanks = " \t\r\f\v\n";
  std::vector<std::string> words;
  for (size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string::npos;) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace

Bw2lLine::Bw2lLine(Bw2lBuild& build, size_t layer, std::string_view line, uint64_t offset,
                   std::span<Bw2lWeights> weights)
    : build_(&build),
      layer_(layer),
      line_(line),
      offset_(offset),
      words_(words_of(line, build)),
      weights_(weights) {
  build.builder.at(std::string(place().view()), offset);
}

Bw2lLine::Bw2lLine(const Bw2lLine& outer, size_t first, std::span<Bw2lWeights> weights)
    : build_(outer.build_),
      layer_(outer.layer_),
      line_(outer.line_),
      offset_(outer.offset_),
      words_(outer.words_.begin() + static_cast<std::ptrdiff_t>(first), outer.words_.end()),
      weights_(weights) {}

FixedString<120> Bw2lLine::place() const {
  return {"layers[" + std::to_string(layer_) + "] (" + line_ + ")"};
}

Error Bw2lLine::wrong(std::string_view expected) const {
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
      .at(offset_)
      .with_subject(place().view())
      .with_expected(expected);
}

Error Bw2lLine::wrong_size(std::string_view what, uint64_t expected, uint64_t got) const {
  return make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
      .at(offset_)
      .with_subject(place().view())
      .with_expected(std::string(what) + " " + std::to_string(expected))
      .with_got(got);
}

Error Bw2lLine::unsupported(std::string_view expected) const {
  return make_error(ErrorCode::unsupported_operator, ErrorReason::unsupported)
      .at(offset_)
      .with_subject(place().view())
      .with_expected(expected);
}

Result<int64_t> Bw2lLine::integer(size_t word, int64_t least, std::optional<int64_t> usual) const {
  if (!has(word) && usual) return *usual;
  const auto value = has(word) ? parse_decimal(words_[word]) : std::nullopt;
  if (!value || *value != std::floor(*value) || *value < static_cast<double>(least) ||
      *value > kMostInteger) {
    return wrong("a whole number from " + std::to_string(least) + " as word " +
                 std::to_string(word));
  }
  return static_cast<int64_t>(*value);
}

Result<double> Bw2lLine::number(size_t word, double usual) const {
  if (!has(word)) return usual;
  const auto value = parse_decimal(words_[word]);
  if (!value) return wrong("a number as word " + std::to_string(word));
  return *value;
}

Result<uint32_t> Bw2lLine::dim(size_t word) const {
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t dim, integer(word, 0));
  if (dim > 3) return wrong("a dimension from 0 to 3 as word " + std::to_string(word));
  return static_cast<uint32_t>(dim);
}

Status Bw2lLine::count_part() {
  if (++build_->part_count <= kMostParts) return ok_status();
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .at(offset_)
      .with_subject(place().view())
      .with_expected("a network of fewer parts");
}

Status Bw2lLine::expect_arrays(size_t least, size_t most) const {
  if (array_count() >= least && array_count() <= most) return ok_status();
  return wrong_size(least == most ? "arrays:" : "arrays, at least", least, array_count());
}

Result<OwnedTensor> Bw2lLine::take(size_t array, const Shape& shape) {
  Bw2lWeights& weights = weights_[array];
  const auto count = shape.element_count();
  if (count != weights.count()) {
    const uint64_t wanted = count.value_or(~uint64_t{0});
    return wrong_size("elements in array " + std::to_string(array) + ":", wanted, weights.count());
  }
  if (weights.array == nullptr) {
    weights.made.shape = shape;
    return std::move(weights.made);
  }
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(ElementType::f32, shape, "weights"));
  const std::span<float> reals = tensor.view().as<float>();
  if (!read_bw2l_reals(*weights.array, build_->file, weights.layer->scale, weights.layer->offset,
                       reals)) {
    return not_held();
  }
  if (!std::ranges::all_of(reals, [](float value) { return std::isfinite(value); })) {
    build_->warnings.push_back(std::string(place().view()) + " has weights that are no numbers");
  }
  return tensor;
}

Result<ValueId> Bw2lLine::weight(size_t array, const Shape& shape) {
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor, take(array, shape));
  return build_->builder.add_constant({}, std::move(tensor));
}

Result<ValueId> Bw2lLine::constant(const Shape& shape, std::span<const float> values) {
  SUSURRUS_ASSIGN_OR_RETURN(OwnedTensor tensor,
                            OwnedTensor::allocate(ElementType::f32, shape, "constants"));
  std::ranges::copy(values, tensor.view().f32());
  return build_->builder.add_constant({}, std::move(tensor));
}

Result<ValueId> Bw2lLine::add(std::string_view op, std::initializer_list<ValueId> inputs,
                              std::initializer_list<Attribute> attributes, size_t output_count) {
  SUSURRUS_RETURN_IF_ERROR(count_part());
  return build_->builder.add(op, {inputs.begin(), inputs.size()},
                             {attributes.begin(), attributes.size()}, output_count);
}

Result<ValueId> Bw2lLine::reshape(ValueId x, std::initializer_list<int64_t> dims) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape,
                            build_->builder.add_integers({}, {dims.begin(), dims.size()}));
  return add("reshape", {x, shape});
}

Result<ValueId> Bw2lLine::transpose(ValueId x, std::initializer_list<int64_t> perm) {
  return add("transpose", {x}, {{"perm", std::vector<int64_t>(perm)}});
}

Result<ValueId> Bw2lLine::same_shape(ValueId x, ValueId like) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shape, add("shape", {like}));
  return add("reshape", {x, shape}, {{"allow_zero", int64_t{1}}});
}

Result<Bw2lActivation> Bw2lLine::sum(const Bw2lActivation& a, const Bw2lActivation& b) {
  Bw2lActivation result = a;
  for (uint32_t i = 0; i < 4; ++i) {
    if (b.dims[i] != kAnyDim) SUSURRUS_RETURN_IF_ERROR(expect_dim(a, i, b.dims[i]));
    if (result.dims[i] == kAnyDim) result.dims[i] = b.dims[i];
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId other, same_shape(b.id, a.id));
  SUSURRUS_ASSIGN_OR_RETURN(result.id, add("add", {a.id, other}));
  Bw2lTiming& timing = result.timing;
  timing.first = std::min(timing.first, b.timing.first);
  timing.last = std::max(timing.last, b.timing.last);
  timing.sees_all = timing.sees_all || b.timing.sees_all || timing.stride != b.timing.stride ||
                    timing.dim != b.timing.dim;
  return result;
}

Status Bw2lLine::expect_dim(const Bw2lActivation& x, uint32_t dim, uint64_t size) const {
  if (x.dims[dim] == size || x.dims[dim] == kAnyDim) return ok_status();
  return wrong_size("dimension " + std::to_string(dim) + " of its input:", size, x.dims[dim]);
}

}  // namespace susurrus
