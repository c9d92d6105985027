#pragma once
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "kernels/quantized_blocks.h"
#include "tensor/tensor_view.h"
#include "tensor/weight_packing.h"

namespace susurrus {

/// Packed weights: the block types in the order in which matrix products read them, as panels of 8 rows (padded with rows of zeros),
/// each as many blocks of 32 columns as a row has; a panel takes the bytes that its rows took. A block of a panel:
///
///   d    8 halves, one a row
///   m    8 halves, where the type has m
///   qh   32 bytes, where the type has qh
///   q    the integers: 256 bytes (q8_0) or 128 bytes of nibbles
///
/// The integer of row r, column k of a block has index (k / G) * 8 G + r * G + k % G: groups of G columns, row after row,
/// as the dot product instructions want them. A nibble type keeps index i < 128 in the low half of byte i, index i + 128
/// in its high half; the fifth bit of index i is bit i / 32 of qh[i % 32].
inline constexpr size_t kPackedBlockIntegers = kPackedRows * kBlockValues;

/// Byte offsets inside a block of a panel.
struct PackedBlockLayout {
  size_t m;  // BlockLayout::kAbsent where the type has none
  size_t qh;
  size_t q;
  size_t byte_count;

  constexpr explicit PackedBlockLayout(const BlockLayout& block)
      : m(block.m == BlockLayout::kAbsent ? BlockLayout::kAbsent : 2 * kPackedRows),
        qh(block.qh == BlockLayout::kAbsent ? BlockLayout::kAbsent : block.qh * kPackedRows),
        q(block.qs * kPackedRows),
        byte_count(block.byte_count * kPackedRows) {}
};

/// Columns of a group: 4 or 2, as the TensorView's layout says.
constexpr size_t panel_group(WeightLayout layout) {
  return layout == WeightLayout::panels_of_4 ? 4 : 2;
}
constexpr size_t panel_index(size_t group, size_t row, size_t column) {
  return column / group * (kPackedRows * group) + row * group + column % group;
}

/// Quantises 32 floats to a block of q8_0. Unlike the converter, which matches ggml to the bit, this divides by the scale as
/// rounded to f16. NaN becomes 0. A scale out of f16's range gives useless but defined values.
void quantize_block(const float* x, uint8_t* block);

/// 32 whole numbers from -128 to 127 as a block of q8_0 whose scale is 1.
void integers_to_block(const float* x, uint8_t* block);

/// Rearranges rows into panels, in place, those of floats as q8_0. `bytes` holds the rows and then room up to a whole panel,
/// whose contents do not matter; `panel` is memory for the rows of one panel, of two where there are floats.
TensorView pack_weights(const TensorView& weight, WeightLayout layout, MutableByteSpan bytes,
                        MutableByteSpan panel);

/// Makes a panel of the next 8 rows of a block type, which lie elsewhere.
void pack_rows(const TensorView& weight, WeightLayout layout, const uint8_t* rows, uint8_t* panel);

/// Rows of f32 as float_panels: of each column eight rows' values, zeros where there are fewer. `panels` has room for whole ones.
void pack_floats(size_t row_count, size_t columns, const float* rows, float* panels);

/// y[k] = weight[row, k], exactly, from any layout of any weight type.
void read_weight_row(const TensorView& weight, size_t row, float* y);

}  // namespace susurrus
