#pragma once
#include <cstdint>

#include "kernels/kernel_table.h"

namespace susurrus {

/// Most multiply-adds between two returns to the caller: 0.2 GFLOP, so that JavaScript gets to stop in time.
inline constexpr uint64_t kStepMultiplyAdds = 100'000'000;
/// A step with less than this left ends: what remains is too small for a useful piece.
inline constexpr uint64_t kLeastPieceMultiplyAdds = kStepMultiplyAdds / 4;

/// What elementwise work counts as, in multiply-adds each.
inline constexpr uint64_t kGeluMultiplyAdds = 16;
inline constexpr uint64_t kExponentialMultiplyAdds = 16;
inline constexpr uint64_t kLayerNormMultiplyAdds = 4;
inline constexpr uint64_t kQuantizeMultiplyAdds = 4;

struct LayerNormArgs {
  size_t rows = 0;
  size_t columns = 0;
  const float* x = nullptr;  // rows contiguous
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float* y = nullptr;
};

/// One operation of a network, done in pieces of bounded work: rows, columns or heads at a time. Each piece is divided
/// among the program's threads; the bits of its outputs do not depend on how many there are. Scratch memory is for all
/// threads: thread_count() times what the kernel asks for.
class ResumableOp {
 public:
  ResumableOp() : layer_norm_() {}  // nothing to do
  explicit ResumableOp(const LinearArgs& args);
  explicit ResumableOp(const AttentionArgs& args);
  explicit ResumableOp(const QuantizeKvArgs& args);
  explicit ResumableOp(const LayerNormArgs& args);
  /// Small work that was done at once and is only counted.
  static ResumableOp already_done(uint64_t multiply_adds);

  bool is_done() const { return outer_ == outer_count_; }
  /// Does a piece of at most `budget` multiply-adds in each thread and says how many it was. Only the smallest piece may be
  /// more: a row of 16 columns, a row of one head, a row of a norm; and one that could not be divided among
  /// all threads.
  uint64_t run_piece(const KernelTable& kernels, uint64_t budget);

 private:
  enum class Kind : uint8_t { already_done, linear, attention, quantize_kv, layer_norm };

  uint64_t run_linear(const KernelTable& kernels, uint64_t budget);
  uint64_t run_attention(const KernelTable& kernels, uint64_t budget);
  uint64_t run_quantize_kv(const KernelTable& kernels, uint64_t budget);
  uint64_t run_layer_norm(const KernelTable& kernels, uint64_t budget);
  void advance(size_t outer, size_t inner);

  Kind kind_ = Kind::already_done;
  // Pieces are tiles: linear, rows by columns; attention, heads by rows; others, rows alone. The outer tile is chosen at
  // its first piece, its pieces differ in the inner direction.
  size_t outer_count_ = 0;
  size_t inner_count_ = 1;
  size_t outer_ = 0;
  size_t inner_ = 0;
  size_t outer_tile_ = 0;
  uint64_t done_multiply_adds_ = 0;
  // The arguments of `kind_`. A union, as each token makes and copies about a hundred operations.
  union {
    LinearArgs linear_;
    AttentionArgs attention_;  // int8_attention's where it has integers
    QuantizeKvArgs quantize_kv_;
    LayerNormArgs layer_norm_;
  };
};

/// One step of a network: pieces of `op`, then of what `next()` makes of it, until the work is worth returning to the caller.
/// `next` returns false where nothing follows.
template <class Next>
void run_step(ResumableOp& op, const KernelTable& kernels, const Next& next) {
  uint64_t spent = 0;
  while (spent + kLeastPieceMultiplyAdds <= kStepMultiplyAdds) {
    if (op.is_done() && !next()) break;
    spent += op.run_piece(kernels, kStepMultiplyAdds - spent);
  }
}

}  // namespace susurrus
