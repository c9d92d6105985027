#include "whisper/layer_ops.h"

#include <cmath>

namespace susurrus {

PacedOp LayerOps::norm(const NormWeights& weights, size_t rows, const float* x, float* y) const {
  LayerNormArgs args;
  args.rows = rows;
  args.columns = static_cast<size_t>(weights.gamma.shape[0]);
  args.x = x;
  args.gamma = state_.as_f32(weights.gamma, 0, kernels_);
  args.beta = state_.as_f32(weights.beta, 1, kernels_);
  args.y = y;
  return PacedOp(args);
}

PacedOp LayerOps::linear(const LinearWeights& weights, size_t rows, const float* x, float* y,
                         Epilogue epilogue) const {
  LinearArgs args;
  args.rows = rows;
  args.x = x;
  args.x_stride = static_cast<size_t>(weights.weight.shape[1]);
  args.weight = weights.weight;
  args.bias = state_.as_f32(weights.bias, 0, kernels_);
  args.y = y;
  args.y_stride = static_cast<size_t>(weights.weight.shape[0]);
  args.epilogue = epilogue;
  args.scratch = state_.kernel_scratch();
  return PacedOp(args);
}

PacedOp LayerOps::attention(size_t heads, size_t query_rows, size_t key_rows, const float* q,
                            const float* k, const float* v, float* out) const {
  const size_t width = state_.dimensions().n_audio_state;
  AttentionArgs args;
  args.query_rows = query_rows;
  args.key_rows = key_rows;
  args.head_count = heads;
  args.head_size = width / heads;
  args.scale = 1.0f / std::sqrt(static_cast<float>(args.head_size));
  args.q = q;
  args.k = k;
  args.v = v;
  args.out = out;
  args.q_stride = args.k_stride = args.v_stride = args.out_stride = width;
  args.scratch = state_.kernel_scratch();
  return PacedOp(args);
}

PacedOp LayerOps::causal_attention(size_t heads, size_t query_rows, size_t offset, const float* q,
                                   const float* k, const float* v, float* out) const {
  const size_t width = state_.dimensions().n_audio_state;
  AttentionArgs args;
  args.query_rows = query_rows;
  args.key_rows = offset + query_rows;
  args.head_count = heads;
  args.head_size = width / heads;
  args.scale = 1.0f / std::sqrt(static_cast<float>(args.head_size));
  args.causal = true;
  args.causal_offset = offset;
  args.q = q;
  args.k = k;
  args.v = v;
  args.out = out;
  args.q_stride = args.k_stride = args.v_stride = args.out_stride = width;
  args.scratch = state_.kernel_scratch();
  return PacedOp(args);
}

void LayerOps::add_positions(const TensorView& positions, size_t first, size_t rows,
                             float* y) const {
  const auto width = static_cast<size_t>(positions.shape[1]);
  for (size_t r = 0; r < rows; ++r) {
    TensorView row{positions.dtype, Shape({width}), positions.row(first + r)};
    kernels_.add(width, state_.as_f32(row, 0, kernels_), y + r * width);
  }
}

}  // namespace susurrus
