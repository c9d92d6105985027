// How the kernels divide the scratch memory of a call: one truth for them and for
// linear_scratch_floats() and attention_scratch_floats().
#pragma once
#include <algorithm>
#include <cstddef>

namespace susurrus {

/// Floats of a register tile's row (simd/tile.h), and the unit of packed panels.
inline constexpr size_t kPanelTile = 8;

constexpr size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/// Many rows: a panel of kPanelColumns weight rows by at most kPanelDepth of k, expanded and packed
/// (256 KiB: half of a common L2 cache), and room for the expanded rows on their way into it.
/// Few rows: the sums of every 32 values of two x rows. Reference: one expanded row.
struct LinearScratch {
  static constexpr size_t kPanelColumns = 128;
  static constexpr size_t kPanelDepth = 512;

  static constexpr size_t panel_floats(size_t k) {
    return kPanelColumns * std::min(k, kPanelDepth);
  }
  static constexpr size_t row_floats(size_t k) {
    return std::max(kPanelTile * std::min(k, kPanelDepth), k);
  }
  static constexpr size_t floats(size_t k) {
    return round_up(panel_floats(k) + row_floats(k), 16) + 16;
  }
};

/// One head's keys, packed by tiles of 8 keys; its values, packed by tiles of 8 columns; then, for
/// a block of query rows, the scaled queries and their scores.
struct AttentionScratch {
  static constexpr size_t kBlockRows = 30;

  size_t key_stride;  // floats of a row of scores: keys rounded up to whole tiles
  size_t values;      // offsets, in floats
  size_t queries;
  size_t scores;
  size_t floats;

  constexpr AttentionScratch(size_t key_rows, size_t head_size)
      : key_stride(round_up(key_rows, kPanelTile)),
        values(key_stride * head_size),
        queries(values + key_stride * round_up(head_size, kPanelTile)),
        scores(queries + kBlockRows * head_size),
        floats(round_up(scores + kBlockRows * key_stride, 16) + 16) {}
};

}  // namespace susurrus
