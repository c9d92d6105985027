#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/attention/key_rows.h"
#include "kernels/softmax/softmax.h"

namespace susurrus {
namespace {

// Sums side by side do not wait for each other's additions; each has the order of the plain loop.

/// scores[j] = scale * (q · key j) for kKeys keys.
template <size_t kKeys>
void score_keys(const AttentionArgs& args, const float* q, const SeenRows& rows, size_t j,
                size_t column, float* scores) {
  const float* keys[kKeys];
  double sums[kKeys] = {};
  for (size_t key = 0; key < kKeys; ++key) keys[key] = rows[j + key] + column;
  for (size_t d = 0; d < args.head_size; ++d) {
    for (size_t key = 0; key < kKeys; ++key) sums[key] += static_cast<double>(q[d]) * keys[key][d];
  }
  for (size_t key = 0; key < kKeys; ++key) {
    scores[j + key] = static_cast<float>(sums[key] * args.scale);
  }
}

/// out[0..kColumns) = sum over the values of p[j] * value j, from `column` on.
template <size_t kColumns>
void sum_values(const float* p, size_t count, const SeenRows& rows, size_t column, float* out) {
  double sums[kColumns] = {};
  for (size_t j = 0; j < count; ++j) {
    const float* value = rows[j] + column;
    for (size_t d = 0; d < kColumns; ++d) sums[d] += static_cast<double>(p[j]) * value[d];
  }
  for (size_t d = 0; d < kColumns; ++d) out[d] = static_cast<float>(sums[d]);
}

void attend_row(const AttentionArgs& args, size_t h, size_t i) {
  constexpr size_t kSums = 4;
  const SeenRows key_rows = seen_keys(args, i);
  const SeenRows value_rows = seen_values(args, i);
  float* p = args.scratch.data();
  const size_t column = h * args.head_size;
  const float* q = args.q + i * args.q_stride + column;
  float* out = args.out + i * args.out_stride + column;
  const size_t keys =
      args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  size_t j = 0;
  for (; j + kSums <= keys; j += kSums) score_keys<kSums>(args, q, key_rows, j, column, p);
  for (; j < keys; ++j) score_keys<1>(args, q, key_rows, j, column, p);
  softmax_reference(1, keys, p, keys);
  size_t d = 0;
  for (; d + kSums <= args.head_size; d += kSums) {
    sum_values<kSums>(p, keys, value_rows, column + d, out + d);
  }
  for (; d < args.head_size; ++d) sum_values<1>(p, keys, value_rows, column + d, out + d);
}

}  // namespace

void attention_reference(const AttentionArgs& args) {
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    for (size_t i = 0; i < args.query_rows; ++i) attend_row(args, h, i);
  }
}

}  // namespace susurrus
