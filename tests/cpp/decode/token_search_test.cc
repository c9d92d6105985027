// Greedy search, sampling, and which candidate wins.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "decode/candidate_ranking.h"
#include "decode/greedy.h"
#include "decode/log_probability.h"
#include "decode/sampling.h"
#include "decode/seeded_random.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::token_search_test {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();
constexpr uint32_t kEnd = 10;
constexpr size_t kVocabulary = 12;

/// Gives every sequence the same logits.
bool choose(TokenSearch& search, const std::vector<float>& logits) {
  const std::vector<std::span<const float>> rows(search.sequence_count(), logits);
  return search.choose(rows);
}

std::vector<TokenCandidate> sample(const std::vector<float>& logits, size_t max_tokens,
                                   double temperature, uint32_t best_of, uint64_t seed) {
  SamplingSearch search(default_kernels(), kEnd, max_tokens, temperature, best_of, seed);
  while (!choose(search, logits)) {
  }
  return search.finish();
}

TokenCandidate candidate(size_t length, double sum) {
  return {std::vector<uint32_t>(length, 1), std::vector<float>(length, 0.0f), sum};
}

}  // namespace

SUSURRUS_TEST(greedy_search_sums_log_probabilities) {
  GreedySearch search(default_kernels(), kEnd, 5);
  std::vector<float> logits(kVocabulary, kForbidden);
  logits[3] = std::log(3.0f);
  logits[4] = std::log(1.0f);
  EXPECT_FALSE(choose(search, logits));
  EXPECT_EQ(search.last_tokens()[0], 3u);
  EXPECT_EQ(search.sources()[0], 0u);
  logits[kEnd] = std::log(4.0f);
  EXPECT_TRUE(choose(search, logits));
  const auto candidates = search.finish();
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_TRUE(candidates[0].tokens == std::vector<uint32_t>{3});
  ASSERT_EQ(candidates[0].token_logprobs.size(), 1u);
  EXPECT_NEAR(candidates[0].token_logprobs[0], std::log(0.75), 1e-6);
  EXPECT_NEAR(candidates[0].sum_logprob, std::log(0.75) + std::log(0.5), 1e-6);
}

SUSURRUS_TEST(greedy_search_ends_at_its_limit_or_with_nothing_allowed) {
  GreedySearch search(default_kernels(), kEnd, 2);
  const std::vector<float> logits(kVocabulary, 0.0f);
  EXPECT_FALSE(choose(search, logits));
  EXPECT_EQ(search.tokens(0)[0], 0u);  // the first of equals
  EXPECT_TRUE(choose(search, logits));
  EXPECT_EQ(search.finish()[0].tokens.size(), 2u);
  GreedySearch blocked(default_kernels(), kEnd, 2);
  EXPECT_TRUE(choose(blocked, std::vector<float>(kVocabulary, kForbidden)));
  EXPECT_EQ(blocked.finish()[0].sum_logprob, 0.0);
}

SUSURRUS_TEST(random_numbers_are_those_of_xoshiro256_starstar) {
  // Computed by another program from the published description.
  SeededRandom zero(0);
  EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4u);
  EXPECT_EQ(zero.next(), 0xbf6e1f784956452au);
  EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0u);
  SeededRandom other(42);
  EXPECT_EQ(other.next(), 0x15780b2e0c2ec716u);
  EXPECT_NE(derive_seed(1, 0), derive_seed(0, 1));
  EXPECT_NE(derive_seed(1, 0), derive_seed(1, 1));
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = other.uniform();
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
}

SUSURRUS_TEST(samples_follow_the_distribution_at_their_temperature) {
  // Weights 1 and 3 at temperature 1; 1 and 9 at 0.5; 1 and sqrt(3) at 2.
  std::vector<float> logits(kVocabulary, kForbidden);
  logits[2] = 5;
  logits[7] = 5 + std::log(3.0f);
  constexpr size_t kDraws = 20000;
  for (const auto& [temperature, expected] :
       {std::pair(1.0, 0.75), std::pair(0.5, 0.9), std::pair(2.0, 0.634)}) {
    const auto drawn = sample(logits, kDraws, temperature, 1, 3)[0];
    size_t sevens = 0;
    for (size_t i = 0; i < kDraws; ++i) {
      ASSERT_TRUE(drawn.tokens[i] == 2 || drawn.tokens[i] == 7);
      sevens += drawn.tokens[i] == 7;
      // The temperature does not change it.
      EXPECT_NEAR(std::exp(drawn.token_logprobs[i]), drawn.tokens[i] == 7 ? 0.75 : 0.25, 1e-5);
      if (current_case_failed()) return;
    }
    EXPECT_NEAR(static_cast<double>(sevens) / kDraws, expected, 0.01);
  }
  // Near 0 nothing but the best is left.
  const auto coldest = sample(logits, 100, 1e-3, 1, 3);
  for (uint32_t token : coldest[0].tokens) EXPECT_EQ(token, 7u);
}

SUSURRUS_TEST(samples_follow_the_distribution_over_many_tokens) {
  // Token i has weight i: a third of the sum lies below 1 / sqrt(3) of the tokens.
  constexpr size_t kTokens = 1000;
  std::vector<float> logits(kTokens, kForbidden);
  for (size_t i = 1; i < kTokens; ++i) logits[i] = std::log(static_cast<float>(i));
  constexpr size_t kDraws = 5000;
  SamplingSearch search(default_kernels(), kTokens, kDraws, 1.0, 1, 8);
  while (!choose(search, logits)) {
  }
  const auto drawn = search.finish();
  double mean = 0;
  size_t in_first_third = 0;
  for (uint32_t token : drawn[0].tokens) {
    mean += token / static_cast<double>(kDraws);
    in_first_third += token < 577;
  }
  EXPECT_NEAR(mean, kTokens * 2 / 3.0, 10.0);
  EXPECT_NEAR(in_first_third / static_cast<double>(kDraws), 1 / 3.0, 0.02);
}

SUSURRUS_TEST(draws_invert_the_distribution_function) {
  // Draws equal those of the generator, looked up in the running sum of equal weights.
  constexpr size_t kTokens = 333;
  const std::vector<float> logits(kTokens, 2.0f);
  SamplingSearch search(default_kernels(), kTokens, 500, 0.7, 1, 4);
  while (!choose(search, logits)) {
  }
  SeededRandom random(derive_seed(4, 0));
  const auto drawn = search.finish();
  for (uint32_t token : drawn[0].tokens) {
    EXPECT_EQ(token, static_cast<uint32_t>(random.uniform() * kTokens));
    if (current_case_failed()) return;
  }
}

SUSURRUS_TEST(samples_repeat_with_their_seed) {
  std::vector<float> logits(kVocabulary, 0.0f);
  logits[kEnd] = kForbidden;
  const auto once = sample(logits, 30, 0.8, 3, 11);
  const auto again = sample(logits, 30, 0.8, 3, 11);
  const auto other = sample(logits, 30, 0.8, 3, 12);
  ASSERT_EQ(once.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(once[i].tokens == again[i].tokens);
    EXPECT_FALSE(once[i].tokens == other[i].tokens);
  }
  EXPECT_FALSE(once[0].tokens == once[1].tokens);
  // The number of sequences does not change any of them.
  EXPECT_TRUE(sample(logits, 30, 0.8, 1, 11)[0].tokens == once[0].tokens);
}

SUSURRUS_TEST(ended_samples_leave_the_batch) {
  constexpr uint32_t kSequences = 8;
  SamplingSearch search(default_kernels(), kEnd, 50, 1.0, kSequences, 5);
  EXPECT_EQ(search.sequence_count(), 1u);
  const std::vector<float> logits(kVocabulary, 0.0f);
  std::vector<std::vector<uint32_t>> paths(1);
  size_t ended = 0;
  for (bool is_done = choose(search, logits); !is_done; is_done = choose(search, logits)) {
    // Every path is that of its source and one more.
    std::vector<std::vector<uint32_t>> longer;
    for (size_t i = 0; i < search.sources().size(); ++i) {
      longer.push_back(paths[search.sources()[i]]);
      longer.back().push_back(search.last_tokens()[i]);
      ASSERT_TRUE(std::vector(search.tokens(i).begin(), search.tokens(i).end()) == longer.back());
    }
    ASSERT_EQ(search.sequence_count(), longer.size());
    EXPECT_LE(longer.size() + ended, kSequences);
    ended = kSequences - longer.size();
    paths = std::move(longer);
  }
  const auto candidates = search.finish();
  ASSERT_EQ(candidates.size(), kSequences);
  bool differ = false;
  for (const TokenCandidate& one : candidates) {
    differ = differ || one.tokens.size() != candidates[0].tokens.size();
    // Each of the twelve tokens is equally likely; only a path that did not reach the limit counts its end.
    const size_t counted = one.tokens.size() + (one.tokens.size() < 50 ? 1 : 0);
    EXPECT_NEAR(one.sum_logprob, -std::log(12.0) * static_cast<double>(counted), 1e-3);
  }
  EXPECT_TRUE(differ);
}

SUSURRUS_TEST(samples_end_where_everything_is_forbidden) {
  const auto candidates = sample(std::vector<float>(kVocabulary, kForbidden), 5, 1.0, 2, 0);
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_TRUE(candidates[0].tokens.empty());
  EXPECT_EQ(candidates[1].sum_logprob, 0.0);
}

SUSURRUS_TEST(searches_allocate_nothing_while_they_choose) {
  std::vector<float> logits(kVocabulary, 0.0f);
  logits[kEnd] = -3;
  GreedySearch greedy(default_kernels(), kEnd, 40);
  SamplingSearch sampling(default_kernels(), kEnd, 40, 1.0, 4, 1);
  const std::vector<std::span<const float>> rows(4, logits);
  const uint64_t before = allocation_count();
  while (!greedy.choose(rows)) {
  }
  while (!sampling.choose(rows)) {
  }
  EXPECT_EQ(allocation_count(), before);
}

SUSURRUS_TEST(candidates_are_ranked_by_mean_or_by_penalised_length) {
  // Means: -1, -0.9; sums: -2, -3.6; the end does not count for the length.
  const std::vector<TokenCandidate> pair = {candidate(2, -2.0), candidate(4, -3.6)};
  EXPECT_EQ(rank_candidates(pair, std::nullopt), 1u);
  EXPECT_EQ(rank_candidates(pair, 0.0), 0u);
  // (5 + 2) / 6 and (5 + 4) / 6: -1.714, -2.4.
  EXPECT_EQ(rank_candidates(pair, 1.0), 0u);
  const std::vector<TokenCandidate> close = {candidate(2, -2.0), candidate(8, -3.0)};
  EXPECT_EQ(rank_candidates(close, 0.5), 0u);  // -1.852, -2.038
  EXPECT_EQ(rank_candidates(close, 1.0), 1u);  // -1.714, -1.385
  const std::vector<TokenCandidate> far = {candidate(1, -1.0), candidate(7, -1.9)};
  EXPECT_EQ(rank_candidates(far, 1.0), 1u);  // -1, -0.95
  // The first of equals; the empty one counts as one token.
  EXPECT_EQ(rank_candidates(std::vector{candidate(1, -1), candidate(2, -2)}, std::nullopt), 0u);
  EXPECT_EQ(rank_candidates(std::vector{candidate(0, -3), candidate(1, -2)}, std::nullopt), 1u);
  EXPECT_EQ(rank_candidates(std::vector{candidate(0, -1), candidate(1, -2)}, std::nullopt), 0u);
}

SUSURRUS_TEST(log_probabilities) {
  const std::vector<float> logits = {1000.0f, 1000.0f + std::log(3.0f), kForbidden};
  EXPECT_NEAR(softmax_probability(default_kernels(), logits, 1), 0.75, 1e-4);
  EXPECT_EQ(softmax_probability(default_kernels(), logits, 2), 0.0f);
  EXPECT_EQ(log_sum_exp(default_kernels(), {}), -std::numeric_limits<double>::infinity());
  const LogSoftmax log_softmax(default_kernels(), logits, logits[1]);
  EXPECT_NEAR(log_softmax(logits[0]), std::log(0.25), 1e-4);
  EXPECT_EQ(log_softmax(logits[2]), kForbidden);
  // Small differences between large logits survive.
  const std::vector<float> large = {1e6f, 1e6f - 0.5f};
  EXPECT_NEAR(LogSoftmax(default_kernels(), large, large[0])(large[0]),
              -std::log(1 + std::exp(-0.5)), 1e-6);
}

SUSURRUS_TEST(top_logits_are_the_largest_in_order) {
  RankedLogit best[3];
  const std::vector<float> logits = {1, 4, kForbidden, 4, 9, 2, 4};
  ASSERT_EQ(top_logits(default_kernels(), logits, best), 3u);
  EXPECT_EQ(best[0].token, 4u);
  EXPECT_EQ(best[1].token, 1u);  // the first of equals
  EXPECT_EQ(best[2].token, 3u);
  EXPECT_EQ(best[0].logit, 9.0f);
  ASSERT_EQ(top_logits(default_kernels(), std::vector<float>{kForbidden, 3, kForbidden}, best), 1u);
  EXPECT_EQ(best[0].token, 1u);
  EXPECT_EQ(top_logits(default_kernels(), std::vector<float>{kForbidden}, best), 0u);
  EXPECT_EQ(largest_logit(default_kernels(), {}).logit, kForbidden);
}

SUSURRUS_TEST(top_logits_of_a_whole_vocabulary) {
  SeededRandom random(3);
  std::vector<float> logits(51865);
  // Few different values, so that there are equals.
  for (float& logit : logits) logit = std::floor(static_cast<float>(random.uniform() * 5000));
  std::vector<uint32_t> order(logits.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return logits[a] > logits[b]; });
  RankedLogit best[65];
  ASSERT_EQ(top_logits(default_kernels(), logits, best), 65u);
  for (size_t i = 0; i < 65; ++i) EXPECT_EQ(best[i].token, order[i]);
  EXPECT_EQ(largest_logit(default_kernels(), logits).token, order[0]);
}

}  // namespace susurrus::testing::token_search_test
