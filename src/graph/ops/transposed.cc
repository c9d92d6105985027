// Transposed convolution: x [N, C, spatial…], w [C, O / groups, kernel…], bias [O]. Each cell adds its window to the output.
#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/window.h"

namespace susurrus {
namespace {

enum TransposedAttribute : size_t {
  kStrides,
  kDilations,
  kPads,
  kGroups,
  kAutoPad,
  kOutputPadding,
  kOutputShape
};

struct Transposed {
  /// Its input is the output here: the window moves over what is written.
  Window window;
  size_t groups = 1;
  size_t in_channels = 1;   // of a group
  size_t out_channels = 1;  // of a group
};

/// The size of the output, or padding for a wanted size.
Status read_output(const Shape& x, const Attributes& attributes, Window& window) {
  std::array<int64_t, kMostSpatial> extra{};
  std::array<int64_t, kMostSpatial> wanted{};
  const auto auto_pad = static_cast<AutoPad>(attributes.integer(kAutoPad));
  if (attributes.integer(kAutoPad) < 0 || auto_pad > AutoPad::same_lower) {
    return wrong_attribute("auto_pad", "0, 1 or 2");
  }
  SUSURRUS_RETURN_IF_ERROR(
      read_list(attributes.integers(kOutputPadding), "output_padding", window.rank, 0, extra));
  SUSURRUS_RETURN_IF_ERROR(
      read_list(attributes.integers(kOutputShape), "output_shape", window.rank, 1, wanted));
  constexpr uint64_t kMost = uint64_t{1} << 31;
  for (uint32_t i = 0; i < window.rank; ++i) {
    if (x[i + 2] < 1 || x[i + 2] > kMost) return wrong_input(0, "sizes from 1 to 2^31");
    window.out[i] = static_cast<int64_t>(x[i + 2]);
    const int64_t span = window.dilation[i] * (window.kernel[i] - 1) + 1;
    const int64_t whole = (window.out[i] - 1) * window.stride[i] + span + extra[i];
    if (auto_pad != AutoPad::listed && wanted[i] == 0) {
      // Windows that do not touch end where they end.
      wanted[i] = std::min(whole, window.out[i] * window.stride[i]);
    }
    if (wanted[i] != 0) {
      const int64_t padding = std::max<int64_t>(0, whole - wanted[i]);
      window.before[i] = auto_pad == AutoPad::same_upper ? padding / 2 : padding - padding / 2;
      window.after[i] = padding - window.before[i];
      window.in[i] = wanted[i];
    } else {
      window.in[i] = whole - window.before[i] - window.after[i];
    }
    if (window.in[i] < 1) return wrong_attribute("pads", "less than the output is large");
  }
  return ok_status();
}

Result<Transposed> transposed_of(const Shape& x, const Shape& w, const Attributes& attributes) {
  if (x.rank() < 3 || x.rank() > 2 + kMostSpatial) {
    return wrong_input(0, "3 to 5 dimensions", shape_text(x).view());
  }
  if (w.rank() != x.rank()) return wrong_input(1, "as many dimensions as the first input has");
  const int64_t groups = attributes.integer(kGroups);
  if (groups < 1 || static_cast<uint64_t>(groups) > w[0] ||
      w[0] % static_cast<uint64_t>(groups) != 0) {
    return wrong_attribute("groups", "a divisor of the number of channels");
  }
  if (w[0] != x[1])
    return wrong_input(1, "channels that the first input has", shape_text(w).view());
  Transposed transposed;
  transposed.groups = static_cast<size_t>(groups);
  transposed.in_channels = static_cast<size_t>(w[0]) / transposed.groups;
  transposed.out_channels = static_cast<size_t>(w[1]);
  transposed.window.rank = x.rank() - 2;
  for (uint32_t i = 0; i < transposed.window.rank; ++i) {
    if (w[i + 2] < 1 || w[i + 2] > (uint64_t{1} << 31)) return wrong_input(1, "a window");
    transposed.window.kernel[i] = static_cast<int64_t>(w[i + 2]);
  }
  SUSURRUS_RETURN_IF_ERROR(read_steps(
      {attributes.integers(kStrides), attributes.integers(kDilations), attributes.integers(kPads)},
      transposed.window));
  SUSURRUS_RETURN_IF_ERROR(read_output(x, attributes, transposed.window));
  return transposed;
}

Status infer_transposed(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& w = inference.inputs[1];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  if (w.type != x.type) return wrong_input(1, "f32", element_type_name(w.type));
  SUSURRUS_ASSIGN_OR_RETURN(const Transposed transposed,
                            transposed_of(x.shape, w.shape, inference.attributes));
  const uint64_t channels = transposed.groups * w.shape[1];
  if (inference.has(2) &&
      (inference.inputs[2].type != x.type || inference.inputs[2].shape != Shape{channels})) {
    return wrong_input(2, "a value for each channel", shape_text(inference.inputs[2].shape).view());
  }
  Shape shape{x.shape[0], channels};
  for (uint32_t i = 0; i < transposed.window.rank; ++i) {
    shape.append(static_cast<uint64_t>(transposed.window.in[i]));
  }
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  // An item is a channel of the output.
  inference.work.items = static_cast<size_t>(x.shape[0] * channels);
  inference.work.cost =
      *x.shape.element_count() * transposed.out_channels * transposed.window.kernel_size();
  inference.work.scratch_byte_count = transposed.window.in_size() * sizeof(double);
  return ok_status();
}

Status run_transposed(const Call& call, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(
      const Transposed t,
      transposed_of(call.inputs[0].shape, call.inputs[1].shape, call.attributes));
  const Window& window = t.window;
  const size_t channels = t.groups * t.out_channels;
  auto* sums = reinterpret_cast<double*>(call.scratch.data());
  for (size_t item = begin; item < end; ++item) {
    const size_t channel = item % channels;
    const size_t group = channel / t.out_channels;
    std::fill_n(sums, window.in_size(),
                call.has(2) ? static_cast<double>(call.inputs[2].f32()[channel]) : 0.0);
    for (size_t in = group * t.in_channels; in < (group + 1) * t.in_channels; ++in) {
      const float* x = call.inputs[0].f32() +
                       (item / channels * t.groups * t.in_channels + in) * window.out_size();
      const float* taps = call.inputs[1].f32() +
                          (in * t.out_channels + channel % t.out_channels) * window.kernel_size();
      for_each_place(window, [&](int64_t o0, int64_t o1, int64_t o2) {
        const auto value = static_cast<double>(*x++);
        for_each_tap(window, o0, o1, o2, [&](size_t cell, size_t tap) {
          sums[cell] += value * static_cast<double>(taps[tap]);
        });
      });
    }
    float* y = call.outputs[0].f32() + item * window.in_size();
    for (size_t i = 0; i < window.in_size(); ++i) y[i] = static_cast<float>(sums[i]);
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {
    {"strides", AttributeKind::integers},      {"dilations", AttributeKind::integers},
    {"pads", AttributeKind::integers},         {"groups", AttributeKind::integer, false, 1},
    {"auto_pad", AttributeKind::integer},      {"output_padding", AttributeKind::integers},
    {"output_shape", AttributeKind::integers},
};

constexpr Operator kOperators[] = {
    {.name = "transposed_convolution",
     .least_inputs = 2,
     .most_inputs = 3,
     .attributes = kAttributes,
     .infer = infer_transposed,
     .run = run_transposed},
};

}  // namespace

std::span<const Operator> transposed_operators() { return kOperators; }

}  // namespace susurrus
