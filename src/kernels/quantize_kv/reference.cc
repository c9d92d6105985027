#include "kernels/quantize_kv/quantize_kv.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {
namespace {

void put(uint8_t* floats, size_t i, float value) {
  std::memcpy(floats + i * sizeof value, &value, sizeof value);
}
float get(const uint8_t* floats, size_t i) {
  float value;
  std::memcpy(&value, floats + i * sizeof value, sizeof value);
  return value;
}

float mean_of(const float* column, size_t stride, size_t rows) {
  float sum = 0;
  for (size_t j = 0; j < rows; ++j) sum += column[j * stride];
  return sum * (1 / static_cast<float>(rows));
}

/// How far the farthest value is from the mean; NaN where there is one.
float farthest_of(const float* column, size_t stride, size_t rows, float mean) {
  float most = 0;
  for (size_t j = 0; j < rows; ++j) {
    const float distance = std::fabs(column[j * stride] - mean);
    if (!(distance <= most)) most = distance;
    if (std::isnan(most)) break;
  }
  return most < 1e-30f ? 0 : most;
}

/// One row of a panel: x(k), k < count.
template <class Value>
void quantize_row(const Value& x, size_t count, size_t group, size_t row, uint8_t* scales,
                  uint8_t* integers) {
  float most = 0;
  for (size_t k = 0; k < count; ++k) {
    const float magnitude = std::fabs(x(k));
    if (!(magnitude <= most)) most = magnitude;
    if (std::isnan(most)) break;
  }
  const float scale = most / 127;
  const float inverse = most > 0 && std::isfinite(most) ? 127 / most : 0;
  put(scales, row, scale);
  for (size_t k = 0; k < count; ++k) {
    const float q = inverse > 0 ? std::nearbyint(x(k) * inverse) : 0;
    integers[panel_index(group, row, k)] = static_cast<uint8_t>(static_cast<int>(q));
  }
}

}  // namespace

void quantize_kv_reference(const QuantizeKvArgs& args) {
  const Int8KvLayout layout(args.key_rows, args.head_size);
  const size_t group = panel_group(args.kv.order);
  constexpr size_t kKeys = Int8KvLayout::kKeys;
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    uint8_t* head = args.kv.data + h * layout.head_bytes;
    const float* k = args.k + h * args.head_size;
    const float* v = args.v + h * args.head_size;
    std::memset(head, 0, layout.head_bytes);
    for (size_t d = 0; d < args.head_size; ++d) {
      const float mean = mean_of(k + d, args.k_stride, args.key_rows);
      put(head + layout.key_means, d, mean);
      put(head + layout.key_scales, d, farthest_of(k + d, args.k_stride, args.key_rows, mean));
    }
    for (size_t j = 0; j < args.key_rows; ++j) {
      const auto key = [&](size_t d) {
        const float scale = get(head + layout.key_scales, d);
        const float x = k[j * args.k_stride + d] - get(head + layout.key_means, d);
        return x * (scale > 0 ? 1 / scale : 0);
      };
      uint8_t* panel = head + j / 8 * layout.key_panel_bytes;
      quantize_row(key, args.head_size, group, j % 8, panel, panel + Int8KvLayout::kKeyIntegers);
    }
    for (size_t d = 0; d < args.head_size; ++d) {
      const float mean = mean_of(v + d, args.v_stride, args.key_rows);
      put(head + layout.value_means, d, mean);
      uint8_t* panel = head + layout.values + d / 8 * layout.value_panel_bytes;
      for (size_t b = 0; b < layout.key_blocks; ++b) {
        const size_t first = b * kKeys;
        const auto value = [&](size_t i) { return v[(first + i) * args.v_stride + d] - mean; };
        quantize_row(value, std::min(kKeys, args.key_rows - first), group, d % 8,
                     panel + b * Int8KvLayout::kScales,
                     panel + layout.value_integers + b * Int8KvLayout::kBlockIntegers);
      }
    }
  }
}

}  // namespace susurrus
