// How the kernels divide the scratch memory of a call: one truth for them and for
// linear_scratch_floats() and attention_scratch_floats().
#pragma once
#include <algorithm>
#include <cstddef>

#include "kernels/quantized_blocks.h"

namespace susurrus {

/// Floats of a register tile's row (simd/tile.h), and the unit of packed panels.
inline constexpr size_t kPanelTile = 8;

constexpr size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/// Rows of quantised activations that one register tile takes.
inline constexpr size_t kQuantizedRows = 6;

/// A tile of quantised rows (simd/int8_activations.h), of up to two terms a block: block numbers, scales, sums, integers.
struct QuantizedTileLayout {
  size_t scales;
  size_t sums;
  size_t values;
  size_t floats;

  constexpr explicit QuantizedTileLayout(size_t k_count)
      : scales(round_up(2 * (k_count / kBlockValues), 4)),
        sums(scales + round_up(2 * kQuantizedRows * (k_count / kBlockValues), 4)),
        values(sums + kQuantizedRows * round_up(k_count / kBlockValues, 4)),
        floats(round_up(values + kQuantizedRows * k_count, 16)) {}
};

/// One panel of weights made ready for products of integers: scales, corrections, minima, and integers of up to 16 bits.
struct ReadyPanelLayout {
  size_t corrections;
  size_t minima;
  size_t integers;
  size_t floats;

  constexpr explicit ReadyPanelLayout(size_t k_count)
      : corrections(k_count / 4),
        minima(corrections + k_count / 4),
        integers(minima + k_count / 4),
        floats(round_up(integers + 4 * k_count, 16)) {}
};

/// A ready panel, and as many quantised rows as stay in the L2 cache: all of them are multiplied with one panel after the
/// other.
struct Int8LinearScratch {
  static constexpr size_t kMostTiles = 32;
  static constexpr size_t kTileFloats = 160 << 10;

  static constexpr size_t tiles(size_t k_count) {
    return std::clamp<size_t>(kTileFloats / (QuantizedTileLayout(k_count).floats + 1), 1,
                              kMostTiles);
  }
  static constexpr size_t floats(size_t k_count) {
    return ReadyPanelLayout(k_count).floats + tiles(k_count) * QuantizedTileLayout(k_count).floats;
  }
};

/// Attention to keys and values as integers, of up to kQuantizedRows query rows: queries times the keys' scales, quantised
/// queries of up to two terms, the scores of a block of keys by each, and quantised probabilities with a scale and a sum
/// for each block of keys. An integer takes up to two bytes. Reference: a row of probabilities and a key.
struct Int8AttentionScratch {
  size_t quantized_queries;
  size_t scores;
  size_t scales;
  size_t sums;
  size_t probabilities;
  size_t floats;

  constexpr Int8AttentionScratch(size_t width, size_t key_blocks, size_t block_keys)
      : quantized_queries(kQuantizedRows * width),
        scores(quantized_queries + kQuantizedRows * round_up(width, block_keys) / 2),
        scales(scores + 2 * kQuantizedRows * block_keys),
        sums(scales + round_up(kQuantizedRows * key_blocks, 4)),
        probabilities(sums + round_up(kQuantizedRows * key_blocks, 4)),
        floats(round_up(probabilities + kQuantizedRows * key_blocks * block_keys / 2, 16) + 16) {}
};

/// Many rows: a panel of kPanelColumns weight rows by at most kPanelDepth of k, expanded and packed
/// (256 KiB: half of a common L2 cache), and room for the expanded rows on their way into it.
/// Reference: one expanded row.
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
