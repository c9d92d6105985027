#include "kernels/attention_scores/attention_scores.h"

namespace susurrus {

void attention_scores_reference(const AttentionScoresArgs& args) {
  for (size_t i = 0; i < args.query_rows; ++i) {
    const float* q = args.q + i * args.q_stride;
    for (size_t j = 0; j < args.key_rows; ++j) {
      const float* k = args.k + j * args.k_stride;
      double score = 0;
      for (size_t d = 0; d < args.head_size; ++d) score += static_cast<double>(q[d]) * k[d];
      args.out[i * args.out_stride + j] = static_cast<float>(score * args.scale);
    }
  }
}

}  // namespace susurrus
