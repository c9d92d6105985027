// Keys and values of attention as integers: int8 with a scale for every 32 of them, 1.2 bytes a value.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/scratch_layout.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// Where the integers of keys and values lie; each head takes ByteKvLayout::head_bytes, 64-byte aligned.
struct ByteKv {
  uint8_t* data = nullptr;
  /// panels_of_2 or panels_of_4: the order of integers in a block, as panel_index() has it
  WeightLayout order = WeightLayout::panels_of_4;
};

/// One head. What all keys, or all values, have in common is no part of their integers: the mean of each column is taken off
/// (softmax does not see it in the keys; it is added to the attention's output for the values), so that columns that are
/// large everywhere do not cost the others their bits. Keys are panels of 8, each as many blocks of 32 columns as a head has; values are panels of 8 columns, each as
/// many blocks of 32 keys as there are. Keys and columns beyond the last are zeros. Offsets in bytes.
///
///   key panel     per block 8 f32 scales; per block 8 i32 corrections, minus the code's offset times the sum of a key's
///                 integers (0 where codes have no offset); per block 256 integers
///   value panel   per block 8 f32 scales; per block 256 integers
///   means         f32, one for each column of the keys' blocks, then one for each of the values' panels
struct ByteKvLayout {
  static constexpr size_t kBlockIntegers = 8 * kBlockValues;
  static constexpr size_t kBlockScales = 8 * sizeof(float);

  size_t key_blocks;     // of 32 keys, so four panels of keys
  size_t head_blocks;    // of 32 columns
  size_t column_panels;  // of 8 columns
  size_t key_corrections;
  size_t key_integers;
  size_t key_panel_bytes;
  size_t value_integers;
  size_t value_panel_bytes;
  size_t values;
  size_t key_means;
  size_t value_means;
  size_t head_bytes;

  constexpr ByteKvLayout(size_t key_rows, size_t head_size)
      : key_blocks((key_rows + kBlockValues - 1) / kBlockValues),
        head_blocks((head_size + kBlockValues - 1) / kBlockValues),
        column_panels((head_size + 7) / 8),
        key_corrections(head_blocks * kBlockScales),
        key_integers(2 * key_corrections),
        key_panel_bytes(key_integers + head_blocks * kBlockIntegers),
        value_integers(key_blocks * kBlockScales),
        value_panel_bytes(value_integers + key_blocks * kBlockIntegers),
        values(4 * key_blocks * key_panel_bytes),
        key_means(values + column_panels * value_panel_bytes),
        value_means(key_means + head_blocks * kBlockValues * sizeof(float)),
        head_bytes(round_up(value_means + column_panels * kBlockScales, 64)) {}
};

/// out[i, d] = mean + scale * q of key first + i of `head`, i < count, d < head_size; rows are contiguous.
void expand_keys(const ByteKv& kv, const ByteKvLayout& layout, size_t head, size_t head_size,
                 size_t first, size_t count, float* out);
/// The same of `column` of value j.
float expand_value(const ByteKv& kv, const ByteKvLayout& layout, size_t head, size_t column,
                   size_t j);

}  // namespace susurrus
