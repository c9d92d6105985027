#include "kernels/byte_kv.h"

#include <algorithm>
#include <cstring>

#include "kernels/weight_panels/weight_panels.h"

namespace susurrus {
namespace {

/// out += row r of a panel, columns [first, first + count) of a block.
void add_row(WeightLayout order, const uint8_t* scales, const uint8_t* integers, size_t r,
             size_t first, size_t count, float* out) {
  const size_t group = panel_group(order);
  float scale;
  std::memcpy(&scale, scales + r * sizeof scale, sizeof scale);
  for (size_t k = first; k < first + count; ++k) {
    *out++ += scale * static_cast<int8_t>(integers[panel_index(group, r, k)]);
  }
}

}  // namespace

void expand_keys(const ByteKv& kv, const ByteKvLayout& layout, size_t head, size_t head_size,
                 size_t first, size_t count, float* out) {
  for (size_t j = first; j < first + count; ++j, out += head_size) {
    const uint8_t* keys = kv.data + head * layout.head_bytes;
    const uint8_t* panel = keys + j / 8 * layout.key_panel_bytes;
    std::memcpy(out, keys + layout.key_means, head_size * sizeof(float));
    for (size_t b = 0; b < layout.head_blocks; ++b) {
      const size_t d = b * kBlockValues;
      add_row(kv.order, panel + b * ByteKvLayout::kBlockScales,
              panel + layout.key_integers + b * ByteKvLayout::kBlockIntegers, j % 8, 0,
              std::min(kBlockValues, head_size - d), out + d);
    }
  }
}

float expand_value(const ByteKv& kv, const ByteKvLayout& layout, size_t head, size_t column,
                   size_t j) {
  const uint8_t* keys = kv.data + head * layout.head_bytes;
  const uint8_t* panel = keys + layout.values + column / 8 * layout.value_panel_bytes;
  const size_t b = j / kBlockValues;
  float value;
  std::memcpy(&value, keys + layout.value_means + column * sizeof value, sizeof value);
  add_row(kv.order, panel + b * ByteKvLayout::kBlockScales,
          panel + layout.value_integers + b * ByteKvLayout::kBlockIntegers, column % 8,
          j % kBlockValues, 1, &value);
  return value;
}

}  // namespace susurrus
