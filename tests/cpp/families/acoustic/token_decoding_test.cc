// Greedy decoding of emissions (bw2l.md §2.4).
#include "families/acoustic/token_decoding.h"

#include <algorithm>

#include "harness.h"

namespace susurrus::testing::token_decoding_test {
namespace {

using Names = std::vector<std::string>;
using Path = std::vector<uint32_t>;

/// The words of a path, as "word[first-last]" with spaces between.
std::string decoded(const Names& names, const TokenSettings& settings, uint64_t outputs,
                    const Path& path) {
  auto tokens = AcousticTokens::make(names, settings, outputs);
  if (!EXPECT_TRUE(tokens.has_value())) return {};
  std::string text;
  for (const DecodedWord& word : tokens->words_of(tokens->tokens_of(path))) {
    text += (text.empty() ? "" : " ") + word.text + "[" + std::to_string(word.first_frame) + "-" +
            std::to_string(word.last_frame) + "]";
  }
  return text;
}

bool fits(const Names& names, const TokenSettings& settings, uint64_t outputs) {
  const auto tokens = AcousticTokens::make(names, settings, outputs);
  if (tokens) return tokens->size() == outputs;
  EXPECT_EQ(tokens.error().subject.view(), "tokens");
  EXPECT_TRUE(tokens.error().reason == ErrorReason::size_mismatch);
  return false;
}

}  // namespace

SUSURRUS_TEST(ctc_joins_runs_and_drops_blanks_but_keeps_doubled_letters) {
  // | a b #
  EXPECT_EQ(decoded({"|", "a", "b"}, {}, 4, {3, 1, 1, 3, 1, 2, 2, 0, 0, 3, 2, 3}),
            "aab[1-6] b[10-10]");
  EXPECT_EQ(decoded({"|", "a", "b"}, {}, 4, {0, 1, 0, 0}), "a[1-1]");
  EXPECT_EQ(decoded({"|", "a", "b"}, {}, 4, {3, 3}), "");
  EXPECT_EQ(decoded({"|", "a", "b"}, {}, 4, {}), "");
  // A blank that is listed is where it is listed.
  EXPECT_EQ(decoded({"#", "|", "a"}, {}, 3, {2, 0, 2, 1, 2}), "aa[0-2] a[4-4]");
}

SUSURRUS_TEST(replabels_repeat_the_token_before_them) {
  const TokenSettings settings{.is_asg = true, .replabel = 2};
  // a b | 1 2
  EXPECT_EQ(decoded({"a", "b", "|"}, settings, 5, {0, 3, 1, 4}), "aabbb[0-3]");
  // At the start, and after another one, they say nothing.
  EXPECT_EQ(decoded({"a", "b", "|"}, settings, 5, {3, 0, 3, 4, 1}), "aab[1-4]");
}

SUSURRUS_TEST(ends_of_sentences_silence_and_surroundings_are_taken_away) {
  const TokenSettings settings{.has_eos = true, .surround = "b"};
  // | a b # $
  EXPECT_EQ(decoded({"|", "a", "b"}, settings, 5, {0, 2, 1, 2, 0, 4, 3, 4}), "a[2-2]");
  EXPECT_EQ(decoded({"|", "a", "b"}, settings, 5, {2, 1, 4, 1}), "a$a[1-3]");
}

SUSURRUS_TEST(word_pieces_split_at_every_separator) {
  const TokenSettings pieces{.separator = "_", .uses_word_pieces = true};
  EXPECT_EQ(decoded({"_the", "n", "a_b"}, pieces, 4, {0, 1, 0, 3, 2}),
            "then[0-1] thea[2-4] b[4-4]");
  // Without flags a mark at a token's beginning starts a word.
  const TokenSettings unknown{.separator = ""};
  EXPECT_EQ(decoded({"_the", "n", "▁a"}, unknown, 4, {0, 1, 2, 3, 1}), "then[0-1] an[2-4]");
}

SUSURRUS_TEST(text_has_one_space_between_words) {
  const std::vector<DecodedWord> words = {{"one", 0, 1}, {"two", 3, 4}};
  EXPECT_EQ(text_of(words), "one two");
  EXPECT_EQ(text_of({}), "");
}

SUSURRUS_TEST(tokens_of_training_follow_as_far_as_the_network_has_outputs_for_them) {
  const TokenSettings settings{.replabel = 2, .has_eos = true};
  EXPECT_TRUE(fits({"a", "b"}, settings, 3));  // #
  EXPECT_TRUE(fits({"a", "b"}, settings, 4));  // # $
  EXPECT_TRUE(fits({"a", "b"}, settings, 5));  // 1 2 #
  EXPECT_TRUE(fits({"a", "b"}, settings, 6));  // 1 2 # $
  EXPECT_TRUE(fits({"a", "#"}, settings, 2));
  EXPECT_FALSE(fits({"a", "b"}, settings, 2));
  EXPECT_FALSE(fits({"a", "b"}, settings, 7));
  EXPECT_FALSE(fits({"a", "1", "#"}, settings, 5));
  EXPECT_FALSE(fits({"a"}, {.replabel = uint64_t{1} << 60}, 9));
  const auto tokens = AcousticTokens::make({"a", "b"}, settings, 6);
  ASSERT_TRUE(tokens.has_value());
  EXPECT_EQ(tokens->name(2), "1");
  EXPECT_EQ(tokens->name(3), "2");
  EXPECT_EQ(tokens->blank(), 4u);
  EXPECT_EQ(tokens->name(5), "$");
  EXPECT_EQ(AcousticTokens::label_count({"a", "b"}, settings), 6u);
  EXPECT_EQ(AcousticTokens::label_count({"a", "#"}, {}), 2u);
}

}  // namespace susurrus::testing::token_decoding_test
