#include "kernels/int8_attention/int8_attention.h"

#include "kernels/int8_kv.h"
#include "kernels/softmax/softmax.h"

namespace susurrus {
namespace {

void attend_row(const AttentionArgs& args, const Int8KvLayout& layout, size_t h, size_t i) {
  float* p = args.scratch.data();
  float* key = p + args.key_rows;
  const float* q = args.q + i * args.q_stride + h * args.head_size;
  float* out = args.out + i * args.out_stride + h * args.head_size;
  for (size_t j = 0; j < args.key_rows; ++j) {
    expand_keys(args.kv, layout, h, args.head_size, j, 1, key);
    double score = 0;
    for (size_t d = 0; d < args.head_size; ++d) score += static_cast<double>(q[d]) * key[d];
    p[j] = static_cast<float>(score * args.scale);
  }
  softmax_reference(1, args.key_rows, p, args.key_rows);
  for (size_t d = 0; d < args.head_size; ++d) {
    double sum = 0;
    for (size_t j = 0; j < args.key_rows; ++j) {
      sum += static_cast<double>(p[j]) * expand_value(args.kv, layout, h, d, j);
    }
    out[d] = static_cast<float>(sum);
  }
}

}  // namespace

void int8_attention_reference(const AttentionArgs& args) {
  const Int8KvLayout layout(args.key_rows, args.head_size);
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    for (size_t i = 0; i < args.query_rows; ++i) attend_row(args, layout, h, i);
  }
}

}  // namespace susurrus
