#pragma once
#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/attention/key_rows.h"
#include "kernels/scratch_layout.h"
#include "kernels/simd/vector.h"
#include "kernels/softmax/simd_softmax.h"

namespace susurrus::simd {

/// The product of q with four keys.
template <class Madd>
inline v128_t score_four(const float* q, const float* const k[4], size_t size) {
  v128_t sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) sums[i] = wasm_f32x4_const_splat(0);
  size_t d = 0;
  for (; d + 4 <= size; d += 4) {
    const v128_t value = load(q + d);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = Madd::madd(value, load(k[i] + d), sums[i]);
  }
  v128_t result = sum_each(sums[0], sums[1], sums[2], sums[3]);
  for (; d < size; ++d) {
    result =
        Madd::madd(load_splat(q + d), wasm_f32x4_make(k[0][d], k[1][d], k[2][d], k[3][d]), result);
  }
  return result;
}

/// out[0..4 N) += sum_j p[j] * v[first + j, column..column + 4 N)
template <class Madd, int N, class Rows>
inline void weigh_values(const float* p, size_t keys, const Rows& v, size_t first, size_t column,
                         float* out) {
  v128_t sums[N];
#pragma unroll
  for (int i = 0; i < N; ++i) sums[i] = load(out + 4 * i);
  for (size_t j = 0; j < keys; ++j) {
    const float* row = v[first + j] + column;
    const v128_t weight = load_splat(p + j);
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] = Madd::madd(weight, load(row + 4 * i), sums[i]);
  }
#pragma unroll
  for (int i = 0; i < N; ++i) store(out + 4 * i, sums[i]);
}

/// The same for a whole head.
template <class Madd, class Rows>
inline void weigh_head(const float* p, size_t keys, const Rows& v, size_t first, size_t column,
                       size_t size, float* out) {
  size_t d = 0;
  for (; d + 32 <= size; d += 32) {
    weigh_values<Madd, 8>(p, keys, v, first, column + d, out + d);
  }
  for (; d + 4 <= size; d += 4) weigh_values<Madd, 1>(p, keys, v, first, column + d, out + d);
  for (; d < size; ++d) {
    for (size_t j = 0; j < keys; ++j) out[d] += p[j] * v[first + j][column + d];
  }
}

/// Keys whose rows all heads visit before the next ones: k and v then pass through the caches once,
/// in order.
inline constexpr size_t kRowKeys = 16;
/// Heads of one pass.
inline constexpr size_t kRowHeads = 32;

/// Query row i of the heads [head, head + heads), straight from k and v. Their scores are in
/// scratch, stride floats apart.
template <class Madd, class Rows>
inline void attend_row_heads(const AttentionArgs& args, size_t i, const Rows& k, const Rows& v,
                             size_t head, size_t heads, size_t keys, size_t stride) {
  const size_t size = args.head_size;
  const size_t column = head * size;
  const float* q = args.q + i * args.q_stride + column;
  float* out = args.out + i * args.out_stride + column;
  float* scores = args.scratch.data();

  const v128_t scale = wasm_f32x4_splat(args.scale);
  for (size_t first = 0; first < keys; first += kRowKeys) {
    const size_t last = std::min(first + kRowKeys, keys);
    for (size_t h = 0; h < heads; ++h) {
      const size_t h_column = column + h * size;
      for (size_t j = first; j < last; j += 4) {
        // Keys beyond the last repeat it; a row of scores has room for whole vectors.
        const float* const four[4] = {k[j] + h_column, k[std::min(j + 1, keys - 1)] + h_column,
                                      k[std::min(j + 2, keys - 1)] + h_column,
                                      k[std::min(j + 3, keys - 1)] + h_column};
        store(scores + h * stride + j,
              wasm_f32x4_mul(score_four<Madd>(q + h * size, four, size), scale));
      }
    }
  }
  float reciprocals[kRowHeads];
  for (size_t h = 0; h < heads; ++h) {
    const float sum = exponentials<Madd>(scores + h * stride, keys);
    reciprocals[h] = sum == 0.0f ? 0.0f : 1.0f / sum;
  }
  std::fill_n(out, heads * size, 0.0f);
  for (size_t j = 0; j < keys; j += kRowKeys) {
    const size_t count = std::min(kRowKeys, keys - j);
    for (size_t h = 0; h < heads; ++h) {
      weigh_head<Madd>(scores + h * stride + j, count, v, j, column + h * size, size,
                       out + h * size);
    }
  }
  for (size_t h = 0; h < heads; ++h) scale_row(out + h * size, size, reciprocals[h]);
}

/// Query row i of all heads asked for, as many in a pass as scratch has room for.
template <class Madd, class Rows>
inline void attend_row(const AttentionArgs& args, size_t i, const Rows& k, const Rows& v) {
  const size_t keys =
      args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  const size_t stride = round_up(keys, 4);
  const size_t room = stride == 0 ? kRowHeads : std::min(kRowHeads, args.scratch.size() / stride);
  const size_t end = args.head_first + args.head_count;
  for (size_t h = args.head_first; h < end; h += room) {
    attend_row_heads<Madd>(args, i, k, v, h, std::min(room, end - h), keys, stride);
  }
}

}  // namespace susurrus::simd
