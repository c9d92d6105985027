#include <algorithm>

#include "kernels/attention/attention.h"
#include "kernels/softmax/softmax.h"

namespace susurrus {

void attention_reference(const AttentionArgs& args) {
  float* p = args.scratch.data();
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    const size_t column = h * args.head_size;
    for (size_t i = 0; i < args.query_rows; ++i) {
      const float* q = args.q + i * args.q_stride + column;
      float* out = args.out + i * args.out_stride + column;
      const size_t keys =
          args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
      for (size_t j = 0; j < keys; ++j) {
        const float* k = args.k + j * args.k_stride + column;
        double score = 0;
        for (size_t d = 0; d < args.head_size; ++d) score += static_cast<double>(q[d]) * k[d];
        p[j] = static_cast<float>(score * args.scale);
      }
      softmax_reference(1, keys, p, keys);
      for (size_t d = 0; d < args.head_size; ++d) {
        double sum = 0;
        for (size_t j = 0; j < keys; ++j) {
          sum += static_cast<double>(p[j]) * args.v[j * args.v_stride + column + d];
        }
        out[d] = static_cast<float>(sum);
      }
    }
  }
}

}  // namespace susurrus
