// Which tokens may follow which, and what a path is worth.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "decode/compression_ratio.h"
#include "decode/greedy.h"
#include "decode/language_detection.h"
#include "decode/log_probability.h"
#include "decode/suppression.h"
#include "decode/timestamp_rules.h"
#include "harness.h"

namespace susurrus::testing {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

// Ten text tokens, then the control tokens, twenty timestamps, two rows of padding.
SpecialTokens small_special() {
  SpecialTokens special;
  special.end_of_text = 10;
  special.start_of_transcript = 11;
  special.languages = {{"en", 12}, {"de", 13}, {"fr", 14}};
  special.translate = 15;
  special.transcribe = 16;
  special.start_of_lm = 17;
  special.start_of_previous = 18;
  special.no_speech = 19;
  special.no_timestamps = 20;
  special.timestamp_begin = 21;
  special.timestamp_count = 20;
  return special;
}
constexpr size_t kVocabulary = 43;
constexpr uint32_t kZero = 21;

/// "t" text, "c" control, "0-19" timestamps still allowed: as ranges of ids.
std::string allowed(const std::vector<float>& logits) {
  std::string text;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] == kForbidden) continue;
    const size_t first = i;
    while (i + 1 < logits.size() && logits[i + 1] != kForbidden) ++i;
    text += (text.empty() ? "" : " ") + std::to_string(first) + "-" + std::to_string(i);
  }
  return text;
}

std::string after(const std::vector<uint32_t>& sampled, std::optional<uint32_t> max_initial = {}) {
  const SpecialTokens special = small_special();
  // Text is likelier than all timestamps together, so that only the order decides.
  std::vector<float> logits(kVocabulary, 10.0f);
  std::fill_n(logits.begin() + kZero, 20, 0.0f);
  TimestampRules(special, max_initial).apply(logits, sampled);
  return allowed(logits);
}

}  // namespace

SUSURRUS_TEST(the_first_token_is_a_timestamp) {
  EXPECT_EQ(after({}), "21-40");
  EXPECT_EQ(after({}, 5), "21-26");
  EXPECT_EQ(after({}, 500), "21-40");
}

SUSURRUS_TEST(timestamps_come_in_pairs_and_never_fall) {
  // One that opens a segment is followed by text.
  EXPECT_EQ(after({kZero + 3}), "0-19 41-42");
  // After text: text, the end, or a later timestamp.
  EXPECT_EQ(after({kZero + 3, 5}), "0-19 25-42");
  // One that closes a segment is followed by the end or by the next segment's beginning, which may be the same.
  EXPECT_EQ(after({kZero + 3, 5, kZero + 7}), "10-19 28-42");
  // Which opens again.
  EXPECT_EQ(after({kZero + 3, 5, kZero + 7, kZero + 7}), "0-19 41-42");
  EXPECT_EQ(after({kZero + 3, 5, kZero + 7, kZero + 7, 6}), "0-19 29-42");
  // Text before any timestamp leaves all of them.
  EXPECT_EQ(after({5, 6}), "0-19 21-42");
}

SUSURRUS_TEST(timestamps_are_forced_when_they_outweigh_every_text_token) {
  const SpecialTokens special = small_special();
  const TimestampRules rules(special, std::nullopt);
  const std::vector<uint32_t> sampled = {kZero, 5};
  // 19 timestamps of weight 1 against one text token of weight 18, then 20.
  for (const auto& [best, expected] :
       {std::pair(std::log(18.0f), "22-40"), std::pair(std::log(20.0f), "0-19 22-42")}) {
    std::vector<float> logits(kVocabulary, 0.0f);
    logits[7] = best;
    rules.apply(logits, sampled);
    EXPECT_EQ(allowed(logits), expected);
  }
}

SUSURRUS_TEST(suppressed_tokens_are_forbidden) {
  std::vector<float> logits(kVocabulary, 0.0f);
  SuppressTokens({1, 2, 999}).apply(logits, {});
  EXPECT_EQ(allowed(logits), "0-0 3-42");
  const SuppressAtBegin at_begin({3, 10});
  at_begin.apply(logits, std::vector<uint32_t>{5});
  EXPECT_EQ(allowed(logits), "0-0 3-42");
  at_begin.apply(logits, {});
  EXPECT_EQ(allowed(logits), "0-0 4-9 11-42");
}

SUSURRUS_TEST(lists_of_a_file_and_defaults) {
  std::vector<uint8_t> bytes = {' ', 'a', '('};
  const Tokenizer tokenizer(Vocabulary(VocabularyBytes(bytes, {1, 2, 3})), small_special());
  const std::vector<uint32_t> control = {11, 15, 16, 17, 18, 19};
  EXPECT_TRUE(suppressed_tokens(tokenizer, std::vector<uint32_t>()) == control);
  std::vector<uint32_t> with_file = {1, 11, 15, 16, 17, 18, 19};
  EXPECT_TRUE(suppressed_tokens(tokenizer, std::vector<uint32_t>{1, 16}) == with_file);
  // "(" is one token, and so is the space in front of symbols that are not there.
  std::vector<uint32_t> derived = {0, 2, 11, 15, 16, 17, 18, 19};
  EXPECT_TRUE(suppressed_tokens(tokenizer, std::nullopt) == derived);
  EXPECT_TRUE(suppressed_at_begin(tokenizer, std::nullopt) == (std::vector<uint32_t>{0, 10}));
  EXPECT_TRUE(suppressed_at_begin(tokenizer, std::vector<uint32_t>{4}) ==
              (std::vector<uint32_t>{4}));

  std::vector<float> logits(kVocabulary, 0.0f);
  SuppressNameless(tokenizer).apply(logits, {});
  EXPECT_EQ(allowed(logits), "0-40");
}

SUSURRUS_TEST(greedy_search_sums_log_probabilities) {
  GreedySearch search(10, 5);
  std::vector<float> logits(12, kForbidden);
  logits[3] = std::log(3.0f);
  logits[4] = std::log(1.0f);
  EXPECT_FALSE(search.choose(logits));
  logits[10] = std::log(4.0f);
  EXPECT_TRUE(search.choose(logits));
  ASSERT_EQ(search.tokens().size(), 1u);
  EXPECT_EQ(search.tokens()[0], 3u);
  EXPECT_NEAR(search.sum_logprob(), std::log(0.75) + std::log(0.5), 1e-6);
  EXPECT_NEAR(search.avg_logprob(), search.sum_logprob() / 2, 1e-12);
}

SUSURRUS_TEST(greedy_search_ends_at_its_limit_or_with_nothing_allowed) {
  GreedySearch search(10, 2);
  std::vector<float> logits(12, 0.0f);
  EXPECT_FALSE(search.choose(logits));
  EXPECT_EQ(search.tokens()[0], 0u);  // the first of equals
  EXPECT_TRUE(search.choose(logits));
  EXPECT_EQ(search.tokens().size(), 2u);
  GreedySearch blocked(10, 2);
  EXPECT_TRUE(blocked.choose(std::vector<float>(12, kForbidden)));
  EXPECT_EQ(blocked.sum_logprob(), 0.0);
}

SUSURRUS_TEST(probabilities) {
  const std::vector<float> logits = {1000.0f, 1000.0f + std::log(3.0f), kForbidden};
  EXPECT_NEAR(softmax_probability(logits, 1), 0.75, 1e-4);
  EXPECT_EQ(softmax_probability(logits, 2), 0.0f);
  EXPECT_EQ(log_sum_exp({}), -std::numeric_limits<double>::infinity());
}

SUSURRUS_TEST(languages_share_their_own_probability) {
  const SpecialTokens special = small_special();
  std::vector<float> logits(kVocabulary, 50.0f);
  logits[12] = 0;
  logits[13] = std::log(6.0f);
  logits[14] = 0;
  const auto languages = language_probabilities(logits, special);
  ASSERT_EQ(languages.size(), 3u);
  EXPECT_EQ(languages[0].token, 13u);
  EXPECT_NEAR(languages[0].probability, 0.75, 1e-6);
  EXPECT_EQ(languages[1].token, 12u);
  EXPECT_EQ(special.language_code(13), "de");
}

SUSURRUS_TEST(compression_ratios_are_those_of_zlib_level_6) {
  EXPECT_NEAR(compression_ratio(std::string(100, 'a')), 100.0 / 12, 1e-5);
  EXPECT_NEAR(compression_ratio("hello"), 5.0 / 13, 1e-6);
  EXPECT_NEAR(compression_ratio("The quick brown fox jumps over the lazy dog"), 43.0 / 50, 1e-6);
  EXPECT_EQ(compression_ratio(""), 0.0f);
}

}  // namespace susurrus::testing
