#include "families/whisper/layer_ops.h"

#include <cmath>
#include <numeric>

#include "base/check.h"
#include "kernels/int8_kv.h"

namespace susurrus {

float attention_scale(size_t head_size) { return 1.0f / std::sqrt(static_cast<float>(head_size)); }

ResumableOp LayerOps::norm(const NormWeights& weights, size_t rows, const float* x,
                           float* y) const {
  LayerNormArgs args;
  args.rows = rows;
  args.columns = static_cast<size_t>(weights.gamma.shape[0]);
  args.x = x;
  args.gamma = state_.as_f32(weights.gamma, 0, kernels_);
  args.beta = state_.as_f32(weights.beta, 1, kernels_);
  args.y = y;
  return ResumableOp(args);
}

ResumableOp LayerOps::linear(const LinearWeights& weights, size_t rows, const float* x, float* y,
                             Epilogue epilogue, size_t x_stride) const {
  LinearArgs args;
  args.rows = rows;
  args.x = x;
  args.x_stride = x_stride != 0 ? x_stride : static_cast<size_t>(weights.weight.shape[1]);
  args.weight = weights.weight;
  args.bias = state_.as_f32(weights.bias, 0, kernels_);
  args.y = y;
  args.y_stride = static_cast<size_t>(weights.weight.shape[0]);
  args.epilogue = epilogue;
  args.is_fine = is_fine_;
  args.scratch = state_.kernel_scratch();
  return ResumableOp(args);
}

AttentionArgs LayerOps::attention_args(size_t heads, size_t query_rows, size_t key_rows,
                                       const float* q, const float* k, const float* v,
                                       float* out) const {
  const size_t width = state_.dimensions().n_audio_state;
  AttentionArgs args;
  args.query_rows = query_rows;
  args.key_rows = key_rows;
  args.head_count = heads;
  args.head_size = width / heads;
  args.scale = attention_scale(args.head_size);
  args.q = q;
  args.k = k;
  args.v = v;
  args.out = out;
  args.q_stride = args.k_stride = args.v_stride = args.out_stride = width;
  args.scratch = state_.kernel_scratch();
  return args;
}

ResumableOp LayerOps::attention(size_t heads, size_t query_rows, size_t key_rows, const float* q,
                                const float* k, const float* v, float* out) const {
  return ResumableOp(attention_args(heads, query_rows, key_rows, q, k, v, out));
}

ResumableOp LayerOps::int8_attention(size_t heads, size_t query_rows, size_t key_rows,
                                     const float* q, const Int8Kv& kv, float* out) const {
  AttentionArgs args = attention_args(heads, query_rows, key_rows, q, nullptr, nullptr, out);
  args.kv = kv;
  return ResumableOp(args);
}

ResumableOp LayerOps::int8_attention_within(size_t heads, size_t query_rows, size_t key_rows,
                                            size_t first, size_t count, const float* q,
                                            const Int8Kv& kv, float* out) const {
  const size_t width = state_.dimensions().n_text_state;
  const size_t head_size = width / heads;
  const Int8KvLayout layout(key_rows, head_size);
  const std::span<float> scratch = state_.kernel_scratch();
  SUSURRUS_CHECK(scratch.size() >= count + head_size);
  float* const p = scratch.data();
  float* const key = p + count;
  for (size_t i = 0; i < query_rows * heads; ++i, q += head_size, out += head_size) {
    const size_t head = i % heads;
    for (size_t j = 0; j < count; ++j) {
      expand_keys(kv, layout, head, head_size, first + j, 1, key);
      p[j] = std::inner_product(q, q + head_size, key, 0.0f) * attention_scale(head_size);
    }
    kernels_.softmax(1, count, p, count);
    for (size_t d = 0; d < head_size; ++d) {
      float sum = 0;
      for (size_t j = 0; j < count; ++j) {
        sum += p[j] * expand_value(kv, layout, head, d, first + j);
      }
      out[d] = sum;
    }
  }
  return ResumableOp::already_done(uint64_t{2} * query_rows * count * width);
}

ResumableOp LayerOps::quantize_kv(size_t heads, size_t key_rows, const float* k, const float* v,
                                  const Int8Kv& kv) const {
  const size_t width = state_.dimensions().n_audio_state;
  QuantizeKvArgs args;
  args.key_rows = key_rows;
  args.head_count = heads;
  args.head_size = width / heads;
  args.k = k;
  args.v = v;
  args.k_stride = args.v_stride = width;
  args.kv = kv;
  return ResumableOp(args);
}

ResumableOp LayerOps::causal_attention(size_t heads, size_t query_rows, size_t offset,
                                       const float* q, const float* k, const float* v,
                                       float* out) const {
  AttentionArgs args = attention_args(heads, query_rows, offset + query_rows, q, k, v, out);
  args.causal = true;
  args.causal_offset = offset;
  return ResumableOp(args);
}

ResumableOp LayerOps::own_keys_attention(size_t heads, size_t query_rows, size_t own_count,
                                         const OwnKeys& own, const float* q, const float* k,
                                         const float* v, float* out) const {
  AttentionArgs args = attention_args(heads, query_rows, own.shared + own_count, q, k, v, out);
  args.own = own;
  return ResumableOp(args);
}

void LayerOps::add_position(const TensorView& positions, size_t position, float* y) const {
  const TensorView row{positions.dtype, Shape({positions.shape[1]}), positions.row(position)};
  kernels_.add(static_cast<size_t>(positions.shape[1]), state_.as_f32(row, 0, kernels_), y);
}

}  // namespace susurrus
