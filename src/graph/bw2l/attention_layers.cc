// TR and CTR: blocks of self-attention. Activations are (dim, T, B).
#include <cmath>

#include "graph/bw2l/bw2l_layers.h"

namespace susurrus {
namespace {

struct Heads {
  uint64_t size = 0;
  uint64_t count = 0;
  /// Distances in both directions that have a place of their own; 0: none has.
  int64_t reach = 0;

  uint64_t of_head() const { return size / count; }
};

Result<Heads> read_heads(const Bw2lLine& line) {
  Heads heads;
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t size, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t count, line.integer(3, 1));
  SUSURRUS_ASSIGN_OR_RETURN(heads.reach, line.integer(4, 0));
  if (size % count != 0) return line.wrong("a size that the heads divide");
  heads.size = static_cast<uint64_t>(size);
  heads.count = static_cast<uint64_t>(count);
  return heads;
}

/// [1][B][T][size] to [B][heads][T][of a head].
Result<ValueId> split_heads(Bw2lLine& line, const Heads& heads, const Bw2lActivation& x) {
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId rows,
                            line.add("squeeze", {x.id}, {{"axes", std::vector<int64_t>{0}}}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId split,
                            line.reshape(rows, {0, 0, static_cast<int64_t>(heads.count),
                                                static_cast<int64_t>(heads.of_head())}));
  return line.transpose(split, {0, 2, 1, 3});
}

/// Arrays `first` and after it: wq, wk, wv, wf. Array 0: places of distances, if the heads have any.
Result<Bw2lActivation> attend(Bw2lLine& line, const Heads& heads, Bw2lActivation x, size_t first) {
  std::array<ValueId, 3> parts{};
  for (size_t i = 0; i < 3; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(const Bw2lActivation projected,
                              linear(line, x, first + i, {}, heads.size, heads.size));
    SUSURRUS_ASSIGN_OR_RETURN(parts[i], split_heads(line, heads, projected));
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      const ValueId scale,
      line.constant(static_cast<float>(1 / std::sqrt(static_cast<double>(heads.of_head())))));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId query, line.add("multiply", {parts[0], scale}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId keys, line.transpose(parts[1], {0, 1, 3, 2}));
  SUSURRUS_ASSIGN_OR_RETURN(ValueId scores, line.add("matmul", {query, keys}));
  if (heads.reach > 0) {
    const auto distances = static_cast<uint64_t>(2 * heads.reach - 1);
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId places, line.weight(0, {heads.of_head(), distances}));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId by_distance, line.add("matmul", {query, places}));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId by_place, line.add("relative_positions", {by_distance},
                                                               {{"centre", heads.reach - 1}}));
    SUSURRUS_ASSIGN_OR_RETURN(scores, line.add("add", {scores, by_place}));
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId shares,
                            line.add("softmax", {scores}, {{"axis", int64_t{-1}}}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId mixed, line.add("matmul", {shares, parts[2]}));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId rows, line.transpose(mixed, {0, 2, 1, 3}));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.same_shape(rows, x.id));
  x.timing.sees_all = true;
  return linear(line, x, first + 3, {}, heads.size, heads.size);
}

/// w2 · f(w1 · x): arrays w1 (inner, size) and w2 (size, inner).
Result<Bw2lActivation> feed_forward(Bw2lLine& line, Bw2lActivation x, size_t first, uint64_t size,
                                    uint64_t inner, bool is_swish) {
  SUSURRUS_ASSIGN_OR_RETURN(Bw2lActivation y, linear(line, x, first, {}, size, inner));
  SUSURRUS_ASSIGN_OR_RETURN(y, is_swish ? swish(line, y) : apply(line, "relu", y));
  return linear(line, y, first + 1, {}, inner, size);
}

constexpr std::array<uint32_t, 2> kFrame = {0, 3};
constexpr std::array<uint32_t, 1> kFeatures = {0};
constexpr std::array<uint32_t, 1> kChannels = {2};

/// x + share · y
Result<Bw2lActivation> add_share(Bw2lLine& line, const Bw2lActivation& x, Bw2lActivation y,
                                 float share) {
  if (share != 1) {
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId factor, line.constant(share));
    SUSURRUS_ASSIGN_OR_RETURN(y.id, line.add("multiply", {y.id, factor}));
  }
  return line.sum(x, y);
}

}  // namespace

/// TR dim mlp heads bptt drop [ldrop preLN]
Result<Bw2lActivation> compile_transformer(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_ASSIGN_OR_RETURN(const Heads heads, read_heads(line));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t mlp, line.integer(2, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t norms_first, line.integer(7, 0, 0));
  const auto inner = static_cast<uint64_t>(mlp);
  const size_t first = heads.reach > 0 ? 1 : 0;
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(10 + first, 10 + first));
  SUSURRUS_RETURN_IF_ERROR(line.expect_dim(x, 3, 1));
  SUSURRUS_ASSIGN_OR_RETURN(Bw2lActivation y, attend(line, heads, x, first + 2));
  if (norms_first != 0) {
    SUSURRUS_ASSIGN_OR_RETURN(y, norm_over(line, y, kFrame, first + 6));
    SUSURRUS_ASSIGN_OR_RETURN(const Bw2lActivation middle, line.sum(y, x));
    SUSURRUS_ASSIGN_OR_RETURN(y, feed_forward(line, middle, first, heads.size, inner, false));
    SUSURRUS_ASSIGN_OR_RETURN(y, norm_over(line, y, kFrame, first + 8));
    return line.sum(y, middle);
  }
  SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(y, x));
  SUSURRUS_ASSIGN_OR_RETURN(const Bw2lActivation middle, norm_over(line, y, kFrame, first + 6));
  SUSURRUS_ASSIGN_OR_RETURN(y, feed_forward(line, middle, first, heads.size, inner, false));
  SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(y, middle));
  return norm_over(line, y, kFrame, first + 8);
}

/// CTR dim mlp heads bptt kernel drop [ldrop]. Arrays in this order, after the places of distances.
Result<Bw2lActivation> compile_conformer(Bw2lLine& line, Bw2lActivation x) {
  enum Array : size_t {
    kForward1 = 0,
    kNorm1 = 2,
    kForward2 = 4,
    kNorm2 = 6,
    kAttention = 8,
    kAttentionNorm = 12,
    kConvolution1 = 14,
    kConvolution2 = 16,
    kDepthwise = 18,
    kPointwise = 20,
    kConvolutionNorm1 = 22,
    kConvolutionNorm2 = 24,
    kNorm3 = 26,
    kArrays = 28,
  };
  SUSURRUS_ASSIGN_OR_RETURN(const Heads heads, read_heads(line));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t mlp, line.integer(2, 1));
  Bw2lWindow window;
  SUSURRUS_ASSIGN_OR_RETURN(window.size, line.integer(5, 1));
  window.padding = -1;
  if (window.size % 2 == 0) return line.wrong("an odd kernel: another one makes a frame more");
  const auto inner = static_cast<uint64_t>(mlp);
  const uint64_t size = heads.size;
  const size_t base = heads.reach > 0 ? 1 : 0;
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(kArrays + base, kArrays + base));
  SUSURRUS_RETURN_IF_ERROR(line.expect_dim(x, 3, 1));
  const auto add_forward = [&](const Bw2lActivation& from, size_t norm,
                               size_t forward) -> Result<Bw2lActivation> {
    SUSURRUS_ASSIGN_OR_RETURN(Bw2lActivation y, norm_over(line, from, kFeatures, base + norm));
    SUSURRUS_ASSIGN_OR_RETURN(y, feed_forward(line, y, base + forward, size, inner, true));
    SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(from, y));
    return add_share(line, from, y, 0.5F);
  };
  SUSURRUS_ASSIGN_OR_RETURN(x, add_forward(x, kNorm1, kForward1));

  SUSURRUS_ASSIGN_OR_RETURN(Bw2lActivation y, norm_over(line, x, kFeatures, base + kAttentionNorm));
  SUSURRUS_ASSIGN_OR_RETURN(y, attend(line, heads, y, base + kAttention));
  SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(x, y));
  SUSURRUS_ASSIGN_OR_RETURN(x, line.sum(x, y));

  const Bw2lWindow one;
  SUSURRUS_ASSIGN_OR_RETURN(y, reorder(line, x, {1, 3, 0, 2}));
  SUSURRUS_ASSIGN_OR_RETURN(y, norm_over(line, y, kChannels, base + kConvolutionNorm1));
  SUSURRUS_ASSIGN_OR_RETURN(y, convolve(line, y, base + kConvolution1, size, 2 * size, one, one));
  SUSURRUS_ASSIGN_OR_RETURN(y, gate(line, y, 2));
  SUSURRUS_ASSIGN_OR_RETURN(y, convolve(line, y, base + kDepthwise, size, size, window, one, size));
  SUSURRUS_ASSIGN_OR_RETURN(y, convolve(line, y, base + kPointwise, size, size, one, one));
  SUSURRUS_ASSIGN_OR_RETURN(y, norm_over(line, y, kChannels, base + kConvolutionNorm2));
  SUSURRUS_ASSIGN_OR_RETURN(y, swish(line, y));
  SUSURRUS_ASSIGN_OR_RETURN(y, convolve(line, y, base + kConvolution2, size, size, one, one));
  SUSURRUS_ASSIGN_OR_RETURN(y, reorder(line, y, {2, 0, 3, 1}));
  SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(x, y));
  SUSURRUS_ASSIGN_OR_RETURN(x, line.sum(x, y));

  SUSURRUS_ASSIGN_OR_RETURN(y, add_forward(x, kNorm2, kForward2));
  return norm_over(line, y, kFeatures, base + kNorm3);
}

}  // namespace susurrus
