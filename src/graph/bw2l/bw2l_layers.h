#pragma once
#include "graph/bw2l/bw2l_layer.h"

namespace susurrus {

/// Puts a line's layer after `x`. The line's words have been counted, its numbers have not been looked at.
using Bw2lCompile = Result<Bw2lActivation> (*)(Bw2lLine& line, Bw2lActivation x);

/// Null for a code that is not known.
Bw2lCompile find_bw2l_layer(std::string_view code);

// One function for each layer, or for several that differ little.
Result<Bw2lActivation> compile_view(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_reorder(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_padding(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_convolution(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_convolution_2d(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_pooling(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_activation(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_prelu(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_gated_linear(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_log_softmax(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_swish(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_linear(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_embedding(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_batch_norm(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_layer_norm(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_weight_norm(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_time_depth_separable(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_transformer(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_conformer(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> compile_positions(Bw2lLine& line, Bw2lActivation x);
/// Nothing happens when a trained network runs.
Result<Bw2lActivation> compile_nothing(Bw2lLine& line, Bw2lActivation x);
Result<Bw2lActivation> refuse_recurrent(Bw2lLine& line, Bw2lActivation x);

// What larger layers are made of.

/// A window that runs over a dimension.
struct Bw2lWindow {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  /// On both sides; -1: flashlight's SAME.
  int64_t padding = 0;
  /// Asymmetric convolutions': what part of the padding is for frames to come.
  double future = 0.5;

  int64_t reach() const { return (size - 1) * dilation; }
};
/// Over dimensions 0 and 1. Weights: array `first` (x.size, y.size, in, out), of groups (x.size, y.size, in / groups, out), and after it
/// a bias of `out`.
Result<Bw2lActivation> convolve(Bw2lLine& line, const Bw2lActivation& x, size_t first, uint64_t in,
                                uint64_t out, const Bw2lWindow& over_x, const Bw2lWindow& over_y,
                                uint64_t groups = 1);
/// How a window changes a dimension and its timing. shape_mismatch where it is larger than the dimension.
Status apply_window(const Bw2lLine& line, Bw2lActivation& x, uint32_t dim,
                    const Bw2lWindow& window);
/// Over dimension 0; array `weights` (out, in), array `bias` (out), if any.
Result<Bw2lActivation> linear(Bw2lLine& line, Bw2lActivation x, size_t weights,
                              std::optional<size_t> bias, uint64_t in, uint64_t out);
/// Arrays `first` and after it: a scale and a bias, one number each.
Result<Bw2lActivation> norm_over(Bw2lLine& line, Bw2lActivation x, std::span<const uint32_t> dims,
                                 size_t first);
/// Elementwise.
Result<Bw2lActivation> apply(Bw2lLine& line, std::string_view op, Bw2lActivation x);
/// x · σ(beta · x)
Result<Bw2lActivation> swish(Bw2lLine& line, Bw2lActivation x, double beta = 1);
/// Dimension i of the result is dimension order[i] of x.
Result<Bw2lActivation> reorder(Bw2lLine& line, Bw2lActivation x,
                               const std::array<uint32_t, 4>& order);
Result<Bw2lActivation> gate(Bw2lLine& line, Bw2lActivation x, uint32_t dim);

}  // namespace susurrus
