// TDS: a convolution over time and a block of two matrices, each with what came in added, and normalised.
#include "graph/bw2l/bw2l_layers.h"

namespace susurrus {
namespace {

/// (T, w, c, B) to (c · w, T, 1, B), and back.
Result<Bw2lActivation> flatten(Bw2lLine& line, const Bw2lActivation& x, uint64_t size) {
  SUSURRUS_ASSIGN_OR_RETURN(Bw2lActivation y, reorder(line, x, {2, 1, 0, 3}));
  const uint64_t frames = y.dims[2];
  // [B][T][w][c]
  SUSURRUS_ASSIGN_OR_RETURN(y.id, line.reshape(y.id, {0, 0, 1, static_cast<int64_t>(size)}));
  SUSURRUS_ASSIGN_OR_RETURN(y.id, line.transpose(y.id, {0, 2, 1, 3}));
  y.dims = {size, frames, 1, y.dims[3]};
  y.timing.dim = y.timing.dim == 2 ? 1 : y.timing.dim;
  return y;
}

Result<Bw2lActivation> unflatten(Bw2lLine& line, const Bw2lActivation& x, uint64_t width,
                                 uint64_t channels) {
  Bw2lActivation y = x;
  SUSURRUS_ASSIGN_OR_RETURN(y.id, line.transpose(y.id, {0, 2, 1, 3}));
  SUSURRUS_ASSIGN_OR_RETURN(y.id, line.reshape(y.id, {0, 0, static_cast<int64_t>(width),
                                                      static_cast<int64_t>(channels)}));
  y.dims = {channels, width, x.dims[1], x.dims[3]};
  y.timing.dim = y.timing.dim == 1 ? 2 : y.timing.dim;
  return reorder(line, y, {2, 1, 0, 3});
}

}  // namespace

/// TDS c k w [drop inner rPad lnTime]. The sizes of the matrices follow from their biases: files have had other widths.
Result<Bw2lActivation> compile_time_depth_separable(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(10, 10));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t channel_count, line.integer(1, 1));
  Bw2lWindow window;
  SUSURRUS_ASSIGN_OR_RETURN(window.size, line.integer(2, 1));
  SUSURRUS_ASSIGN_OR_RETURN([[maybe_unused]] const int64_t unused_width, line.integer(3, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t right, line.integer(6, -1, -1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t has_time, line.integer(7, 0, 1));
  const auto channels = static_cast<uint64_t>(channel_count);
  const uint64_t inner = line.count(5);
  const uint64_t size = line.count(7);
  const uint64_t width = size / channels;
  if (size == 0 || size % channels != 0)
    return line.wrong_size("a multiple in array 7 of", channels, size);
  if (inner == 0) return line.wrong("elements in array 5");
  if (right >= window.size) return line.wrong("padding on the right of at most k - 1");
  if (right < 0 && window.size % 2 == 0) return line.wrong("an odd k, or padding on the right");
  SUSURRUS_RETURN_IF_ERROR(line.expect_dim(x, 1, width));
  Bw2lActivation y = x;
  if (right < 0) {
    window.padding = -1;
  } else {
    const int64_t left = window.size - 1 - right;
    SUSURRUS_ASSIGN_OR_RETURN(
        y.id,
        line.add("pad", {y.id}, {{"pads", std::vector<int64_t>{0, 0, 0, left, 0, 0, 0, right}}}));
    if (y.dims[0] != kAnyDim) y.dims[0] += static_cast<uint64_t>(window.size - 1);
    if (y.timing.dim == 0) {
      y.timing.first -= y.timing.stride * static_cast<double>(left);
      y.timing.last -= y.timing.stride * static_cast<double>(left);
    }
  }
  const std::array<uint32_t, 3> all_dims = {0, 1, 2};
  const std::span<const uint32_t> dims = std::span(all_dims).subspan(has_time != 0 ? 0 : 1);
  SUSURRUS_ASSIGN_OR_RETURN(y, convolve(line, y, 0, channels, channels, window, {}));
  SUSURRUS_ASSIGN_OR_RETURN(y, apply(line, "relu", y));
  SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(y, x));
  SUSURRUS_ASSIGN_OR_RETURN(const Bw2lActivation middle, norm_over(line, y, dims, 2));
  SUSURRUS_ASSIGN_OR_RETURN(y, flatten(line, middle, size));
  SUSURRUS_ASSIGN_OR_RETURN(y, linear(line, y, 4, 5, size, inner));
  SUSURRUS_ASSIGN_OR_RETURN(y, apply(line, "relu", y));
  SUSURRUS_ASSIGN_OR_RETURN(y, linear(line, y, 6, 7, inner, size));
  SUSURRUS_ASSIGN_OR_RETURN(y, unflatten(line, y, width, channels));
  SUSURRUS_ASSIGN_OR_RETURN(y, line.sum(y, middle));
  return norm_over(line, y, dims, 8);
}

}  // namespace susurrus
