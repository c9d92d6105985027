// Which tokens may follow which; languages; compression ratio.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "decode/compression_ratio.h"
#include "decode/language_detection.h"
#include "decode/small_special.h"
#include "decode/suppression.h"
#include "decode/timestamp_rules.h"
#include "harness.h"
#include "shared_files.h"

namespace susurrus::testing::decode_rules_test {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

// Those of small_special(), and two rows of padding.
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

std::string after(const std::vector<uint32_t>& sampled, std::optional<uint32_t> max_initial = {},
                  std::optional<uint32_t> last = {}) {
  const SpecialTokens special = small_special();
  // Text is likelier than all timestamps together, so that only the order decides.
  std::vector<float> logits(kVocabulary, 10.0f);
  std::fill_n(logits.begin() + kZero, 20, 0.0f);
  TimestampRules(default_kernels(), special, max_initial, last).apply(logits, sampled);
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
  // A second timestamp opens a segment again.
  EXPECT_EQ(after({kZero + 3, 5, kZero + 7, kZero + 7}), "0-19 41-42");
  EXPECT_EQ(after({kZero + 3, 5, kZero + 7, kZero + 7, 6}), "0-19 29-42");
  // Text before any timestamp leaves all of them.
  EXPECT_EQ(after({5, 6}), "0-19 21-42");
}

SUSURRUS_TEST(no_timestamp_is_past_the_end_of_the_audio) {
  // The audio ends at index 7: a segment may close there, none opens there.
  EXPECT_EQ(after({}, {}, 7), "21-27");
  EXPECT_EQ(after({}, 5, 7), "21-26");
  EXPECT_EQ(after({}, 9, 7), "21-27");
  EXPECT_EQ(after({kZero + 6}, {}, 7), "0-19 41-42");
  EXPECT_EQ(after({kZero + 6, 5}, {}, 7), "0-19 28-28 41-42");
  EXPECT_EQ(after({kZero + 3, 5}, {}, 7), "0-19 25-28 41-42");
  // Closed before the end: another may open. Closed at the end, or past it: <|endoftext|>.
  EXPECT_EQ(after({kZero + 3, 5, kZero + 6}, {}, 7), "10-19 27-27 41-42");
  EXPECT_EQ(after({kZero + 3, 5, kZero + 7}, {}, 7), "10-10");
  EXPECT_EQ(after({kZero + 3, 5, kZero + 9}, {}, 7), "10-10");
  EXPECT_EQ(after({}, {}, 0), "");
  EXPECT_EQ(after({}, {}, 500), "21-40");
}

SUSURRUS_TEST(timestamps_are_forced_when_they_outweigh_every_text_token) {
  const SpecialTokens special = small_special();
  const TimestampRules rules(default_kernels(), special, std::nullopt);
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

  // An option: -1 is the model's own list, the control tokens are always there, unless the option is empty.
  using Option = std::vector<int64_t>;
  const std::vector<uint32_t> file = {1};
  EXPECT_TRUE(suppressed_tokens(tokenizer, file, Option{-1}) == suppressed_tokens(tokenizer, file));
  EXPECT_TRUE(suppressed_tokens(tokenizer, std::nullopt, Option{-1}) == derived);
  EXPECT_TRUE(suppressed_tokens(tokenizer, file, Option{5, 5}) ==
              (std::vector<uint32_t>{5, 11, 15, 16, 17, 18, 19}));
  EXPECT_TRUE(suppressed_tokens(tokenizer, file, Option{5, -1}) ==
              (std::vector<uint32_t>{1, 5, 11, 15, 16, 17, 18, 19}));
  EXPECT_TRUE(suppressed_tokens(tokenizer, file, Option{}).empty());

  std::vector<float> logits(kVocabulary, 0.0f);
  SuppressNameless(tokenizer).apply(logits, {});
  EXPECT_EQ(allowed(logits), "0-40");
}

SUSURRUS_TEST(languages_share_their_own_probability) {
  const SpecialTokens special = small_special();
  std::vector<float> logits(kVocabulary, 50.0f);
  logits[12] = 0;
  logits[13] = std::log(6.0f);
  logits[14] = 0;
  const auto languages = language_probabilities(default_kernels(), logits, special);
  ASSERT_EQ(languages.size(), 3u);
  EXPECT_EQ(languages[0].token, 13u);
  EXPECT_NEAR(languages[0].probability, 0.75, 1e-6);
  EXPECT_EQ(languages[1].token, 12u);
  EXPECT_EQ(special.language_code(13), "de");
  // A list hides the others and leaves their share with them.
  const auto some =
      language_probabilities(default_kernels(), logits, special, std::vector<uint32_t>{14, 12});
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].token, 12u);
  EXPECT_NEAR(some[0].probability, 0.125, 1e-6);
}

SUSURRUS_TEST(compression_ratios_are_those_of_zlib_level_6) {
  EXPECT_NEAR(compression_ratio(std::string(100, 'a')), 100.0 / 12, 1e-5);
  EXPECT_NEAR(compression_ratio("hello"), 5.0 / 13, 1e-6);
  EXPECT_NEAR(compression_ratio("The quick brown fox jumps over the lazy dog"), 43.0 / 50, 1e-6);
  EXPECT_EQ(compression_ratio(""), 0.0);
  // Levels up to 4 find a byte less.
  std::string cubes;
  for (int i = 0; i < 300; ++i) cubes += (i > 0 ? " " : "") + std::to_string(i * i * i % 97);
  EXPECT_EQ(compression_ratio(cubes), 875.0 / 153);
  // A threshold of 2.4 is compared with what Python would compute, not with a rounding of it.
  EXPECT_EQ(compression_ratio(std::string(12, 'a')), 12.0 / 11);
}

SUSURRUS_TEST(compression_ratios_are_those_of_the_goldens) {
  const auto units = shared_json("golden/units/units.json");
  if (!units) return;
  size_t count = 0;
  for (JsonValue one : units->root()["compression_ratio"].items()) {
    EXPECT_EQ(compression_ratio(*one["text"].text()), *one["ratio"].number());
    ++count;
  }
  EXPECT_GT(count, 0u);
}

}  // namespace susurrus::testing::decode_rules_test
