#include "session/live/commit_policy.h"

#include "harness.h"
#include "session/live/sentence_end.h"

namespace susurrus::testing::commit_policy_test {
namespace {

ProvisionalWord word(const char* text, double end, double heard_at, float probability = 0.9f) {
  ProvisionalWord made;
  made.text = text;
  made.start = end - 0.3;
  made.end = end;
  made.heard_at = heard_at;
  made.probability = probability;
  return made;
}

}  // namespace

SUSURRUS_TEST(attention_commits_words_whose_sound_lies_far_from_the_end) {
  auto policy = CommitPolicy::make(CommitPolicyKind::attention);
  const ProvisionalWord words[] = {word(" one", 1, 0.9), word(" two", 1.5, 1.4),
                                   word(" three", 2, 1.9)};
  EXPECT_EQ(policy->commit(words, 4), 2u);  // never the last one
  EXPECT_EQ(policy->commit(words, 1.5), 1u);
  EXPECT_EQ(policy->commit(words, 1.1), 0u);
  EXPECT_EQ(policy->commit({}, 4), 0u);
  // A word that ends early but was recognised at the end is not safe, nor is any word after it.
  const ProvisionalWord doubtful[] = {word(" one", 1, 3.9), word(" two", 1.5, 1.4),
                                      word(" three", 2, 1.9)};
  EXPECT_EQ(policy->commit(doubtful, 4), 0u);
}

SUSURRUS_TEST(attention_hears_improbable_words_again_or_waits_for_more_sound) {
  auto policy = CommitPolicy::make(CommitPolicyKind::attention);
  const ProvisionalWord words[] = {word(" won", 1, 0.9, 0.3f), word(" two", 1.5, 1.4)};
  EXPECT_EQ(policy->commit(words, 2), 0u);
  EXPECT_EQ(policy->commit(words, 2.1), 1u);  // the same again
  policy->forget();
  EXPECT_EQ(policy->commit(words, 2), 0u);
  const ProvisionalWord others[] = {word(" one", 1, 0.9, 0.3f), word(" two", 1.5, 1.4)};
  EXPECT_EQ(policy->commit(others, 2.1), 0u);
  policy->forget();
  EXPECT_EQ(policy->commit(words, 3.2), 0u);
  policy->forget();
  EXPECT_EQ(policy->commit(words, 3.5), 1u);
}

SUSURRUS_TEST(agreement_commits_what_two_hypotheses_in_a_row_say) {
  auto policy = CommitPolicy::make(CommitPolicyKind::agreement);
  const ProvisionalWord first[] = {word(" one", 1, 1), word(" too", 1.5, 1.5)};
  EXPECT_EQ(policy->commit(first, 2), 0u);
  const ProvisionalWord second[] = {word(" one", 1, 1), word(" two", 1.5, 1.5),
                                    word(" three", 2, 2)};
  EXPECT_EQ(policy->commit(second, 3), 1u);
  const ProvisionalWord third[] = {word(" two", 1.5, 1.5), word(" three", 2, 2)};
  EXPECT_EQ(policy->commit(third, 4), 2u);
  policy->commit(first, 5);
  policy->forget();
  EXPECT_EQ(policy->commit(first, 6), 0u);
}

SUSURRUS_TEST(sentences_end_with_their_marks_but_for_initials_and_short_forms) {
  for (const char* text : {" no.", " why?", " so!\"", " 3.", " ja。", " I.", " well…", " end.)"})
    EXPECT_TRUE(ends_sentence(text));
  for (const char* text : {" no", " Mr.", " J.", "", " ", " a,", " Dr.", " .5"})
    EXPECT_TRUE(!ends_sentence(text));
}

}  // namespace susurrus::testing::commit_policy_test
