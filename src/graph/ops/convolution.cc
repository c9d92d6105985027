// Convolutions. Those of f32 are products on the kernels; others plain loops.
#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/products.h"
#include "graph/ops/window.h"
#include "kernels/scratch_layout.h"

namespace susurrus {
namespace {

// conv: x [N, C, spatial…], w [O, C / groups, kernel…], bias [O]; cross-correlation.

enum ConvAttribute : size_t { kStrides, kDilations, kPads, kGroups, kAutoPad };

struct Convolution {
  Window window;
  size_t groups = 1;
  size_t in_channels = 1;   // of a group
  size_t out_channels = 1;  // of a group
};

Result<Convolution> convolution_of(const Shape& x, const Shape& w, const Attributes& attributes) {
  if (x.rank() < 3 || x.rank() > 2 + kMostSpatial) return wrong_input(0, "3 to 5 dimensions");
  if (w.rank() != x.rank()) return wrong_input(1, "as many dimensions as the first input has");
  Convolution convolution;
  const int64_t groups = attributes.integer(kGroups);
  if (groups < 1 || static_cast<uint64_t>(groups) > w[0] ||
      w[0] % static_cast<uint64_t>(groups) != 0) {
    return wrong_attribute("groups", "a divisor of the number of channels");
  }
  convolution.groups = static_cast<size_t>(groups);
  convolution.in_channels = static_cast<size_t>(w[1]);
  convolution.out_channels = static_cast<size_t>(w[0]) / convolution.groups;
  if (x[1] / convolution.groups != w[1] || x[1] % convolution.groups != 0) {
    return wrong_input(1, "channels that the first input has", shape_text(w).view());
  }
  convolution.window.rank = x.rank() - 2;
  for (uint32_t i = 0; i < convolution.window.rank; ++i) {
    if (w[i + 2] < 1 || w[i + 2] > (uint64_t{1} << 31)) return wrong_input(1, "a window");
    convolution.window.kernel[i] = static_cast<int64_t>(w[i + 2]);
  }
  SUSURRUS_RETURN_IF_ERROR(
      read_window(x,
                  {attributes.integers(kStrides), attributes.integers(kDilations),
                   attributes.integers(kPads), attributes.integer(kAutoPad)},
                  convolution.window));
  return convolution;
}

/// A convolution of f32 is a product for each group: filters times the patches that places of the output see, some places at a time.
struct Patches {
  size_t patch = 0;            // elements that a place sees
  size_t places = 0;           // of an item
  size_t items = 0;            // of a group
  size_t byte_count = 0;       // of an item's patches, in whole lines of the cache
  size_t sums_byte_count = 0;  // of an item's sums, place after place

  explicit Patches(const Convolution& c) {
    constexpr size_t kPatchFloats = 1 << 16;
    patch = c.in_channels * c.window.kernel_size();
    const size_t all = c.window.out_size();
    places =
        std::clamp<size_t>(kPatchFloats / std::max<size_t>(1, patch), 1, std::max<size_t>(1, all));
    items = (all + places - 1) / places;
    byte_count = round_up(patch * places, 16) * sizeof(float);
    sums_byte_count = round_up(c.out_channels * places, 16) * sizeof(float);
  }
};

Status infer_convolution(Inference& inference) {
  const Operand& x = inference.inputs[0];
  const Operand& w = inference.inputs[1];
  SUSURRUS_RETURN_IF_ERROR(with_summed_type(x.type, [](auto) {}));
  if (w.type != x.type) return wrong_input(1, element_type_name(x.type), element_type_name(w.type));
  SUSURRUS_ASSIGN_OR_RETURN(const Convolution convolution,
                            convolution_of(x.shape, w.shape, inference.attributes));
  if (inference.has(2) &&
      (inference.inputs[2].type != x.type || inference.inputs[2].shape != Shape{w.shape[0]})) {
    return wrong_input(2, "a value for each channel", shape_text(inference.inputs[2].shape).view());
  }
  Shape shape{x.shape[0], w.shape[0]};
  for (uint32_t i = 0; i < convolution.window.rank; ++i) {
    shape.append(static_cast<uint64_t>(convolution.window.out[i]));
  }
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  inference.work.cost =
      *shape.element_count() * *w.shape.element_count() / std::max<uint64_t>(1, w.shape[0]);
  if (x.type != ElementType::f32) {
    // An item is a channel of the output.
    inference.work.items = static_cast<size_t>(x.shape[0] * w.shape[0]);
    return ok_status();
  }
  const Patches patches(convolution);
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, {patches.patch, patches.places}));
  inference.work.items = static_cast<size_t>(x.shape[0]) * convolution.groups * patches.items;
  inference.work.scratch_byte_count =
      product_scratch_byte_count(convolution.out_channels, patches.patch, false) +
      patches.byte_count + (w.packed == nullptr ? 0 : patches.sums_byte_count);
  return ok_status();
}

template <typename T>
void convolve(const Call& call, const Convolution& c, size_t begin, size_t end) {
  const Window& win = c.window;
  const T* x = static_cast<const T*>(call.inputs[0].data);
  const T* w = static_cast<const T*>(call.inputs[1].data);
  const T* bias = call.has(2) ? static_cast<const T*>(call.inputs[2].data) : nullptr;
  T* y = static_cast<T*>(call.outputs[0].data);
  const size_t channels = c.groups * c.out_channels;
  for (size_t item = begin; item < end; ++item) {
    const size_t channel = item % channels;
    const T* x_group =
        x + (item / channels * c.groups + channel / c.out_channels) * c.in_channels * win.in_size();
    const T* w_channel = w + channel * c.in_channels * win.kernel_size();
    T* to = y + item * win.out_size();
    for_each_place(win, [&](int64_t o0, int64_t o1, int64_t o2) {
      Sum<T> sum = bias == nullptr ? 0 : static_cast<Sum<T>>(bias[channel]);
      for (size_t in = 0; in < c.in_channels; ++in) {
        const T* plane = x_group + in * win.in_size();
        const T* taps = w_channel + in * win.kernel_size();
        for_each_tap(win, o0, o1, o2, [&](size_t cell, size_t tap) {
          sum += static_cast<Sum<T>>(plane[cell]) * static_cast<Sum<T>>(taps[tap]);
        });
      }
      *to++ = static_cast<T>(sum);
    });
  }
}

/// What `place` of the output sees of a group's channels, zeros where it is padded.
void copy_patch(const Convolution& c, const float* x_group, size_t place, float* patch) {
  const Window& win = c.window;
  const size_t taps = win.kernel_size();
  const auto at = static_cast<int64_t>(place);
  const int64_t plane = win.out[1] * win.out[2];
  std::fill_n(patch, c.in_channels * taps, 0.0F);
  // Taps whose cells follow each other are copied together.
  size_t cell = 0;
  size_t tap = 0;
  size_t count = 0;
  const auto copy = [&] {
    const float* from = x_group + cell;
    float* to = patch + tap;
    for (size_t in = 0; in < c.in_channels; ++in, from += win.in_size(), to += taps) {
      for (size_t i = 0; i < count; ++i) to[i] = from[i];
    }
  };
  for_each_tap(win, at / plane, at / win.out[2] % win.out[1], at % win.out[2],
               [&](size_t next_cell, size_t next_tap) {
                 if (count > 0 && next_cell == cell + count && next_tap == tap + count) {
                   ++count;
                   return;
                 }
                 copy();
                 cell = next_cell;
                 tap = next_tap;
                 count = 1;
               });
  copy();
}

/// Patches times filters that are packed, which are of one group. The sums are those of filters times patches.
void multiply_patches(const Call& call, const Convolution& c, const float* patches, size_t count,
                      float* y) {
  const Patches size(c);
  const size_t all = c.window.out_size();
  auto* sums = reinterpret_cast<float*>(call.scratch.data() + size.byte_count);
  for (size_t i = 0; i < count && call.has(2); ++i) {
    std::copy_n(call.inputs[2].f32(), c.out_channels, sums + i * c.out_channels);
  }
  multiply_rows(call.kernels,
                {.rows = count,
                 .x = patches,
                 .x_stride = size.patch,
                 .weight = *call.inputs[1].packed,
                 .y = sums,
                 .y_stride = c.out_channels,
                 .epilogue = call.has(2) ? Epilogue::accumulate : Epilogue::store},
                size.patch, call.scratch.subspan(size.byte_count + size.sums_byte_count));
  for (size_t i = 0; i < count; ++i, sums += c.out_channels) {
    for (size_t channel = 0; channel < c.out_channels; ++channel)
      y[channel * all + i] = sums[channel];
  }
}

void convolve_by_product(const Call& call, const Convolution& c, size_t begin, size_t end) {
  const Patches size(c);
  const size_t all = c.window.out_size();
  auto* patches = reinterpret_cast<float*>(call.scratch.data());
  const auto scratch = call.scratch.subspan(size.byte_count);
  for (size_t item = begin; item < end; ++item) {
    // Groups are counted over the whole batch.
    const size_t group = item / size.items;
    const size_t first_channel = group % c.groups * c.out_channels;
    const size_t place = item % size.items * size.places;
    const size_t count = std::min(size.places, all - place);
    const float* x_group = call.inputs[0].f32() + group * c.in_channels * c.window.in_size();
    for (size_t i = 0; i < count; ++i) {
      copy_patch(c, x_group, place + i, patches + i * size.patch);
    }
    float* y = call.outputs[0].f32() + group * c.out_channels * all + place;
    if (call.inputs[1].packed != nullptr) {
      multiply_patches(call, c, patches, count, y);
      continue;
    }
    for (size_t i = 0; i < c.out_channels && call.has(2); ++i) {
      std::fill_n(y + i * all, count, call.inputs[2].f32()[first_channel + i]);
    }
    multiply_rows(
        call.kernels,
        {.rows = c.out_channels,
         .x = call.inputs[1].f32() + first_channel * size.patch,
         .x_stride = size.patch,
         .weight = {Dtype::f32, {count, size.patch}, reinterpret_cast<const uint8_t*>(patches)},
         .y = y,
         .y_stride = all,
         .epilogue = call.has(2) ? Epilogue::accumulate : Epilogue::store},
        size.patch, scratch);
  }
}

Status run_convolution(const Call& call, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(
      const Convolution convolution,
      convolution_of(call.inputs[0].shape, call.inputs[1].shape, call.attributes));
  if (call.outputs[0].type == ElementType::f32) {
    convolve_by_product(call, convolution, begin, end);
    return ok_status();
  }
  return with_summed_type(call.outputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, float>) convolve<T>(call, convolution, begin, end);
  });
}

constexpr AttributeSpec kConvolutionAttributes[] = {{"strides", AttributeKind::integers},
                                                    {"dilations", AttributeKind::integers},
                                                    {"pads", AttributeKind::integers},
                                                    {"groups", AttributeKind::integer, false, 1},
                                                    {"auto_pad", AttributeKind::integer}};

constexpr Operator kOperators[] = {
    {.name = "convolution",
     .least_inputs = 2,
     .most_inputs = 3,
     .attributes = kConvolutionAttributes,
     .infer = infer_convolution,
     .run = run_convolution},
};

}  // namespace

std::span<const Operator> convolution_operators() { return kOperators; }

}  // namespace susurrus
