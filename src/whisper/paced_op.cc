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
    : kind_(Kind::linear), rows_(args.rows), lanes_(args.weight.rows()), linear_(args) {}
PacedOp::PacedOp(const ConvArgs& args)
    : kind_(Kind::conv), rows_(args.frames_out), lanes_(1), conv_(args) {}
PacedOp::PacedOp(const AttentionArgs& args)
    : kind_(Kind::attention), rows_(args.query_rows), lanes_(args.head_count), attention_(args) {}
PacedOp::PacedOp(const LayerNormArgs& args)
    : kind_(Kind::layer_norm), rows_(args.rows), lanes_(1), layer_norm_(args) {}

uint64_t PacedOp::run_piece(const KernelTable& kernels, uint64_t budget) {
  if (is_done()) return 0;
  switch (kind_) {
    case Kind::linear: return run_linear(kernels, budget);
    case Kind::conv: return run_conv(kernels, budget);
    case Kind::attention: return run_attention(kernels, budget);
    case Kind::layer_norm: return run_layer_norm(kernels);
    case Kind::none: break;
  }
  return 0;
}

void PacedOp::advance(size_t rows, size_t lanes) {
  lane_ += lanes;
  if (lane_ < lanes_) return;
  lane_ = 0;
  row_ += rows;
}

uint64_t PacedOp::run_linear(const KernelTable& kernels, uint64_t budget) {
  const uint64_t depth = std::max<uint64_t>(linear_.weight.shape[1], 1);
  const size_t left = rows_ - row_;
  if (lane_ == 0) {
    tile_rows_ = at_least_one(budget / (lanes_ * depth), left);
    if (tile_rows_ < std::min(left, kMinTileRows)) {
      tile_rows_ = at_least_one(budget / (kColumnStep * depth), std::min(left, kWideTileRows));
    }
  }
  const size_t rows = tile_rows_;
  size_t columns = at_least_one(budget / (rows * depth), lanes_ - lane_);
  if (columns < lanes_ - lane_)
    columns = std::max(columns / kColumnStep * kColumnStep, kColumnStep);
  columns = std::min(columns, lanes_ - lane_);

  LinearArgs piece = linear_;
  piece.rows = rows;
  piece.x = linear_.x + row_ * linear_.x_stride;
  piece.y = linear_.y + row_ * linear_.y_stride + lane_;
  piece.weight.shape = Shape({columns, linear_.weight.shape[1]});
  piece.weight.data = linear_.weight.row(lane_);
  if (linear_.bias != nullptr) piece.bias = linear_.bias + lane_;
  kernels.linear(piece);
  advance(rows, columns);
  return uint64_t{rows} * columns * depth;
}

uint64_t PacedOp::run_conv(const KernelTable& kernels, uint64_t budget) {
  const uint64_t outputs = conv_.weight.rows();
  const uint64_t row_cost = outputs * conv_.channels_in * 3;
  const size_t rows = at_least_one(budget / row_cost, rows_ - row_);
  ConvArgs piece = conv_;
  piece.frames_out = rows;
  piece.x = conv_.x + row_ * conv_.stride * conv_.channels_in;
  piece.y = conv_.y + row_ * outputs;
  kernels.conv_gelu(piece);
  advance(rows, 1);
  return rows * row_cost;
}

uint64_t PacedOp::run_attention(const KernelTable& kernels, uint64_t budget) {
  const uint64_t row_cost = 2 * std::max<uint64_t>(attention_.key_rows, 1) * attention_.head_size;
  const size_t left = rows_ - row_;
  if (lane_ == 0) tile_rows_ = at_least_one(budget / row_cost, left);
  const size_t rows = tile_rows_;
  const size_t heads = at_least_one(budget / (row_cost * rows), lanes_ - lane_);
  AttentionArgs piece = attention_;
  piece.query_rows = rows;
  piece.q = attention_.q + row_ * attention_.q_stride;
  piece.out = attention_.out + row_ * attention_.out_stride;
  piece.causal_offset = attention_.causal_offset + row_;
  piece.head_first = attention_.head_first + lane_;
  piece.head_count = heads;
  kernels.attention(piece);
  advance(rows, heads);
  return row_cost * rows * heads;
}

uint64_t PacedOp::run_layer_norm(const KernelTable& kernels) {
  const LayerNormArgs& args = layer_norm_;
  kernels.layer_norm(args.rows, args.columns, args.x, args.columns, args.gamma, args.beta, args.y,
                     args.columns);
  advance(rows_, 1);
  return uint64_t{4} * args.rows * args.columns;
}

}  // namespace susurrus
