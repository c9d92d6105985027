// Best paths through emissions: CTC's best tokens, and ASG's Viterbi, in one piece and in several.
#include "families/acoustic/greedy_path.h"

#include <algorithm>
#include <cmath>

#include "harness.h"

namespace susurrus::testing::greedy_path_test {
namespace {

using Path = std::vector<uint32_t>;

/// `frames`: how many come at a time.
Path best_path(std::span<const float> emissions, std::span<const float> transitions, size_t tokens,
               size_t frames = 1000) {
  GreedyPath path(tokens, transitions);
  for (size_t at = 0; at < emissions.size(); at += frames * tokens) {
    path.push(emissions.subspan(at, std::min(frames * tokens, emissions.size() - at)));
  }
  Path best;
  std::vector<float> log_probabilities;
  path.best(best, log_probabilities);
  EXPECT_EQ(log_probabilities.size(), best.size());
  EXPECT_LE(path.final_count(), best.size());
  return best;
}

}  // namespace

SUSURRUS_TEST(the_first_of_the_best_tokens_wins) {
  const std::vector<float> emissions = {0, 1, 1, 5, 2, 5, -1, -2, -3};
  EXPECT_TRUE((best_path(emissions, {}, 3) == Path{1, 0, 0}));
}

SUSURRUS_TEST(the_best_path_is_the_best_of_all_paths) {
  constexpr size_t kTokens = 3;
  constexpr size_t kFrames = 5;
  uint32_t state = 1;
  const auto next = [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<float>(state >> 24) / 64;
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<float> emissions(kTokens * kFrames);
    std::vector<float> transitions(kTokens * kTokens);
    for (float& value : emissions) value = next();
    for (float& value : transitions) value = next();
    const auto score = [&](const Path& path) {
      double sum = 0;
      for (size_t t = 0; t < kFrames; ++t) {
        sum += static_cast<double>(emissions[t * kTokens + path[t]]);
        if (t > 0) sum += static_cast<double>(transitions[path[t] * kTokens + path[t - 1]]);
      }
      return sum;
    };
    double most = -1e9;
    for (size_t number = 0; number < 243; ++number) {
      Path path(kFrames);
      size_t rest = number;
      for (uint32_t& token : path) {
        token = static_cast<uint32_t>(rest % kTokens);
        rest /= kTokens;
      }
      most = std::max(most, score(path));
    }
    const Path best = best_path(emissions, transitions, kTokens);
    EXPECT_TRUE(best_path(emissions, transitions, kTokens, 1) == best);
    ASSERT_EQ(best.size(), kFrames);
    EXPECT_EQ(score(best), most);
  }
  EXPECT_TRUE(best_path({}, std::vector<float>(9), kTokens).empty());
  // Among equal paths, the one with the lowest tokens wins.
  EXPECT_TRUE((best_path(std::vector<float>(6), std::vector<float>(9), kTokens) == Path{0, 0}));
}

SUSURRUS_TEST(probabilities_of_a_path_are_those_of_its_tokens_in_their_frames) {
  const std::vector<float> emissions = {0, 0, std::log(3.0F), 0};
  const std::vector<float> transitions(4);
  for (const bool is_asg : {false, true}) {
    GreedyPath path(2, is_asg ? std::span<const float>(transitions) : std::span<const float>());
    path.push(emissions);
    Path tokens;
    std::vector<float> log_probabilities;
    path.best(tokens, log_probabilities);
    ASSERT_EQ(tokens.size(), 2u);
    EXPECT_EQ(tokens[1], 0u);
    EXPECT_NEAR(std::exp(log_probabilities[0]), 0.5, 1e-6);
    EXPECT_NEAR(std::exp(log_probabilities[1]), 0.75, 1e-6);
  }
}

SUSURRUS_TEST(frames_on_which_all_paths_agree_are_settled) {
  // Token 1 of frame 0 leads to everything; nothing decides between the tokens of frame 1.
  const std::vector<float> transitions(4);
  GreedyPath path(2, transitions);
  path.push(std::vector<float>{0, 9});
  EXPECT_EQ(path.final_count(), 0u);
  GreedyPath longer(2, transitions);
  longer.push(std::vector<float>{0, 9, 0, 0});
  EXPECT_EQ(longer.final_count(), 1u);
  for (int i = 0; i < 1000; ++i) longer.push(std::vector<float>{0, 1});
  EXPECT_EQ(longer.final_count(), 1001u);
}

}  // namespace susurrus::testing::greedy_path_test
