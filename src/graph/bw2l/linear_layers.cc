// Layers of matrices and norms: L, E, BN, LN, WN, POSEMB.
#include <cmath>

#include "base/checked_math.h"
#include "graph/bw2l/bw2l_layers.h"
#include "graph/bw2l/int8_matrix.h"

namespace susurrus {
namespace {

constexpr float kEpsilon = 1e-5F;

/// The dimensions of the weights of a convolution or L, in ArrayFire's order, and where WN's child has its words.
Result<std::array<uint64_t, 4>> weight_dims(const Bw2lLine& child) {
  const std::string_view code = child.code();
  std::array<uint64_t, 4> dims{1, 1, 1, 1};
  const auto read = [&](size_t place, size_t word) -> Status {
    SUSURRUS_ASSIGN_OR_RETURN(const int64_t size, child.integer(word, 1));
    dims[place] = static_cast<uint64_t>(size);
    return ok_status();
  };
  if (code == "L") {
    SUSURRUS_RETURN_IF_ERROR(read(0, 2));
    SUSURRUS_RETURN_IF_ERROR(read(1, 1));
    return dims;
  }
  SUSURRUS_RETURN_IF_ERROR(read(0, 3));
  if (code == "C2") SUSURRUS_RETURN_IF_ERROR(read(1, 4));
  SUSURRUS_RETURN_IF_ERROR(read(2, 1));
  SUSURRUS_RETURN_IF_ERROR(read(3, 2));
  return dims;
}

/// v · g / ‖v‖, the norm being that of all elements of an index of `dim`; v is [inner-most … outer-most] in ArrayFire's order.
Status fold_norm(const Bw2lLine& line, std::span<float> v, std::span<const float> g, size_t inner) {
  for (size_t index = 0; index < g.size(); ++index) {
    double sum = 0;
    const auto visit = [&](auto&& one) {
      for (size_t at = index * inner; at < v.size(); at += g.size() * inner) {
        for (size_t i = 0; i < inner; ++i) one(v[at + i]);
      }
    };
    visit([&](float value) { sum += static_cast<double>(value) * static_cast<double>(value); });
    if (!(sum > 0)) return line.wrong("weights with a norm above 0");
    const double factor = static_cast<double>(g[index]) / std::sqrt(sum);
    visit([&](float& value) { value = static_cast<float>(static_cast<double>(value) * factor); });
  }
  return ok_status();
}

}  // namespace

Result<Bw2lActivation> linear(Bw2lLine& line, Bw2lActivation x, size_t weights,
                              std::optional<size_t> bias, uint64_t in, uint64_t out) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_dim(x, 0, in));
  const Bw2lWeights& stored = line.stored(weights);
  SUSURRUS_ASSIGN_OR_RETURN(auto integers, pack_int8_matrix(line, stored, in, out));
  if (integers) {
    SUSURRUS_ASSIGN_OR_RETURN(x.id, multiply_int8(line, x.id, std::move(*integers), *stored.layer));
  } else {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId matrix, line.weight(weights, {in, out}));
    SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("matmul", {x.id, matrix}));
  }
  x.dims[0] = out;
  if (!bias) return x;
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId added, line.weight(*bias, {out}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("add", {x.id, added}));
  return x;
}

/// L in out [bias]: whether there is one the arrays tell.
Result<Bw2lActivation> compile_linear(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(1, 2));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t in, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t out, line.integer(2, 1));
  const auto bias = line.array_count() == 2 ? std::optional<size_t>(1) : std::nullopt;
  return linear(line, x, 0, bias, static_cast<uint64_t>(in), static_cast<uint64_t>(out));
}

/// E emb ntok: (d0, d1, d2) indices become (emb, d0, d1, d2).
Result<Bw2lActivation> compile_embedding(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t size, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t count, line.integer(2, 1));
  if (x.dims[3] != 1) return line.wrong_size("dimension 3 of its input:", 1, x.dims[3]);
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId table, line.weight(0, {static_cast<uint64_t>(count),
                                                                 static_cast<uint64_t>(size)}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("squeeze", {x.id}, {{"axes", std::vector<int64_t>{0}}}));
  SUSURRUS_ASSIGN_OR_RETURN(
      x.id, line.add("cast", {x.id}, {{"to", static_cast<int64_t>(ElementType::i64)}}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("gather", {table, x.id}, {{"axis", int64_t{0}}}));
  x.dims = {static_cast<uint64_t>(size), x.dims[0], x.dims[1], x.dims[2]};
  ++x.timing.dim;
  return x;
}

/// BN size d…: with running statistics, which have to be there: w, b, mean, variance.
Result<Bw2lActivation> compile_batch_norm(Bw2lLine& line, Bw2lActivation x) {
  if (line.array_count() == 2) return line.unsupported("a batch norm with its running statistics");
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(4, 4));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t given, line.integer(1, 1));
  const auto size = static_cast<uint64_t>(given);
  std::array<uint64_t, 4> dims{1, 1, 1, 1};
  uint64_t product = 1;
  for (size_t word = 2; word <= line.word_count(); ++word) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim, line.dim(word));
    dims[dim] = line.word_count() == 2 && x.dims[dim] == kAnyDim ? size : x.dims[dim];
    const auto next = checked_multiply(product, dims[dim]);
    if (!next || dims[dim] == kAnyDim) return line.wrong("dimensions that are known");
    product = *next;
  }
  if (product != size) return line.wrong_size("its dimensions' size:", product, size);
  const Shape shape{dims[3], dims[2], dims[1], dims[0]};
  std::array<OwnedTensor, 4> arrays;
  for (size_t i = 0; i < 4; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(arrays[i], line.take(i, shape));
  }
  const auto& [weights, biases, means, variances] = arrays;
  std::vector<float> scales(size);
  std::vector<float> shifts(size);
  for (size_t i = 0; i < size; ++i) {
    const float variance = variances.buffer.floats()[i];
    if (!(variance >= 0)) return line.wrong("variances of 0 or more");
    scales[i] = weights.buffer.floats()[i] / std::sqrt(variance + kEpsilon);
    shifts[i] = biases.buffer.floats()[i] - means.buffer.floats()[i] * scales[i];
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId scale, line.constant(shape, scales));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shift, line.constant(shape, shifts));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("multiply", {x.id, scale}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("add", {x.id, shift}));
  return x;
}

Result<Bw2lActivation> norm_over(Bw2lLine& line, Bw2lActivation x, std::span<const uint32_t> dims,
                                 size_t first) {
  std::vector<int64_t> axes;
  for (const uint32_t dim : dims) {
    axes.push_back(axis_of_dim(dim));
    x.timing.sees_all = x.timing.sees_all || dim == x.timing.dim;
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId scale, line.weight(first, {1}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId bias, line.weight(first + 1, {1}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("axes_norm", {x.id, scale, bias}, {{"axes", axes}}));
  return x;
}

/// LN a…: over the dimensions that are listed.
Result<Bw2lActivation> compile_layer_norm(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(2, 2));
  std::vector<uint32_t> dims;
  for (size_t word = 1; word <= line.word_count(); ++word) {
    SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim, line.dim(word));
    for (const uint32_t other : dims) {
      if (other == dim) return line.wrong("each dimension once");
    }
    dims.push_back(dim);
  }
  return norm_over(line, x, dims, 0);
}

/// WN dim child…: the child's weights are made when the model is loaded.
Result<Bw2lActivation> compile_weight_norm(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(2, 3));
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t dim, line.dim(1));
  std::vector<Bw2lWeights> made(line.array_count() - 1);
  Bw2lLine child(line, 2, made);
  const Bw2lCompile compile = find_bw2l_layer(child.code());
  const bool has_weights =
      child.code() == "L" || compile == compile_convolution || compile == compile_convolution_2d;
  if (!has_weights) return line.wrong("a convolution or linear layer");
  SUSURRUS_ASSIGN_OR_RETURN(const auto dims, weight_dims(child));
  Shape shape;
  for (const uint64_t size : dims) shape.append(size);
  SUSURRUS_ASSIGN_OR_RETURN(made[0].made, line.take(0, shape));
  SUSURRUS_ASSIGN_OR_RETURN(const OwnedTensor gains, line.take(1, {dims[dim]}));
  size_t inner = 1;
  for (uint32_t i = 0; i < dim; ++i) inner *= static_cast<size_t>(dims[i]);
  const std::span<const float> factors = gains.buffer.floats();
  SUSURRUS_RETURN_IF_ERROR(fold_norm(line, made[0].made.view().as<float>(),
                                     factors.first(static_cast<size_t>(dims[dim])), inner));
  if (made.size() == 2) {
    SUSURRUS_ASSIGN_OR_RETURN(made[1].made, line.take(2, {line.count(2)}));
  }
  return compile(child, x);
}

/// POSEMB dim csz: adds the first T of csz rows.
Result<Bw2lActivation> compile_positions(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t size, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t count, line.integer(2, 1));
  SUSURRUS_RETURN_IF_ERROR(line.expect_dim(x, 0, static_cast<uint64_t>(size)));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId table, line.weight(0, {static_cast<uint64_t>(count),
                                                                 static_cast<uint64_t>(size)}));
  GraphBuilder& builder = line.build().builder;
  const std::array<int64_t, 1> zero = {0};
  const std::array<int64_t, 1> two = {2};
  const std::array<int64_t, 1> three = {3};
  const std::array<int64_t, 1> end = {4};
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId first, builder.add_integers({}, zero));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId begin, builder.add_integers({}, two));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId stop, builder.add_integers({}, end));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId all, line.add("shape", {x.id}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId plane, line.add("slice", {all, begin, stop}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId middle, builder.add_integers({}, three));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId frames, line.add("slice", {all, begin, middle}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId rows, line.add("slice", {table, first, frames}));
  // Fails where there are more frames than rows.
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId fitting,
                            line.add("reshape", {rows, plane}, {{"allow_zero", int64_t{1}}}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("add", {x.id, fitting}));
  // Each frame depends on where it is.
  x.timing.sees_all = true;
  return x;
}

}  // namespace susurrus
