#include "kernels/int8_kv.h"

#include <cstring>

#include "kernels/packed_weights/packed_weights.h"

namespace susurrus {
namespace {

float float_at(const uint8_t* floats, size_t i) {
  float value;
  std::memcpy(&value, floats + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

void expand_keys(const Int8Kv& kv, const Int8KvLayout& layout, size_t head, size_t head_size,
                 size_t first, size_t count, float* out) {
  const uint8_t* keys = kv.data + head * layout.head_bytes;
  const size_t group = panel_group(kv.order);
  for (size_t j = first; j < first + count; ++j, out += head_size) {
    const uint8_t* panel = keys + j / 8 * layout.key_panel_bytes;
    const float scale = float_at(panel, j % 8);
    for (size_t d = 0; d < head_size; ++d) {
      const auto q =
          static_cast<int8_t>(panel[Int8KvLayout::kKeyIntegers + panel_index(group, j % 8, d)]);
      out[d] = float_at(keys + layout.key_means, d) +
               float_at(keys + layout.key_scales, d) * (scale * q);
    }
  }
}

float expand_value(const Int8Kv& kv, const Int8KvLayout& layout, size_t head, size_t column,
                   size_t j) {
  const uint8_t* keys = kv.data + head * layout.head_bytes;
  const uint8_t* panel = keys + layout.values + column / 8 * layout.value_panel_bytes;
  const size_t b = j / Int8KvLayout::kKeys;
  const uint8_t* integers = panel + layout.value_integers + b * Int8KvLayout::kBlockIntegers;
  const auto q = static_cast<int8_t>(
      integers[panel_index(panel_group(kv.order), column % 8, j % Int8KvLayout::kKeys)]);
  return float_at(keys + layout.value_means, column) + float_at(panel, 8 * b + column % 8) * q;
}

}  // namespace susurrus
