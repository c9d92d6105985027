// Products of many rows: weights packed panel by panel, then register tiles.
#pragma once
#include <algorithm>
#include <span>

#include "kernels/gelu/simd_gelu.h"
#include "kernels/kernel_table.h"
#include "kernels/scratch_layout.h"
#include "kernels/simd/tile.h"

namespace susurrus::simd {

static_assert(kTileColumns == kPanelTile);

/// y[m, n] = epilogue(sum_k x[m, k] * W[n, k] + bias[n]), W given by a packer.
struct PanelProduct {
  size_t rows;
  size_t n_count;
  size_t k_count;
  const float* x;
  size_t x_stride;
  const float* bias;  // or null
  float* y;
  size_t y_stride;
  Epilogue epilogue;
  float* scratch;
};

/// One panel against every row of x. `first` and `last` tell where this part of k lies.
template <class Madd>
inline void multiply_panel(const PanelProduct& p, const float* panel, size_t n_first,
                           size_t columns, size_t k_first, size_t depth, bool first, bool last) {
  // A padded copy: the last tile reads eight biases.
  float bias[LinearScratch::kPanelColumns] = {};
  const bool has_bias = first && p.bias != nullptr;
  if (has_bias) std::copy_n(p.bias + n_first, columns, bias);
  const bool accumulate = !first || p.epilogue == Epilogue::accumulate;

  for (size_t m = 0; m < p.rows; m += Madd::kTileRows) {
    const int tile_row_count = static_cast<int>(std::min<size_t>(Madd::kTileRows, p.rows - m));
    const float* x = p.x + m * p.x_stride + k_first;
    float* y = p.y + m * p.y_stride + n_first;
    for (size_t c = 0; c < columns; c += kTileColumns) {
      tile_edge<Madd>(tile_row_count, std::min(kTileColumns, columns - c), depth, x, p.x_stride,
                      panel + c * depth, has_bias ? bias + c : nullptr, accumulate, y + c,
                      p.y_stride);
    }
    if (last && p.epilogue == Epilogue::gelu) {
      for (int r = 0; r < tile_row_count; ++r) {
        float* row = y + static_cast<size_t>(r) * p.y_stride;
        gelu<Madd>(columns, row, row);
      }
    }
  }
}

/// `packer(n, n_count, k, k_count, rows, panel)` writes panel[i, c] = W[n + c, k + i] for c < 8
/// (anything where c >= n_count), i < k_count; `rows` is LinearScratch::row_floats() of memory for
/// it.
template <class Madd, class Packer>
inline void panel_product(const PanelProduct& p, const Packer& packer) {
  float* panel = p.scratch;
  float* rows = p.scratch + LinearScratch::panel_floats(p.k_count);
  for (size_t n = 0; n < p.n_count; n += LinearScratch::kPanelColumns) {
    const size_t columns = std::min(LinearScratch::kPanelColumns, p.n_count - n);
    size_t k = 0;
    do {
      const size_t depth = std::min(LinearScratch::kPanelDepth, p.k_count - k);
      for (size_t c = 0; c < columns; c += kTileColumns) {
        packer(n + c, std::min(kTileColumns, columns - c), k, depth, rows, panel + c * depth);
      }
      multiply_panel<Madd>(p, panel, n, columns, k, depth, k == 0, k + depth == p.k_count);
      k += depth;
    } while (k < p.k_count);
  }
}

}  // namespace susurrus::simd
