// attention_scores of every variant against float64.
#include <cmath>

#include "kernels/kernel_support.h"

namespace susurrus::testing::attention_scores_test {
namespace {

void check_scores(size_t queries, size_t keys, size_t head_size, uint64_t seed) {
  Random random(seed);
  const size_t q_stride = head_size + random.below(5);
  const size_t k_stride = head_size + random.below(5);
  const size_t out_stride = keys + random.below(5);
  constexpr float kScale = 0.3f;
  GuardedFloats q(queries * q_stride);
  GuardedFloats k(keys * k_stride);
  q.fill_bell(random, 1);
  k.fill_bell(random, 1);
  const std::string where = std::to_string(queries) + "x" + std::to_string(keys) + "x" +
                            std::to_string(head_size) + " seed " + std::to_string(seed);
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats out(queries * out_stride);
    out.fill(99);
    kernels->attention_scores({.query_rows = queries,
                               .key_rows = keys,
                               .head_size = head_size,
                               .scale = kScale,
                               .q = q.data(),
                               .q_stride = q_stride,
                               .k = k.data(),
                               .k_stride = k_stride,
                               .out = out.data(),
                               .out_stride = out_stride});
    EXPECT_TRUE(out.guards_are_intact());
    for (size_t i = 0; i < queries; ++i) {
      for (size_t j = 0; j < keys; ++j) {
        double exact = 0;
        double magnitude = 0;
        for (size_t d = 0; d < head_size; ++d) {
          const double product = static_cast<double>(q[i * q_stride + d]) * k[j * k_stride + d];
          exact += product;
          magnitude += std::fabs(product);
        }
        expect_close(variant_name(kernels->variant), where, i * keys + j, out[i * out_stride + j],
                     exact * kScale,
                     0x1p-24 * static_cast<double>(head_size + 4) * kScale * magnitude);
      }
      for (size_t j = keys; j < out_stride; ++j) EXPECT_EQ(out[i * out_stride + j], 99.0f);
    }
  }
}

}  // namespace

SUSURRUS_TEST(attention_scores_of_any_shape) {
  uint64_t seed = 1;
  for (const size_t queries : {0, 1, 2, 7}) {
    for (const size_t keys : {0, 1, 2, 3, 4, 5, 8, 21}) {
      for (const size_t head_size : {1, 3, 4, 8, 17, 64, 80}) {
        check_scores(queries, keys, head_size, seed++);
      }
    }
  }
}

}  // namespace susurrus::testing::attention_scores_test
