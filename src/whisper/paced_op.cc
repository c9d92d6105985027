#include "whisper/paced_op.h"

#include <algorithm>

namespace susurrus {
namespace {

// Fewer rows than this make poor use of a weight that is read (or expanded) once per tile: then columns are cut instead.
constexpr size_t kMinTileRows = 64;
constexpr size_t kWideTileRows = 256;
constexpr size_t kColumnStep = 16;

size_t at_least_one(uint64_t value, size_t most) {
  return static_cast<size_t>(std::clamp<uint64_t>(value, 1, std::max<size_t>(most, 1)));
}

}  // namespace

PacedOp::PacedOp(const LinearArgs& args)
    : kind_(Kind::linear),
      outer_count_(args.rows),
      inner_count_(args.weight.rows()),
      linear_(args) {}
PacedOp::PacedOp(const ConvArgs& args)
    : kind_(Kind::conv), outer_count_(args.frames_out), conv_(args) {}
PacedOp::PacedOp(const AttentionArgs& args)
    : kind_(Kind::attention),
      outer_count_(args.head_count),
      inner_count_(args.query_rows),
      attention_(args) {}
PacedOp::PacedOp(const LayerNormArgs& args)
    : kind_(Kind::layer_norm), outer_count_(args.rows), layer_norm_(args) {}

PacedOp PacedOp::already_done(uint64_t multiply_adds) {
  PacedOp op;
  op.outer_count_ = 1;
  op.done_multiply_adds_ = multiply_adds;
  return op;
}

uint64_t PacedOp::run_piece(const KernelTable& kernels, uint64_t budget) {
  if (is_done()) return 0;
  switch (kind_) {
    case Kind::linear: return run_linear(kernels, budget);
    case Kind::conv: return run_conv(kernels, budget);
    case Kind::attention: return run_attention(kernels, budget);
    case Kind::layer_norm: return run_layer_norm(kernels, budget);
    case Kind::already_done: break;
  }
  advance(1, 1);
  return done_multiply_adds_;
}

void PacedOp::advance(size_t outer, size_t inner) {
  inner_ += inner;
  if (inner_ < inner_count_) return;
  inner_ = 0;
  outer_ += outer;
}

uint64_t PacedOp::run_linear(const KernelTable& kernels, uint64_t budget) {
  const uint64_t output_cost = std::max<uint64_t>(linear_.weight.shape[1], 1) +
                               (linear_.epilogue == Epilogue::gelu ? kGeluMultiplyAdds : 0);
  if (inner_ == 0) {
    const size_t left = outer_count_ - outer_;
    outer_tile_ = at_least_one(budget / (inner_count_ * output_cost), left);
    if (outer_tile_ < std::min(left, kMinTileRows)) {
      // Later pieces of the tile may find less of a budget.
      const uint64_t least = std::min(budget, kLeastPieceMultiplyAdds);
      outer_tile_ =
          at_least_one(least / (kColumnStep * output_cost), std::min(left, kWideTileRows));
    }
  }
  const size_t rows = outer_tile_;
  const size_t columns_left = inner_count_ - inner_;
  size_t columns = at_least_one(budget / (rows * output_cost), columns_left);
  if (columns < columns_left) columns = std::max(columns / kColumnStep * kColumnStep, kColumnStep);
  columns = std::min(columns, columns_left);

  LinearArgs piece = linear_;
  piece.rows = rows;
  piece.x = linear_.x + outer_ * linear_.x_stride;
  piece.y = linear_.y + outer_ * linear_.y_stride + inner_;
  piece.weight.shape = Shape({columns, linear_.weight.shape[1]});
  piece.weight.data = linear_.weight.row(inner_);
  if (linear_.bias != nullptr) piece.bias = linear_.bias + inner_;
  kernels.linear(piece);
  advance(rows, columns);
  return rows * columns * output_cost;
}

uint64_t PacedOp::run_conv(const KernelTable& kernels, uint64_t budget) {
  const uint64_t outputs = conv_.weight.rows();
  const uint64_t row_cost = outputs * (uint64_t{3} * conv_.channels_in + kGeluMultiplyAdds);
  const size_t rows = at_least_one(budget / row_cost, outer_count_ - outer_);
  ConvArgs piece = conv_;
  piece.frames_out = rows;
  piece.x = conv_.x + outer_ * conv_.stride * conv_.channels_in;
  piece.y = conv_.y + outer_ * outputs;
  kernels.conv_gelu(piece);
  advance(rows, 1);
  return rows * row_cost;
}

uint64_t PacedOp::run_attention(const KernelTable& kernels, uint64_t budget) {
  const uint64_t row_cost = std::max<uint64_t>(attention_.key_rows, 1) *
                            (uint64_t{2} * attention_.head_size + kExponentialMultiplyAdds);
  if (inner_ == 0) {
    outer_tile_ = at_least_one(budget / (row_cost * inner_count_), outer_count_ - outer_);
  }
  const size_t heads = outer_tile_;
  const size_t rows = at_least_one(budget / (row_cost * heads), inner_count_ - inner_);
  AttentionArgs piece = attention_;
  piece.query_rows = rows;
  piece.q = attention_.q + inner_ * attention_.q_stride;
  piece.out = attention_.out + inner_ * attention_.out_stride;
  piece.causal_offset = attention_.causal_offset + inner_;
  if (piece.own.rows != nullptr) piece.own.rows += inner_ * piece.own.rows_stride;
  piece.head_first = attention_.head_first + outer_;
  piece.head_count = heads;
  kernels.attention(piece);
  advance(heads, rows);
  return row_cost * rows * heads;
}

uint64_t PacedOp::run_layer_norm(const KernelTable& kernels, uint64_t budget) {
  const LayerNormArgs& args = layer_norm_;
  const uint64_t row_cost = kLayerNormMultiplyAdds * std::max<uint64_t>(args.columns, 1);
  const size_t rows = at_least_one(budget / row_cost, outer_count_ - outer_);
  const size_t place = outer_ * args.columns;
  kernels.layer_norm(rows, args.columns, args.x + place, args.columns, args.gamma, args.beta,
                     args.y + place, args.columns);
  advance(rows, 1);
  return rows * row_cost;
}

}  // namespace susurrus
