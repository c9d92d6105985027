#include <algorithm>

#include "kernels/attention/simd_single_row.h"
#include "kernels/attention_scores/attention_scores.h"

namespace susurrus {

void attention_scores_simd128(const AttentionScoresArgs& args) {
  const v128_t scale = wasm_f32x4_splat(args.scale);
  for (size_t j = 0; j < args.key_rows; j += 4) {
    const size_t count = std::min<size_t>(4, args.key_rows - j);
    // Keys beyond the last repeat it; their scores are dropped. Four keys stay in the cache for all queries.
    const float* k[4];
    for (size_t c = 0; c < 4; ++c) k[c] = args.k + (j + std::min(c, count - 1)) * args.k_stride;
    for (size_t i = 0; i < args.query_rows; ++i) {
      const v128_t scores = wasm_f32x4_mul(
          simd::score_four<simd::MulAdd>(args.q + i * args.q_stride, k, 0, args.head_size), scale);
      float* out = args.out + i * args.out_stride + j;
      if (count == 4) {
        simd::store(out, scores);
      } else {
        float four[4];
        simd::store(four, scores);
        std::copy_n(four, count, out);
      }
    }
  }
}

}  // namespace susurrus
