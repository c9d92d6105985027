// The greatest or mean value under a window, or of a whole plane.
#include <cstring>

#include "graph/ops/elements.h"
#include "graph/ops/lists.h"
#include "graph/ops/wide_elements.h"
#include "graph/ops/window.h"

namespace susurrus {
namespace {

enum PoolAttribute : size_t {
  kKernel,
  kStrides,
  kDilations,
  kPads,
  kAutoPad,
  kLastWindow,
  kDivisor
};

/// What a sum is divided by: cells of the input, these and the padding, or the whole window.
enum class Divisor : int64_t { cells, cells_and_padding, window };

Result<Window> window_of(const Shape& x, const Attributes& attributes) {
  if (x.rank() < 3 || x.rank() > 2 + kMostSpatial) {
    return wrong_input(0, "3 to 5 dimensions", shape_text(x).view());
  }
  Window window;
  window.rank = x.rank() - 2;
  const auto kernel = attributes.integers(kKernel);
  if (kernel.empty()) return wrong_attribute("kernel", "one for each dimension of the window");
  SUSURRUS_RETURN_IF_ERROR(read_list(kernel, "kernel", window.rank, 1, window.kernel));
  SUSURRUS_RETURN_IF_ERROR(read_window(
      x,
      {attributes.integers(kStrides), attributes.integers(kDilations), attributes.integers(kPads),
       attributes.integer(kAutoPad), attributes.integer(kLastWindow), true},
      window));
  return window;
}

Status infer_pool(Inference& inference) {
  const Operand& x = inference.inputs[0];
  SUSURRUS_ASSIGN_OR_RETURN(const Window window, window_of(x.shape, inference.attributes));
  Shape shape{x.shape[0], x.shape[1]};
  for (uint32_t i = 0; i < window.rank; ++i) shape.append(static_cast<uint64_t>(window.out[i]));
  inference.outputs[0] = {x.type, shape};
  SUSURRUS_RETURN_IF_ERROR(check_size(x.type, shape));
  // An item is a plane.
  inference.work = {static_cast<size_t>(x.shape[0] * x.shape[1]),
                    *shape.element_count() * window.kernel_size()};
  return ok_status();
}

Status infer_average_pool(Inference& inference) {
  const ElementType type = inference.inputs[0].type;
  if (type != ElementType::f32 && type != ElementType::f64) {
    return wrong_input(0, "f32 or f64", element_type_name(type));
  }
  const int64_t divisor = inference.attributes.integer(kDivisor);
  if (divisor < 0 || divisor > 2) return wrong_attribute("divisor", "0, 1 or 2");
  return infer_pool(inference);
}

/// Planes [begin, end): `is_more(plane, a, b)` is whether cell a of a plane counts rather than cell b, which comes before.
template <typename IsMore>
void find_most(const Call& call, const Window& window, size_t begin, size_t end, IsMore is_more) {
  const size_t size = element_byte_count(call.inputs[0].type);
  for (size_t item = begin; item < end; ++item) {
    const auto* plane =
        static_cast<const uint8_t*>(call.inputs[0].data) + item * window.in_size() * size;
    auto* to = static_cast<uint8_t*>(call.outputs[0].data) + item * window.out_size() * size;
    for_each_place(window, [&](int64_t o0, int64_t o1, int64_t o2) {
      constexpr size_t kNone = ~size_t{0};
      size_t best = kNone;
      for_each_tap(window, o0, o1, o2, [&](size_t cell, size_t) {
        if (best == kNone || is_more(plane, cell, best)) best = cell;
      });
      if (best == kNone) {
        std::memset(to, 0, size);
      } else {
        std::memcpy(to, plane + best * size, size);
      }
      to += size;
    });
  }
}

/// A window that sees nothing gives 0; NaN wins.
Status run_max_pool(const Call& call, size_t begin, size_t end) {
  const ElementType type = call.inputs[0].type;
  SUSURRUS_ASSIGN_OR_RETURN(const Window window, window_of(call.inputs[0].shape, call.attributes));
  if (type == ElementType::f32) {
    find_most(call, window, begin, end, [](const void* plane, size_t a, size_t b) {
      const auto* cells = static_cast<const float*>(plane);
      return cells[b] == cells[b] && !(cells[a] <= cells[b]);
    });
  } else {
    find_most(call, window, begin, end, [type](const void* plane, size_t a, size_t b) {
      return order_of(type, plane, a) > order_of(type, plane, b);
    });
  }
  return ok_status();
}

/// Places of the window at `o` that lie in the input or its padding.
int64_t padded_count(const Window& window, uint32_t i, int64_t o) {
  const int64_t first = o * window.stride[i];
  const int64_t end = window.in[i] + window.before[i] + window.after[i];
  const int64_t count = (end - first + window.dilation[i] - 1) / window.dilation[i];
  return std::clamp<int64_t>(count, 0, window.kernel[i]);
}

template <typename T>
void average(const Call& call, const Window& window, size_t begin, size_t end) {
  const auto divisor = static_cast<Divisor>(call.attributes.integer(kDivisor));
  for (size_t item = begin; item < end; ++item) {
    const T* plane = static_cast<const T*>(call.inputs[0].data) + item * window.in_size();
    T* to = static_cast<T*>(call.outputs[0].data) + item * window.out_size();
    for_each_place(window, [&](int64_t o0, int64_t o1, int64_t o2) {
      double sum = 0;
      int64_t cells = 0;
      for_each_tap(window, o0, o1, o2, [&](size_t cell, size_t) {
        sum += static_cast<double>(plane[cell]);
        ++cells;
      });
      int64_t count = cells;
      if (divisor == Divisor::window) count = static_cast<int64_t>(window.kernel_size());
      if (divisor == Divisor::cells_and_padding) {
        count =
            padded_count(window, 0, o0) * padded_count(window, 1, o1) * padded_count(window, 2, o2);
      }
      *to++ = cells == 0 ? T{0} : static_cast<T>(sum / static_cast<double>(count));
    });
  }
}

Status run_average_pool(const Call& call, size_t begin, size_t end) {
  SUSURRUS_ASSIGN_OR_RETURN(const Window window, window_of(call.inputs[0].shape, call.attributes));
  if (call.inputs[0].type == ElementType::f64) {
    average<double>(call, window, begin, end);
  } else {
    average<float>(call, window, begin, end);
  }
  return ok_status();
}

/// [N, C, spatial…] to [N, C, 1…].
Status infer_global_pool(Inference& inference) {
  const Operand& x = inference.inputs[0];
  if (x.type != ElementType::f32) return wrong_input(0, "f32", element_type_name(x.type));
  if (x.shape.rank() < 3) return wrong_input(0, "3 dimensions or more", shape_text(x.shape).view());
  Shape shape{x.shape[0], x.shape[1]};
  for (uint32_t i = 2; i < x.shape.rank(); ++i) {
    if (x.shape[i] == 0) return wrong_input(0, "planes with elements", shape_text(x.shape).view());
    shape.append(1);
  }
  inference.outputs[0] = {x.type, shape};
  inference.work = {static_cast<size_t>(*shape.element_count()), *x.shape.element_count()};
  return ok_status();
}

template <bool IsMean>
Status run_global_pool(const Call& call, size_t begin, size_t end) {
  size_t count = 1;
  for (uint32_t i = 2; i < call.inputs[0].shape.rank(); ++i) {
    count *= static_cast<size_t>(call.inputs[0].shape[i]);
  }
  for (size_t item = begin; item < end; ++item) {
    const float* x = call.inputs[0].f32() + item * count;
    double sum = 0;
    float best = x[0];
    for (size_t i = 0; i < count; ++i) {
      sum += static_cast<double>(x[i]);
      if (best == best && !(x[i] <= best)) best = x[i];
    }
    call.outputs[0].f32()[item] =
        IsMean ? static_cast<float>(sum / static_cast<double>(count)) : best;
  }
  return ok_status();
}

constexpr AttributeSpec kAttributes[] = {
    {"kernel", AttributeKind::integers, true}, {"strides", AttributeKind::integers},
    {"dilations", AttributeKind::integers},    {"pads", AttributeKind::integers},
    {"auto_pad", AttributeKind::integer},      {"last_window", AttributeKind::integer},
    {"divisor", AttributeKind::integer},
};

constexpr Operator kOperators[] = {
    {.name = "max_pool", .attributes = kAttributes, .infer = infer_pool, .run = run_max_pool},
    {.name = "average_pool",
     .attributes = kAttributes,
     .infer = infer_average_pool,
     .run = run_average_pool},
    {.name = "global_max_pool", .infer = infer_global_pool, .run = run_global_pool<false>},
    {.name = "global_average_pool", .infer = infer_global_pool, .run = run_global_pool<true>},
};

}  // namespace

std::span<const Operator> pooling_operators() { return kOperators; }

}  // namespace susurrus
