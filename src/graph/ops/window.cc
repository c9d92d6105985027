#include "graph/ops/window.h"

#include <algorithm>

namespace susurrus {
namespace {

/// No sum of what is read overflows.
constexpr int64_t kMost = int64_t{1} << 31;

/// Padding so that there are ceil(in / stride) places.
void pad_same(AutoPad mode, bool may_cut, uint32_t i, int64_t span, Window& window) {
  const int64_t out = (window.in[i] + window.stride[i] - 1) / window.stride[i];
  int64_t missing = (out - 1) * window.stride[i] + span - window.in[i];
  if (!may_cut) missing = std::max<int64_t>(0, missing);
  window.before[i] = (mode == AutoPad::same_upper ? missing : missing + 1) / 2;
  window.after[i] = missing - window.before[i];
}

}  // namespace

Status read_list(std::span<const int64_t> list, std::string_view name, uint32_t rank, int64_t least,
                 std::array<int64_t, kMostSpatial>& values) {
  if (list.empty()) return ok_status();
  if (list.size() != rank) return wrong_attribute(name, "one for each dimension of the window");
  for (uint32_t i = 0; i < rank; ++i) {
    if (list[i] < least || list[i] > kMost) {
      return wrong_attribute(name, "sizes that a window can have");
    }
    values[i] = list[i];
  }
  return ok_status();
}

Status read_steps(const WindowAttributes& attributes, Window& window) {
  SUSURRUS_RETURN_IF_ERROR(read_list(attributes.strides, "strides", window.rank, 1, window.stride));
  SUSURRUS_RETURN_IF_ERROR(
      read_list(attributes.dilations, "dilations", window.rank, 1, window.dilation));
  const auto pads = attributes.pads;
  if (pads.empty()) return ok_status();
  if (pads.size() != 2 * window.rank) return wrong_attribute("pads", "two for each dimension");
  SUSURRUS_RETURN_IF_ERROR(
      read_list(pads.first(window.rank), "pads", window.rank, -kMost, window.before));
  return read_list(pads.subspan(window.rank), "pads", window.rank, -kMost, window.after);
}

Status read_window(const Shape& x, const WindowAttributes& attributes, Window& window) {
  SUSURRUS_RETURN_IF_ERROR(read_steps(attributes, window));
  if (attributes.auto_pad < 0 || attributes.auto_pad > static_cast<int64_t>(AutoPad::same_lower)) {
    return wrong_attribute("auto_pad", "0, 1 or 2");
  }
  const auto auto_pad = static_cast<AutoPad>(attributes.auto_pad);
  const auto last = static_cast<LastWindow>(attributes.last_window);
  for (uint32_t i = 0; i < window.rank; ++i) {
    if (x[i + 2] > static_cast<uint64_t>(kMost)) return wrong_input(0, "smaller dimensions");
    window.in[i] = static_cast<int64_t>(x[i + 2]);
    const int64_t span = window.dilation[i] * (window.kernel[i] - 1) + 1;
    if (auto_pad != AutoPad::listed) pad_same(auto_pad, attributes.may_cut, i, span, window);
    const int64_t stride = window.stride[i];
    const int64_t room = window.in[i] + window.before[i] + window.after[i] - span;
    // One window that reaches beyond the end covers what is there, if a step back it would have begun before all of it.
    const int64_t least = last == LastWindow::left_out ? 0 : 1 - stride;
    if (room < least) return wrong_input(0, "as much as the window covers", shape_text(x).view());
    window.out[i] = (last == LastWindow::left_out ? room : room + stride - 1) / stride + 1;
    if (last == LastWindow::kept_if_begun &&
        (window.out[i] - 1) * stride >= window.in[i] + window.before[i]) {
      --window.out[i];
    }
  }
  return ok_status();
}

}  // namespace susurrus
