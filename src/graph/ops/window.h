#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "graph/operator.h"

namespace susurrus {

inline constexpr uint32_t kMostSpatial = 3;

/// How padding is decided: as it is listed, or so that the output has ceil(size / stride) places, with the odd one after or
/// in front.
enum class AutoPad : int64_t { listed, same_upper, same_lower };

/// What becomes of a last window that reaches beyond the end.
enum class LastWindow : int64_t {
  left_out,
  kept_if_begun,  // where it begins inside, or in the padding before
  kept,
};

/// A window that moves over the dimensions after the first two; dimensions that are not there are 1.
struct Window {
  uint32_t rank = 0;
  std::array<int64_t, kMostSpatial> kernel{1, 1, 1};
  std::array<int64_t, kMostSpatial> stride{1, 1, 1};
  std::array<int64_t, kMostSpatial> dilation{1, 1, 1};
  std::array<int64_t, kMostSpatial> before{};
  std::array<int64_t, kMostSpatial> after{};
  std::array<int64_t, kMostSpatial> in{1, 1, 1};
  std::array<int64_t, kMostSpatial> out{1, 1, 1};

  size_t in_size() const { return static_cast<size_t>(in[0] * in[1] * in[2]); }
  size_t out_size() const { return static_cast<size_t>(out[0] * out[1] * out[2]); }
  size_t kernel_size() const { return static_cast<size_t>(kernel[0] * kernel[1] * kernel[2]); }
};

/// Attributes as nodes have them; empty lists are all 1, or no padding.
struct WindowAttributes {
  std::span<const int64_t> strides;
  std::span<const int64_t> dilations;
  std::span<const int64_t> pads;  // before each, then after each
  int64_t auto_pad = 0;           // of AutoPad
  int64_t last_window = 0;        // of LastWindow
  bool may_cut = false;           // padding is below zero where a stride leaves a rest
};

/// A list with an entry for each spatial dimension, at least `least`; empty: `values` as they are.
Status read_list(std::span<const int64_t> list, std::string_view name, uint32_t rank, int64_t least,
                 std::array<int64_t, kMostSpatial>& values);

/// Strides, dilations and listed padding. `rank` has been read.
Status read_steps(const WindowAttributes& attributes, Window& window);

/// The whole window over `x` [N, C, spatial…]. `rank` and `kernel` have been read.
Status read_window(const Shape& x, const WindowAttributes& attributes, Window& window);

/// Visits the cells of the input that place (o0, o1, o2) of the output sees: visit(cell, tap).
template <typename Visit>
void for_each_tap(const Window& w, int64_t o0, int64_t o1, int64_t o2, Visit&& visit) {
  for (int64_t k0 = 0; k0 < w.kernel[0]; ++k0) {
    const int64_t i0 = o0 * w.stride[0] - w.before[0] + k0 * w.dilation[0];
    if (i0 < 0 || i0 >= w.in[0]) continue;
    for (int64_t k1 = 0; k1 < w.kernel[1]; ++k1) {
      const int64_t i1 = o1 * w.stride[1] - w.before[1] + k1 * w.dilation[1];
      if (i1 < 0 || i1 >= w.in[1]) continue;
      for (int64_t k2 = 0; k2 < w.kernel[2]; ++k2) {
        const int64_t i2 = o2 * w.stride[2] - w.before[2] + k2 * w.dilation[2];
        if (i2 < 0 || i2 >= w.in[2]) continue;
        visit(static_cast<size_t>((i0 * w.in[1] + i1) * w.in[2] + i2),
              static_cast<size_t>((k0 * w.kernel[1] + k1) * w.kernel[2] + k2));
      }
    }
  }
}

/// Visits every place of the output in order: visit(o0, o1, o2).
template <typename Visit>
void for_each_place(const Window& w, Visit&& visit) {
  for (int64_t o0 = 0; o0 < w.out[0]; ++o0) {
    for (int64_t o1 = 0; o1 < w.out[1]; ++o1) {
      for (int64_t o2 = 0; o2 < w.out[2]; ++o2) visit(o0, o1, o2);
    }
  }
}

}  // namespace susurrus
