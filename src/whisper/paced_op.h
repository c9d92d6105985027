#pragma once
#include <cstdint>

#include "kernels/kernel_table.h"

namespace susurrus {

/// Most multiply-adds between two returns to the caller: 0.2 GFLOP, so that JavaScript gets to stop in time.
inline constexpr uint64_t kStepMultiplyAdds = 100'000'000;

struct LayerNormArgs {
  size_t rows = 0;
  size_t columns = 0;
  const float* x = nullptr;  // rows contiguous
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float* y = nullptr;
};

/// One operation of a network, done in pieces of bounded work: rows, columns or heads at a time.
class PacedOp {
 public:
  PacedOp() = default;  // nothing to do
  explicit PacedOp(const LinearArgs& args);
  explicit PacedOp(const ConvArgs& args);
  explicit PacedOp(const AttentionArgs& args);
  explicit PacedOp(const LayerNormArgs& args);

  bool is_done() const { return kind_ == Kind::none || row_ == rows_; }
  /// Does a piece of about `budget` multiply-adds at most (a single row and column group may be more) and says how
  /// many it was.
  uint64_t run_piece(const KernelTable& kernels, uint64_t budget);

 private:
  enum class Kind : uint8_t { none, linear, conv, attention, layer_norm };

  uint64_t run_linear(const KernelTable& kernels, uint64_t budget);
  uint64_t run_conv(const KernelTable& kernels, uint64_t budget);
  uint64_t run_attention(const KernelTable& kernels, uint64_t budget);
  uint64_t run_layer_norm(const KernelTable& kernels);
  void advance(size_t rows, size_t lanes);

  Kind kind_ = Kind::none;
  // Pieces are tiles of rows (of the output) by lanes (linear: columns; attention: heads), row tiles outermost.
  size_t rows_ = 0;
  size_t lanes_ = 0;
  size_t row_ = 0;
  size_t lane_ = 0;
  size_t tile_rows_ = 0;  // of the current row tile, chosen at its first piece
  LinearArgs linear_;
  ConvArgs conv_;
  AttentionArgs attention_;
  LayerNormArgs layer_norm_;
};

}  // namespace susurrus
