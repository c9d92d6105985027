// attention of every variant against float64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/kernel_support.h"

namespace susurrus::testing::attention_test {
namespace {

struct AttentionCase {
  size_t queries;
  size_t keys;
  size_t head_size;
  bool causal = false;
  size_t causal_offset = 0;
  size_t heads = 3;
  size_t head_first = 0;
  size_t head_count = 3;
  float spread = 1;
};

/// One head of one query row, within the bound of attention.h.
void check_row(const KernelTable& kernels, const AttentionArgs& args, size_t h, size_t i,
               const std::string& where) {
  const size_t column = h * args.head_size;
  const size_t keys =
      args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  std::vector<double> p(keys);
  double max = -std::numeric_limits<double>::infinity();
  double largest_score = 0;
  for (size_t j = 0; j < keys; ++j) {
    double magnitude = 0;
    for (size_t d = 0; d < args.head_size; ++d) {
      const double product = static_cast<double>(args.q[i * args.q_stride + column + d]) *
                             args.k[j * args.k_stride + column + d];
      p[j] += product;
      magnitude += std::fabs(product);
    }
    p[j] *= args.scale;
    largest_score = std::fmax(largest_score, magnitude * std::fabs(args.scale));
    max = std::fmax(max, p[j]);
  }
  double sum = 0;
  for (double& one : p) sum += one = std::exp(one - max);
  for (size_t d = 0; d < args.head_size; ++d) {
    double exact = 0;
    double largest_value = 0;
    for (size_t j = 0; j < keys; ++j) {
      const double v = args.v[j * args.v_stride + column + d];
      exact += p[j] / sum * v;
      largest_value = std::fmax(largest_value, std::fabs(v));
    }
    expect_close(variant_name(kernels.variant),
                 where + " head " + std::to_string(h) + " row " + std::to_string(i), d,
                 args.out[i * args.out_stride + column + d], exact,
                 (4e-6 + 0x1p-21 * largest_score) * largest_value);
  }
}

void check_attention(const AttentionCase& c, uint64_t seed) {
  Random random(seed);
  const size_t width = c.heads * c.head_size;
  const size_t q_stride = width + random.below(4);
  const size_t k_stride = width + random.below(4);
  const size_t v_stride = width + random.below(4);
  const size_t out_stride = width + random.below(4);
  GuardedFloats q(c.queries * q_stride);
  GuardedFloats k(c.keys * k_stride);
  GuardedFloats v(c.keys * v_stride);
  q.fill_bell(random, c.spread);
  k.fill_bell(random, c.spread);
  v.fill_bell(random, 1);
  const std::string where = std::to_string(c.queries) + "x" + std::to_string(c.keys) + "x" +
                            std::to_string(c.head_size) + " seed " + std::to_string(seed);
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats out(c.queries * out_stride);
    GuardedFloats scratch(attention_scratch_floats(c.keys, c.head_size));
    out.fill(99);
    scratch.fill(std::nanf(""));
    const AttentionArgs args = {.query_rows = c.queries,
                                .key_rows = c.keys,
                                .head_first = c.head_first,
                                .head_count = c.head_count,
                                .head_size = c.head_size,
                                .scale = 0.3f,
                                .causal = c.causal,
                                .causal_offset = c.causal_offset,
                                .q = q.data(),
                                .q_stride = q_stride,
                                .k = k.data(),
                                .k_stride = k_stride,
                                .v = v.data(),
                                .v_stride = v_stride,
                                .out = out.data(),
                                .out_stride = out_stride,
                                .scratch = scratch.span()};
    kernels->attention(args);
    EXPECT_TRUE(out.guards_are_intact());
    EXPECT_TRUE(scratch.guards_are_intact());
    for (size_t i = 0; i < c.queries; ++i) {
      for (size_t h = 0; h < c.heads; ++h) {
        if (h >= c.head_first && h < c.head_first + c.head_count) {
          check_row(*kernels, args, h, i, where);
          continue;
        }
        // Heads that were not asked for stay untouched.
        for (size_t d = 0; d < c.head_size; ++d)
          EXPECT_EQ(out[i * out_stride + h * c.head_size + d], 99.0f);
      }
      for (size_t d = width; d < out_stride; ++d) EXPECT_EQ(out[i * out_stride + d], 99.0f);
    }
  }
}

/// Query rows with `shared` keys in common and `own` of theirs, scattered; each against the same keys in order.
void check_own_keys(size_t queries, size_t shared, size_t own, size_t head_size, uint64_t seed) {
  Random random(seed);
  constexpr size_t kHeads = 3;
  const size_t width = kHeads * head_size;
  const size_t k_stride = width + random.below(4);
  const size_t v_stride = width + random.below(4);
  const size_t own_rows = queries * own;
  const size_t rows_stride = own + 1 + random.below(3);
  GuardedFloats q(queries * width);
  GuardedFloats k(shared * k_stride);
  GuardedFloats v(shared * v_stride);
  GuardedFloats own_k(own_rows * k_stride);
  GuardedFloats own_v(own_rows * v_stride);
  for (GuardedFloats* floats : {&q, &k, &v, &own_k, &own_v}) floats->fill_bell(random, 1);
  std::vector<uint32_t> rows(queries * rows_stride);
  for (uint32_t& row : rows)
    row = static_cast<uint32_t>(random.below(std::max<size_t>(own_rows, 1)));
  const std::string where = std::to_string(queries) + " rows, " + std::to_string(shared) + "+" +
                            std::to_string(own) + " keys, seed " + std::to_string(seed);
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats out(queries * width);
    GuardedFloats scratch(attention_scratch_floats(shared + own, head_size));
    AttentionArgs args = {.query_rows = queries,
                          .key_rows = shared + own,
                          .head_count = kHeads,
                          .head_size = head_size,
                          .scale = 0.3f,
                          .q = q.data(),
                          .q_stride = width,
                          .k = k.data(),
                          .k_stride = k_stride,
                          .v = v.data(),
                          .v_stride = v_stride,
                          .out = out.data(),
                          .out_stride = width,
                          .own = {.rows = rows.data(),
                                  .rows_stride = rows_stride,
                                  .shared = shared,
                                  .k = own_k.data(),
                                  .v = own_v.data()},
                          .scratch = scratch.span()};
    kernels->attention(args);
    EXPECT_TRUE(out.guards_are_intact());
    EXPECT_TRUE(scratch.guards_are_intact());
    for (size_t i = 0; i < queries; ++i) {
      GuardedFloats ordered_k((shared + own) * k_stride);
      GuardedFloats ordered_v((shared + own) * v_stride);
      std::copy_n(k.data(), shared * k_stride, ordered_k.data());
      std::copy_n(v.data(), shared * v_stride, ordered_v.data());
      for (size_t j = 0; j < own; ++j) {
        const size_t row = rows[i * rows_stride + j];
        std::copy_n(own_k.data() + row * k_stride, k_stride, &ordered_k[(shared + j) * k_stride]);
        std::copy_n(own_v.data() + row * v_stride, v_stride, &ordered_v[(shared + j) * v_stride]);
      }
      GuardedFloats alone(width);
      AttentionArgs one = args;
      one.query_rows = 1;
      one.q = q.data() + i * width;
      one.k = ordered_k.data();
      one.v = ordered_v.data();
      one.out = alone.data();
      one.own = {};
      kernels->attention(one);
      for (size_t h = 0; h < kHeads; ++h) check_row(*kernels, one, h, 0, where);
      // The place of the keys must not change a bit.
      for (size_t d = 0; d < width; ++d) EXPECT_EQ(out[i * width + d], alone[d]);
    }
  }
}

}  // namespace

SUSURRUS_TEST(attention_of_rows_with_keys_of_their_own) {
  uint64_t seed = 1000;
  for (const size_t queries : {1, 2, 4, 5, 9}) {
    for (const size_t shared : {0, 1, 4, 15, 16, 17, 50}) {
      for (const size_t own : {0, 1, 3, 16, 33}) {
        if (shared + own > 0) check_own_keys(queries, shared, own, 8, seed++);
      }
    }
  }
  for (const size_t head_size : {1, 3, 32, 37, 64}) check_own_keys(5, 7, 20, head_size, seed++);
}

SUSURRUS_TEST(attention_of_any_shape) {
  uint64_t seed = 1;
  for (const size_t queries : {1, 2, 4, 5, 6, 7, 29, 30, 31, 61}) {
    for (const size_t keys : {1, 3, 8, 9, 40, 255, 256, 257, 300}) {
      check_attention({.queries = queries, .keys = keys, .head_size = 16}, seed++);
    }
  }
}

SUSURRUS_TEST(attention_of_any_head_size) {
  uint64_t seed = 500;
  for (const size_t head_size : {1, 2, 3, 4, 5, 7, 8, 9, 12, 31, 32, 36, 64, 80}) {
    for (const size_t queries : {1, 8}) {
      check_attention({.queries = queries, .keys = 21, .head_size = head_size}, seed++);
    }
  }
}

SUSURRUS_TEST(attention_with_causal_rows) {
  uint64_t seed = 600;
  for (const size_t queries : {1, 2, 5, 9, 33, 70}) {
    for (const size_t offset : {0, 1, 7, 300}) {
      check_attention({.queries = queries,
                       .keys = queries + offset,
                       .head_size = 8,
                       .causal = true,
                       .causal_offset = offset},
                      seed++);
      // Fewer keys than the mask would allow.
      check_attention({.queries = queries,
                       .keys = offset + 1,
                       .head_size = 8,
                       .causal = true,
                       .causal_offset = offset},
                      seed++);
    }
  }
}

SUSURRUS_TEST(attention_of_some_heads) {
  for (const size_t queries : {1, 12}) {
    check_attention(
        {.queries = queries, .keys = 20, .head_size = 8, .head_first = 1, .head_count = 1}, 700);
    check_attention(
        {.queries = queries, .keys = 20, .head_size = 8, .head_first = 1, .head_count = 2}, 701);
    check_attention(
        {.queries = queries, .keys = 20, .head_size = 8, .head_first = 0, .head_count = 0}, 702);
  }
}

// A head of one value leaves little scratch: the heads of a single row need several passes.
SUSURRUS_TEST(attention_of_many_heads) {
  for (const size_t queries : {1, 6}) {
    for (const size_t heads : {31, 32, 33, 90}) {
      check_attention(
          {.queries = queries, .keys = 50, .head_size = 1, .heads = heads, .head_count = heads},
          900 + heads);
      check_attention(
          {.queries = queries, .keys = 19, .head_size = 4, .heads = heads, .head_count = heads},
          950 + heads);
    }
  }
}

SUSURRUS_TEST(attention_with_sharp_scores) {
  for (const size_t queries : {1, 12}) {
    check_attention({.queries = queries, .keys = 100, .head_size = 16, .spread = 8}, 800);
  }
}

SUSURRUS_TEST(attention_of_no_keys_and_of_masked_keys_is_zero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t queries : {1, 7}) {
      for (const size_t keys : {0, 5}) {
        GuardedFloats q(queries * 8);
        GuardedFloats k(5 * 8);
        GuardedFloats v(5 * 8);
        GuardedFloats out(queries * 8);
        GuardedFloats scratch(attention_scratch_floats(keys, 8));
        q.fill(1);
        k.fill(-kInfinity);
        v.fill(3);
        out.fill(99);
        kernels->attention({.query_rows = queries,
                            .key_rows = keys,
                            .head_first = 0,
                            .head_count = 1,
                            .head_size = 8,
                            .scale = 1,
                            .q = q.data(),
                            .q_stride = 8,
                            .k = k.data(),
                            .k_stride = 8,
                            .v = v.data(),
                            .v_stride = 8,
                            .out = out.data(),
                            .out_stride = 8,
                            .scratch = scratch.span()});
        EXPECT_TRUE(out.guards_are_intact());
        for (size_t i = 0; i < queries * 8; ++i) EXPECT_EQ(out[i], 0.0f);
      }
    }
  }
}

}  // namespace susurrus::testing::attention_test
