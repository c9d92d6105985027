#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/attention/key_rows.h"
#include "kernels/softmax/softmax.h"

namespace susurrus {
namespace {

void attend_row(const AttentionArgs& args, size_t h, size_t i) {
  const SeenRows key_rows = seen_keys(args, i);
  const SeenRows value_rows = seen_values(args, i);
  float* p = args.scratch.data();
  const size_t column = h * args.head_size;
  const float* q = args.q + i * args.q_stride + column;
  float* out = args.out + i * args.out_stride + column;
  const size_t keys =
      args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  for (size_t j = 0; j < keys; ++j) {
    const float* k = key_rows[j] + column;
    double score = 0;
    for (size_t d = 0; d < args.head_size; ++d) score += static_cast<double>(q[d]) * k[d];
    p[j] = static_cast<float>(score * args.scale);
  }
  softmax_reference(1, keys, p, keys);
  for (size_t d = 0; d < args.head_size; ++d) {
    double sum = 0;
    for (size_t j = 0; j < keys; ++j) {
      sum += static_cast<double>(p[j]) * value_rows[j][column + d];
    }
    out[d] = static_cast<float>(sum);
  }
}

}  // namespace

void attention_reference(const AttentionArgs& args) {
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    for (size_t i = 0; i < args.query_rows; ++i) attend_row(args, h, i);
  }
}

}  // namespace susurrus
