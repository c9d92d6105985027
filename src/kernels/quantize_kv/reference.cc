#include "kernels/quantize_kv/quantize_kv.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/weight_panels/weight_panels.h"

namespace susurrus {
namespace {

/// Means of columns, one after the other.
void column_means(const float* x, size_t stride, size_t rows, size_t columns, uint8_t* means) {
  for (size_t c = 0; c < columns; ++c) {
    float sum = 0;
    for (size_t j = 0; j < rows; ++j) sum += x[j * stride + c];
    sum *= 1 / static_cast<float>(rows);
    std::memcpy(means + c * sizeof sum, &sum, sizeof sum);
  }
}

/// One row of a panel's block: x[k] for k < count, zeros after them.
void quantize_row(const float* x, size_t count, size_t group, size_t row, uint8_t* scales,
                  uint8_t* integers) {
  float most = 0;
  for (size_t k = 0; k < count; ++k) {
    const float magnitude = std::fabs(x[k]);
    if (!(magnitude <= most)) most = magnitude;
    if (std::isnan(most)) break;
  }
  const float scale = most / 127;
  const float inverse = most > 0 && std::isfinite(most) ? 127 / most : 0;
  std::memcpy(scales + row * sizeof scale, &scale, sizeof scale);
  for (size_t k = 0; k < kBlockValues; ++k) {
    const float q = k < count && inverse > 0 ? std::nearbyint(x[k] * inverse) : 0;
    integers[panel_index(group, row, k)] = static_cast<uint8_t>(static_cast<int>(q));
  }
}

}  // namespace

void quantize_kv_reference(const QuantizeKvArgs& args) {
  const ByteKvLayout layout(args.key_rows, args.head_size);
  const size_t group = panel_group(args.kv.order);
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    uint8_t* head = args.kv.data + h * layout.head_bytes;
    const float* k = args.k + h * args.head_size;
    const float* v = args.v + h * args.head_size;
    std::memset(head, 0, layout.head_bytes);
    column_means(k, args.k_stride, args.key_rows, args.head_size, head + layout.key_means);
    column_means(v, args.v_stride, args.key_rows, args.head_size, head + layout.value_means);
    const auto mean = [&](size_t means, size_t column) {
      float value;
      std::memcpy(&value, head + means + column * sizeof value, sizeof value);
      return value;
    };
    float x[kBlockValues];
    for (size_t j = 0; j < args.key_rows; ++j) {
      uint8_t* panel = head + j / 8 * layout.key_panel_bytes;
      for (size_t b = 0; b < layout.head_blocks; ++b) {
        const size_t d = b * kBlockValues;
        const size_t count = std::min(kBlockValues, args.head_size - d);
        for (size_t i = 0; i < count; ++i) {
          x[i] = k[j * args.k_stride + d + i] - mean(layout.key_means, d + i);
        }
        quantize_row(x, count, group, j % 8, panel + b * ByteKvLayout::kBlockScales,
                     panel + layout.key_integers + b * ByteKvLayout::kBlockIntegers);
      }
    }
    for (size_t d = 0; d < args.head_size; ++d) {
      uint8_t* panel = head + layout.values + d / 8 * layout.value_panel_bytes;
      for (size_t b = 0; b < layout.key_blocks; ++b) {
        const size_t j = b * kBlockValues;
        const size_t count = std::min(kBlockValues, args.key_rows - j);
        for (size_t i = 0; i < count; ++i) {
          x[i] = v[(j + i) * args.v_stride + d] - mean(layout.value_means, d);
        }
        quantize_row(x, count, group, d % 8, panel + b * ByteKvLayout::kBlockScales,
                     panel + layout.value_integers + b * ByteKvLayout::kBlockIntegers);
      }
    }
  }
}

}  // namespace susurrus
