// Windows that run over time and features: C, C1, C2, AC, M, A.
#include <limits>

#include "graph/bw2l/bw2l_layers.h"
#include "graph/ops/window_padding.h"

namespace susurrus {
namespace {

constexpr int64_t kMostPool = 4096;

/// Padding of a dimension whose size is known, or that does not depend on it.
std::optional<WindowPadding> padding_of(const Bw2lWindow& window, uint64_t dim) {
  int64_t padding = window.padding;
  if (padding < 0) {
    if (dim == kAnyDim && window.stride != 1) return std::nullopt;
    padding = same_padding(dim == kAnyDim ? 0 : dim, window.reach(), window.stride);
  }
  return moved_padding(padding, window.stride, window.future);
}

Result<ValueId> pad_window(Bw2lLine& line, ValueId x, uint32_t dim, const Bw2lWindow& window,
                           double filling) {
  return line.add("window_pad", {x},
                  {{"axis", axis_of_dim(dim)},
                   {"reach", window.reach()},
                   {"stride", window.stride},
                   {"padding", window.padding},
                   {"future", window.future},
                   {"filling", filling}});
}

}  // namespace

Status apply_window(const Bw2lLine& line, Bw2lActivation& x, uint32_t dim,
                    const Bw2lWindow& window) {
  uint64_t& size = x.dims[dim];
  WindowPadding earliest;
  WindowPadding latest;
  if (const auto padding = padding_of(window, size)) {
    earliest = latest = *padding;
    if (size != kAnyDim) {
      const int64_t room =
          static_cast<int64_t>(size) + padding->before + padding->after - window.reach() - 1;
      if (room < 0)
        return line.wrong_size("a window of at most", size,
                               static_cast<uint64_t>(window.reach() + 1));
      size = static_cast<uint64_t>(room / window.stride + 1);
    }
  } else {
    // It depends on how many frames there are: the most and the least that it can be.
    earliest =
        moved_padding(same_padding(1, window.reach(), window.stride), window.stride, window.future);
    latest =
        moved_padding(same_padding(0, window.reach(), window.stride), window.stride, window.future);
  }
  if (dim == x.timing.dim) {
    // A part of a recording has the padding of the whole only where that does not follow from its length, and cuts nothing off.
    x.timing.sees_all = x.timing.sees_all || earliest.before != latest.before ||
                        earliest.after != latest.after || earliest.before < 0 || earliest.after < 0;
    x.timing.first -= x.timing.stride * static_cast<double>(earliest.before);
    x.timing.last += x.timing.stride * static_cast<double>(window.reach() - latest.before);
    x.timing.stride *= static_cast<double>(window.stride);
  }
  return ok_status();
}

Result<Bw2lActivation> convolve(Bw2lLine& line, const Bw2lActivation& x, size_t first, uint64_t in,
                                uint64_t out, const Bw2lWindow& over_x, const Bw2lWindow& over_y,
                                uint64_t groups) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_dim(x, 2, in));
  const Shape shape{out, in / groups, static_cast<uint64_t>(over_y.size),
                    static_cast<uint64_t>(over_x.size)};
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId weights, line.weight(first, shape));
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId bias, line.weight(first + 1, {out}));
  Bw2lActivation y = x;
  std::array<WindowPadding, 2> pads;
  for (const uint32_t dim : {0u, 1u}) {
    const Bw2lWindow& window = dim == 0 ? over_x : over_y;
    if (const auto padding = padding_of(window, x.dims[dim])) {
      pads[dim] = *padding;
    } else {
      SUSURRUS_ASSIGN_OR_RETURN(y.id, pad_window(line, y.id, dim, window, 0));
    }
    SUSURRUS_RETURN_IF_ERROR(apply_window(line, y, dim, window));
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      y.id, line.add("convolution", {y.id, weights, bias},
                     {{"strides", std::vector<int64_t>{over_y.stride, over_x.stride}},
                      {"dilations", std::vector<int64_t>{over_y.dilation, over_x.dilation}},
                      {"pads", std::vector<int64_t>{pads[1].before, pads[0].before, pads[1].after,
                                                    pads[0].after}},
                      {"groups", static_cast<int64_t>(groups)}}));
  y.dims[2] = out;
  return y;
}

/// C, C1: in out k s [p dil]; AC: in out k s [p future dil]
Result<Bw2lActivation> compile_convolution(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(2, 2));
  const bool is_asymmetric = line.code() == "AC";
  Bw2lWindow window;
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t in, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t out, line.integer(2, 1));
  SUSURRUS_ASSIGN_OR_RETURN(window.size, line.integer(3, 1));
  SUSURRUS_ASSIGN_OR_RETURN(window.stride, line.integer(4, 1));
  SUSURRUS_ASSIGN_OR_RETURN(window.padding, line.integer(5, -1, 0));
  if (is_asymmetric) {
    SUSURRUS_ASSIGN_OR_RETURN(window.future, line.number(6, 1));
    if (window.future < 0 || window.future > 1) return line.wrong("0 to 1 as word 6");
  }
  SUSURRUS_ASSIGN_OR_RETURN(window.dilation, line.integer(is_asymmetric ? 7 : 6, 1, 1));
  return convolve(line, x, 0, static_cast<uint64_t>(in), static_cast<uint64_t>(out), window, {});
}

/// C2: in out kx ky sx sy [px py dx dy]
Result<Bw2lActivation> compile_convolution_2d(Bw2lLine& line, Bw2lActivation x) {
  SUSURRUS_RETURN_IF_ERROR(line.expect_arrays(2, 2));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t in, line.integer(1, 1));
  SUSURRUS_ASSIGN_OR_RETURN(const int64_t out, line.integer(2, 1));
  std::array<Bw2lWindow, 2> windows;
  for (size_t i = 0; i < 2; ++i) {
    SUSURRUS_ASSIGN_OR_RETURN(windows[i].size, line.integer(3 + i, 1));
    SUSURRUS_ASSIGN_OR_RETURN(windows[i].stride, line.integer(5 + i, 1));
    SUSURRUS_ASSIGN_OR_RETURN(windows[i].padding, line.integer(7 + i, -1, 0));
    SUSURRUS_ASSIGN_OR_RETURN(windows[i].dilation, line.integer(9 + i, 1, 1));
  }
  return convolve(line, x, 0, static_cast<uint64_t>(in), static_cast<uint64_t>(out), windows[0],
                  windows[1]);
}

/// M, A: wx wy dx dy [px py]. One dimension after the other: windows are the slices that begin at each of their taps.
Result<Bw2lActivation> compile_pooling(Bw2lLine& line, Bw2lActivation x) {
  const bool is_max = line.code() == "M";
  double area = 1;
  for (uint32_t dim = 0; dim < 2; ++dim) {
    Bw2lWindow window;
    SUSURRUS_ASSIGN_OR_RETURN(window.size, line.integer(1 + dim, 1));
    SUSURRUS_ASSIGN_OR_RETURN(window.stride, line.integer(3 + dim, 1));
    SUSURRUS_ASSIGN_OR_RETURN(window.padding, line.integer(5 + dim, -1, 0));
    if (window.size > kMostPool) return line.wrong("windows of at most 4096");
    if (window.padding >= window.size) return line.wrong("less padding than a window's size");
    area *= static_cast<double>(window.size);
    if (window.size == 1 && window.stride == 1) continue;
    const double filling = is_max ? -std::numeric_limits<double>::infinity() : 0;
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId padded, pad_window(line, x.id, dim, window, filling));
    GraphBuilder& builder = line.build().builder;
    const std::array<int64_t, 1> axis = {axis_of_dim(dim)};
    const std::array<int64_t, 1> step = {window.stride};
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId axes, builder.add_integers({}, axis));
    SUSURRUS_ASSIGN_OR_RETURN(const ValueId steps, builder.add_integers({}, step));
    for (int64_t tap = 0; tap < window.size; ++tap) {
      const std::array<int64_t, 1> start = {tap};
      const std::array<int64_t, 1> stop = {
          tap + 1 == window.size ? std::numeric_limits<int64_t>::max() : tap + 1 - window.size};
      SUSURRUS_ASSIGN_OR_RETURN(const ValueId starts, builder.add_integers({}, start));
      SUSURRUS_ASSIGN_OR_RETURN(const ValueId stops, builder.add_integers({}, stop));
      SUSURRUS_ASSIGN_OR_RETURN(const ValueId part,
                                line.add("slice", {padded, starts, stops, axes, steps}));
      if (tap == 0) {
        x.id = part;
        continue;
      }
      SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add(is_max ? "maximum" : "add", {x.id, part}));
    }
    SUSURRUS_RETURN_IF_ERROR(apply_window(line, x, dim, window));
  }
  if (is_max || area == 1) return x;
  SUSURRUS_ASSIGN_OR_RETURN(const ValueId share, line.constant(static_cast<float>(1 / area)));
  SUSURRUS_ASSIGN_OR_RETURN(x.id, line.add("multiply", {x.id, share}));
  return x;
}

}  // namespace susurrus
