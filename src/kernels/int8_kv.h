// Keys and values of attention as integers: int8 with scales, 1.1 to 1.2 bytes a value.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/scratch_layout.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// Where the integers of keys and values lie; each head takes Int8KvLayout::head_bytes, 64-byte aligned.
struct Int8Kv {
  uint8_t* data = nullptr;
  /// panels_of_2 or panels_of_4: the order of integers in a block, as panel_index() has it
  WeightLayout order = WeightLayout::panels_of_4;
};

/// One head. What all keys, or all values, have in common is no part of their integers: the mean of each column is taken off
/// (softmax does not see it in the keys; it is added to the attention's output for the values). Nor is what one column of the
/// keys is larger than another: each has a scale, how far its farthest key is from the mean, which goes to the queries. So columns that are
/// large do not cost the others their bits. Keys are panels of 8; values are panels of 8 columns, each as many blocks of kKeys
/// keys as there are. Keys and columns beyond the last are zeros. Offsets in bytes.
///
///   key panel     8 f32 scales; 8 i32 corrections, minus the activations' offset times the sum of a key's integers (0 where
///                 they have no offset); the integers
///   value panel   per block 8 f32 scales; per block the integers
///   columns       f32, one for each column: means and scales of keys, means of values
struct Int8KvLayout {
  /// Keys whose values share a scale.
  static constexpr size_t kKeys = 64;
  static constexpr size_t kScales = 8 * sizeof(float);
  static constexpr size_t kBlockIntegers = 8 * kKeys;

  size_t key_blocks;
  size_t width;  // columns rounded up to kBlockValues
  size_t key_panel_bytes;
  size_t value_integers;
  size_t value_panel_bytes;
  size_t values;
  size_t key_means;
  size_t key_scales;
  size_t value_means;
  size_t head_bytes;

  static constexpr size_t kKeyCorrections = kScales;
  static constexpr size_t kKeyIntegers = 2 * kScales;

  constexpr Int8KvLayout(size_t key_rows, size_t head_size)
      : key_blocks((key_rows + kKeys - 1) / kKeys),
        width(round_up(head_size, kBlockValues)),
        key_panel_bytes(kKeyIntegers + 8 * width),
        value_integers(key_blocks * kScales),
        value_panel_bytes(value_integers + key_blocks * kBlockIntegers),
        values(key_blocks * (kKeys / 8) * key_panel_bytes),
        key_means(values + width / 8 * value_panel_bytes),
        key_scales(key_means + width * sizeof(float)),
        value_means(key_scales + width * sizeof(float)),
        head_bytes(round_up(value_means + width * sizeof(float), 64)) {}
};

/// out[i, d] = mean + column scale * scale * q of key first + i of `head`, i < count, d < head_size; rows are contiguous.
void expand_keys(const Int8Kv& kv, const Int8KvLayout& layout, size_t head, size_t head_size,
                 size_t first, size_t count, float* out);
/// mean + scale * q of `column` of value j.
float expand_value(const Int8Kv& kv, const Int8KvLayout& layout, size_t head, size_t column,
                   size_t j);

}  // namespace susurrus
