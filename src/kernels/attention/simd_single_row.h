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
inline v128_t score_four(const float* q, const float* const k[4], size_t column, size_t size) {
  const float* const rows[4] = {k[0] + column, k[1] + column, k[2] + column, k[3] + column};
  v128_t sums[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) sums[i] = wasm_f32x4_const_splat(0);
  size_t d = 0;
  for (; d + 4 <= size; d += 4) {
    const v128_t value = load(q + d);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = Madd::madd(value, load(rows[i] + d), sums[i]);
  }
  v128_t result = sum_each(sums[0], sums[1], sums[2], sums[3]);
  for (; d < size; ++d) {
    result = Madd::madd(load_splat(q + d),
                        wasm_f32x4_make(rows[0][d], rows[1][d], rows[2][d], rows[3][d]), result);
  }
  return result;
}

/// out[0..4 N) += sum_j p[j] * v[j][column..column + 4 N)
template <class Madd, int N>
inline void weigh_values(const float* p, size_t keys, const float* const* v, size_t column,
                         float* out) {
  v128_t sums[N];
#pragma unroll
  for (int i = 0; i < N; ++i) sums[i] = load(out + 4 * i);
  for (size_t j = 0; j < keys; ++j) {
    const float* row = v[j] + column;
    const v128_t weight = load_splat(p + j);
#pragma unroll
    for (int i = 0; i < N; ++i) sums[i] = Madd::madd(weight, load(row + 4 * i), sums[i]);
  }
#pragma unroll
  for (int i = 0; i < N; ++i) store(out + 4 * i, sums[i]);
}

/// weigh_values() for a whole head.
template <class Madd>
inline void weigh_head(const float* p, size_t keys, const float* const* v, size_t column,
                       size_t size, float* out) {
  size_t d = 0;
  for (; d + 32 <= size; d += 32) weigh_values<Madd, 8>(p, keys, v, column + d, out + d);
  for (; d + 4 <= size; d += 4) weigh_values<Madd, 1>(p, keys, v, column + d, out + d);
  for (; d < size; ++d) {
    for (size_t j = 0; j < keys; ++j) out[d] += p[j] * v[j][column + d];
  }
}

/// Keys whose rows all heads visit before the next ones: k and v then pass through the caches once, in order, and where
/// they lie is asked once.
inline constexpr size_t kRowKeys = 16;
/// Heads of one pass.
inline constexpr size_t kRowHeads = 32;

/// The rows of keys [first, first + kRowKeys); those beyond the last repeat it.
inline void find_rows(const SeenRows& seen, size_t first, size_t keys,
                      const float* rows[kRowKeys]) {
  for (size_t j = 0; j < kRowKeys; ++j) rows[j] = seen[std::min(first + j, keys - 1)];
}

/// Query row i of the heads [head, head + heads), straight from k and v. Their scores are in scratch, stride floats apart.
template <class Madd>
inline void attend_row_heads(const AttentionArgs& args, size_t i, size_t head, size_t heads,
                             size_t keys, size_t stride) {
  const size_t size = args.head_size;
  const size_t column = head * size;
  const float* q = args.q + i * args.q_stride + column;
  float* out = args.out + i * args.out_stride + column;
  float* scores = args.scratch.data();
  const float* rows[kRowKeys];

  const SeenRows k = seen_keys(args, i);
  const v128_t scale = wasm_f32x4_splat(args.scale);
  for (size_t first = 0; first < keys; first += kRowKeys) {
    find_rows(k, first, keys, rows);
    const size_t count = std::min(kRowKeys, keys - first);
    for (size_t h = 0; h < heads; ++h) {
      // A row of scores has room for whole vectors.
      for (size_t j = 0; j < count; j += 4) {
        const v128_t four = score_four<Madd>(q + h * size, rows + j, column + h * size, size);
        store(scores + h * stride + first + j, wasm_f32x4_mul(four, scale));
      }
    }
  }
  float reciprocals[kRowHeads];
  for (size_t h = 0; h < heads; ++h) {
    const float sum = exponentials<Madd>(scores + h * stride, keys);
    reciprocals[h] = sum == 0.0f ? 0.0f : 1.0f / sum;
  }
  std::fill_n(out, heads * size, 0.0f);
  const SeenRows v = seen_values(args, i);
  for (size_t first = 0; first < keys; first += kRowKeys) {
    find_rows(v, first, keys, rows);
    const size_t count = std::min(kRowKeys, keys - first);
    for (size_t h = 0; h < heads; ++h) {
      weigh_head<Madd>(scores + h * stride + first, count, rows, column + h * size, size,
                       out + h * size);
    }
  }
  for (size_t h = 0; h < heads; ++h) scale_row(out + h * size, size, reciprocals[h]);
}

/// Query row i of all heads asked for, as many in a pass as scratch has room for.
template <class Madd>
inline void attend_row(const AttentionArgs& args, size_t i) {
  const size_t keys =
      args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  const size_t stride = round_up(keys, 4);
  const size_t room = stride == 0 ? kRowHeads : std::min(kRowHeads, args.scratch.size() / stride);
  const size_t end = args.head_first + args.head_count;
  for (size_t h = args.head_first; h < end; h += room) {
    attend_row_heads<Madd>(args, i, h, std::min(room, end - h), keys, stride);
  }
}

}  // namespace susurrus::simd
