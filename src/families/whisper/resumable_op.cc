#include "families/whisper/resumable_op.h"

#include <algorithm>

#include "parallel/divide.h"

namespace susurrus {
namespace {

// Fewer rows than this make poor use of a weight that is read (or expanded) once per tile: then columns are cut instead.
constexpr size_t kMinTileRows = 64;
constexpr size_t kWideTileRows = 256;
constexpr size_t kColumnStep = 16;
// Kernels for few rows sum in a different order. Never split many rows into fewer than this, or results change in the last
// bits.
constexpr size_t kLeastRows = 8;
// Slices of rows: whole tiles, but for the last, and enough of them for a weight that each thread expands for itself.
constexpr size_t kRowStep = 12;
constexpr size_t kMinSliceRows = 48;
// Less than this is done sooner than another thread has taken notice.
constexpr uint64_t kLeastSliceMultiplyAdds = 32'000;

size_t at_least_one(uint64_t value, size_t most) {
  return static_cast<size_t>(std::clamp<uint64_t>(value, 1, std::max<size_t>(most, 1)));
}

/// How many of `left` rows a piece gets that may have `most`.
size_t piece_rows(uint64_t most, size_t left) {
  const size_t rows = at_least_one(most, left);
  const size_t rest = left - rows;
  return rest == 0 || rest >= kLeastRows || left < 2 * kLeastRows ? rows : left - kLeastRows;
}

/// Most slices of `rows` rows.
size_t row_slices(size_t rows) { return std::max<size_t>(rows / kMinSliceRows, 1); }

/// Most slices of what costs `multiply_adds`.
size_t worthwhile_slices(uint64_t multiply_adds) {
  return at_least_one(multiply_adds / kLeastSliceMultiplyAdds, active_thread_count());
}

/// A thread's own part of the memory that an operation was given for all of them.
std::span<float> own_scratch(std::span<float> scratch, size_t thread) {
  if constexpr (!kHasThreads) return scratch;
  const size_t count = scratch.size() / thread_count() / 16 * 16;
  return scratch.subspan(thread * count, count);
}

}  // namespace

ResumableOp::ResumableOp(const LinearArgs& args)
    : kind_(Kind::linear),
      outer_count_(args.rows),
      inner_count_(args.weight.rows()),
      linear_(args) {}
ResumableOp::ResumableOp(const AttentionArgs& args)
    : kind_(Kind::attention),
      outer_count_(args.head_count),
      inner_count_(args.query_rows),
      attention_(args) {}
ResumableOp::ResumableOp(const QuantizeKvArgs& args)
    : kind_(Kind::quantize_kv), outer_count_(args.head_count), quantize_kv_(args) {}
ResumableOp::ResumableOp(const LayerNormArgs& args)
    : kind_(Kind::layer_norm), outer_count_(args.rows), layer_norm_(args) {}

ResumableOp ResumableOp::already_done(uint64_t multiply_adds) {
  ResumableOp op;
  op.outer_count_ = 1;
  op.done_multiply_adds_ = multiply_adds;
  return op;
}

uint64_t ResumableOp::run_piece(const KernelTable& kernels, uint64_t budget) {
  if (is_done()) return 0;
  budget *= active_thread_count();
  switch (kind_) {
    case Kind::linear: return run_linear(kernels, budget);
    case Kind::attention: return run_attention(kernels, budget);
    case Kind::quantize_kv: return run_quantize_kv(kernels, budget);
    case Kind::layer_norm: return run_layer_norm(kernels, budget);
    case Kind::already_done: break;
  }
  advance(1, 1);
  return done_multiply_adds_;
}

void ResumableOp::advance(size_t outer, size_t inner) {
  inner_ += inner;
  if (inner_ < inner_count_) return;
  inner_ = 0;
  outer_ += outer;
}

uint64_t ResumableOp::run_linear(const KernelTable& kernels, uint64_t budget) {
  const uint64_t output_cost = std::max<uint64_t>(linear_.weight.shape[1], 1) +
                               (linear_.epilogue == Epilogue::gelu ? kGeluMultiplyAdds : 0);
  if (inner_ == 0) {
    const size_t left = outer_count_ - outer_;
    outer_tile_ = piece_rows(budget / (inner_count_ * output_cost), left);
    if (outer_tile_ < std::min(left, kMinTileRows)) {
      // Later pieces of the tile may find less of a budget.
      const uint64_t least = std::min(budget, kLeastPieceMultiplyAdds * active_thread_count());
      outer_tile_ =
          piece_rows(std::min<uint64_t>(least / (kColumnStep * output_cost), kWideTileRows), left);
    }
  }
  const size_t rows = outer_tile_;
  const size_t columns_left = inner_count_ - inner_;
  size_t columns = at_least_one(budget / (rows * output_cost), columns_left);
  if (columns < columns_left) columns = std::max(columns / kColumnStep * kColumnStep, kColumnStep);
  columns = std::min(columns, columns_left);
  const uint64_t cost = rows * columns * output_cost;

  const auto run = [&](size_t first_row, size_t row_count, size_t first_column, size_t column_count,
                       size_t thread) {
    LinearArgs piece = linear_;
    piece.rows = row_count;
    piece.x = linear_.x + first_row * linear_.x_stride;
    piece.y = linear_.y + first_row * linear_.y_stride + first_column;
    piece.weight.shape = Shape({column_count, linear_.weight.shape[1]});
    piece.weight.data = linear_.weight.row(first_column);
    if (linear_.bias != nullptr) piece.bias = linear_.bias + first_column;
    piece.scratch = own_scratch(linear_.scratch, thread);
    kernels.linear(piece);
  };
  size_t slices;
  if (kHasThreads && rows < kMinSliceRows * active_thread_count()) {
    slices = divide(columns, kColumnStep, worthwhile_slices(cost), [&](const Slice& slice) {
      run(outer_, rows, inner_ + slice.first, slice.count, slice.thread);
    });
  } else {
    slices = divide(rows, kRowStep, worthwhile_slices(cost), [&](const Slice& slice) {
      run(outer_ + slice.first, slice.count, inner_, columns, slice.thread);
    });
  }
  advance(rows, columns);
  return cost / slices;
}

uint64_t ResumableOp::run_attention(const KernelTable& kernels, uint64_t budget) {
  const uint64_t row_cost = std::max<uint64_t>(attention_.key_rows, 1) *
                            (uint64_t{2} * attention_.head_size + kExponentialMultiplyAdds);
  if (inner_ == 0) {
    outer_tile_ = at_least_one(budget / (row_cost * inner_count_), outer_count_ - outer_);
  }
  const size_t heads = outer_tile_;
  const size_t rows = piece_rows(budget / (row_cost * heads), inner_count_ - inner_);
  const uint64_t cost = row_cost * rows * heads;

  const auto run = [&](size_t first_head, size_t head_count, size_t first_row, size_t row_count,
                       size_t thread) {
    AttentionArgs piece = attention_;
    piece.query_rows = row_count;
    piece.q = attention_.q + first_row * attention_.q_stride;
    piece.out = attention_.out + first_row * attention_.out_stride;
    piece.causal_offset = attention_.causal_offset + first_row;
    if (piece.own.rows != nullptr) piece.own.rows += first_row * piece.own.rows_stride;
    piece.head_first = attention_.head_first + first_head;
    piece.head_count = head_count;
    piece.scratch = own_scratch(attention_.scratch, thread);
    (piece.kv.data != nullptr ? kernels.int8_attention : kernels.attention)(piece);
  };
  size_t slices;
  if (kHasThreads && rows < kMinSliceRows * active_thread_count()) {
    slices = divide(heads, 1, worthwhile_slices(cost), [&](const Slice& slice) {
      run(outer_ + slice.first, slice.count, inner_, rows, slice.thread);
    });
  } else {
    slices = divide(rows, kRowStep, row_slices(rows), [&](const Slice& slice) {
      run(outer_, heads, inner_ + slice.first, slice.count, slice.thread);
    });
  }
  advance(heads, rows);
  return cost / slices;
}

uint64_t ResumableOp::run_quantize_kv(const KernelTable& kernels, uint64_t budget) {
  const uint64_t head_cost =
      kQuantizeMultiplyAdds * 2 * quantize_kv_.key_rows * quantize_kv_.head_size;
  const size_t heads = at_least_one(budget / head_cost, outer_count_ - outer_);
  const size_t slices =
      divide(heads, 1, worthwhile_slices(heads * head_cost), [&](const Slice& slice) {
        QuantizeKvArgs piece = quantize_kv_;
        piece.head_first = quantize_kv_.head_first + outer_ + slice.first;
        piece.head_count = slice.count;
        kernels.quantize_kv(piece);
      });
  advance(heads, 1);
  return heads * head_cost / slices;
}

uint64_t ResumableOp::run_layer_norm(const KernelTable& kernels, uint64_t budget) {
  const LayerNormArgs& args = layer_norm_;
  const uint64_t row_cost = kLayerNormMultiplyAdds * std::max<uint64_t>(args.columns, 1);
  const size_t rows = at_least_one(budget / row_cost, outer_count_ - outer_);
  const size_t slices =
      divide(rows, 1, worthwhile_slices(rows * row_cost), [&](const Slice& slice) {
        const size_t place = (outer_ + slice.first) * args.columns;
        kernels.layer_norm(slice.count, args.columns, args.x + place, args.columns, args.gamma,
                           args.beta, args.y + place, args.columns);
      });
  advance(rows, 1);
  return rows * row_cost / slices;
}

}  // namespace susurrus
