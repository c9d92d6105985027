#pragma once
#include <cmath>
#include <cstdint>

namespace susurrus {

/// What is put before and after a dimension that a window runs over; where negative, what is left out.
struct WindowPadding {
  int64_t before = 0;
  int64_t after = 0;
};

/// flashlight's SAME, the same on both sides; `reach` is the distance from a window's first tap to its last.
inline int64_t same_padding(uint64_t in, int64_t reach, int64_t stride) {
  const auto rest = static_cast<int64_t>(in % static_cast<uint64_t>(stride));
  const int64_t missing = reach - (rest == 0 ? stride : rest) + 1;
  return missing <= 0 ? 0 : (missing + 1) / 2;
}

/// `padding` on both sides, moved: towards what comes where `future` is above 0.5, towards what was where it is below.
inline WindowPadding moved_padding(int64_t padding, int64_t stride, double future) {
  const auto cut =
      static_cast<int64_t>(std::fabs(2 * (0.5 - future)) * static_cast<double>(padding));
  WindowPadding moved{padding + cut, padding + cut};
  if (future > 0.5) moved.before -= 2 * cut * stride;
  if (future < 0.5) moved.after -= 2 * cut * stride;
  return moved;
}

}  // namespace susurrus
