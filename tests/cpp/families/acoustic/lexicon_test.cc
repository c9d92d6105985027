// Lexicons as trees of tokens, with scores smeared over them.
#include "families/acoustic/lexicon.h"

#include <cmath>

#include "families/acoustic/read_texts.h"
#include "harness.h"

namespace susurrus::testing::lexicon_test {
namespace {

AcousticTokens letters(uint64_t replabel = 0) {
  TokenSettings settings;
  settings.is_asg = true;
  settings.replabel = replabel;
  std::vector<std::string> names = {"|", "a", "b", "l"};
  for (uint64_t i = 1; i <= replabel; ++i) names.push_back(std::to_string(i));
  auto tokens = AcousticTokens::make(names, settings, names.size());
  SUSURRUS_CHECK(tokens.has_value());
  return std::move(*tokens);
}

/// The node of a spelling, kNone where there is none.
uint32_t find(const Lexicon& lexicon, std::initializer_list<uint32_t> spelling) {
  uint32_t node = Lexicon::kRoot;
  for (const uint32_t token : spelling) {
    uint32_t next = Lexicon::kNone;
    for (const Lexicon::Child& child : lexicon.children(node)) {
      if (child.token == token) next = child.node;
    }
    if (next == Lexicon::kNone) return next;
    node = next;
  }
  return node;
}

}  // namespace

SUSURRUS_TEST(lexicons_are_trees_of_their_spellings) {
  const auto lexicon = read_lexicon(
      "ab\ta b |\n\nba b a |\r\nab a b\nabba a b b a |\nother\ta b |\nab a b |", letters());
  ASSERT_TRUE(lexicon.has_value());
  ASSERT_EQ(lexicon->words().size(), 4u);
  EXPECT_EQ(lexicon->words().text(2), "abba");
  EXPECT_EQ(lexicon->words().find("other"), 3u);
  EXPECT_EQ(lexicon->words().find("othe"), WordTable::kNone);
  EXPECT_EQ(lexicon->children(Lexicon::kRoot).size(), 2u);
  const auto labels = lexicon->labels(find(*lexicon, {1, 2, 0}));
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[0], 0u);
  EXPECT_EQ(labels[1], 3u);
  EXPECT_EQ(lexicon->labels(find(*lexicon, {1, 2})).size(), 1u);
  EXPECT_EQ(lexicon->labels(find(*lexicon, {1})).size(), 0u);
  EXPECT_EQ(lexicon->children(find(*lexicon, {1, 2})).size(), 2u);
  EXPECT_EQ(find(*lexicon, {0}), Lexicon::kNone);
  EXPECT_EQ(lexicon->children(find(*lexicon, {1, 2, 2, 1, 0})).size(), 0u);
}

SUSURRUS_TEST(lexicons_keep_six_words_of_one_spelling) {
  const AcousticTokens tokens = letters();
  LexiconReader reader(tokens);
  ASSERT_TRUE(reader.push(as_bytes("1 a\n2 a\n3 a\n4 a\nx b\n5 a\n6 a\n7 a\n8 a")).has_value());
  const auto lexicon = reader.finish();
  ASSERT_TRUE(lexicon.has_value());
  EXPECT_EQ(reader.left_out(), 2u);
  const auto labels = lexicon->labels(find(*lexicon, {1}));
  ASSERT_EQ(labels.size(), 6u);
  EXPECT_EQ(lexicon->words().text(labels[5]), "6");
  EXPECT_EQ(lexicon->labels(find(*lexicon, {2})).size(), 1u);
}

SUSURRUS_TEST(lexicons_spell_copies_with_replabels) {
  const auto lexicon = read_lexicon("all a l l\nlll l l l b\nllll l l l l", letters(2));
  ASSERT_TRUE(lexicon.has_value());
  EXPECT_NE(find(*lexicon, {1, 3, 4}), Lexicon::kNone);
  EXPECT_NE(find(*lexicon, {3, 5, 2}), Lexicon::kNone);
  EXPECT_NE(find(*lexicon, {3, 5, 3}), Lexicon::kNone);
}

SUSURRUS_TEST(lexicons_smear_scores_over_beginnings_of_words) {
  auto lexicon = read_lexicon("x a\ny a b\nz a l\n", letters());
  ASSERT_TRUE(lexicon.has_value());
  const std::vector<float> scores = {-1, -0.5F, -3};
  const uint32_t node = find(*lexicon, {1});
  EXPECT_EQ(lexicon->score(node), 0.0F);
  lexicon->weigh(scores, Smearing::max);
  EXPECT_EQ(lexicon->score(node), -0.5F);
  EXPECT_EQ(lexicon->score(find(*lexicon, {1, 3})), -3.0F);
  lexicon->weigh(scores, Smearing::log_add);
  EXPECT_NEAR(lexicon->score(node), std::log(std::exp(-1) + std::exp(-0.5) + std::exp(-3)), 1e-6);
  lexicon->weigh(scores, Smearing::none);
  EXPECT_EQ(lexicon->score(node), 0.0F);
}

SUSURRUS_TEST(lexicons_with_lines_that_spell_nothing_are_refused) {
  constexpr const char* kCases[][3] = {{"", "line 0", "a word and its tokens"},
                                       {"ab a b\nx\n", "line 2", "a word and its tokens"},
                                       {"ab a b\n\nx a c\n", "line 3", "tokens of the model"}};
  for (const auto& [text, line, expected] : kCases) {
    const auto lexicon = read_lexicon(text, letters(), 3);
    ASSERT_FALSE(lexicon.has_value());
    EXPECT_TRUE(lexicon.error().code == ErrorCode::malformed);
    EXPECT_EQ(lexicon.error().subject.view(), line);
    EXPECT_EQ(lexicon.error().expected.view(), expected);
  }
}

}  // namespace susurrus::testing::lexicon_test
