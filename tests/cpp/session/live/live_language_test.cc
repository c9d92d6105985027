// The language of a stream: scripted detections.
#include "session/live/live_language.h"

#include "harness.h"

namespace susurrus::testing::live_language_test {
namespace {

using Scope = LiveLanguage::Scope;

constexpr uint32_t kEnglish = 1;
constexpr uint32_t kSpanish = 2;
constexpr uint32_t kItalian = 3;

SpecialTokens three_languages() {
  SpecialTokens special;
  special.languages = {{"en", kEnglish}, {"es", kSpanish}, {"it", kItalian}};
  return special;
}

/// The rest goes to English.
bool detect(LiveLanguage& language, double seconds, uint32_t token, float probability) {
  std::vector<LanguageProbability> found = {{token, probability}};
  const LanguageProbability rest = {kEnglish, 1 - probability};
  if (token != kEnglish) found.insert(probability < 0.5f ? found.begin() : found.end(), rest);
  return language.detected(found, false, seconds, three_languages());
}

void utterance(LiveLanguage& language, double seconds, uint32_t token, float probability) {
  for (double heard = 1; heard <= seconds; ++heard) {
    if (!language.wants_detection(heard, false)) break;
    detect(language, heard, token, probability);
    language.settle();
  }
  language.end_utterance();
}

}  // namespace

SUSURRUS_TEST(a_wrong_beginning_is_corrected_by_a_clear_vote_or_the_next_utterance) {
  LiveLanguage language("", Scope::stream, 0.5f);
  EXPECT_TRUE(language.current().empty());
  // A language that is detected first is no change.
  EXPECT_FALSE(detect(language, 1, kSpanish, 0.87f));
  EXPECT_TRUE(detect(language, 2, kItalian, 1.0f));
  language.settle();
  // Words stay in their language while there is little sound, or less than half of the votes for another one.
  EXPECT_FALSE(detect(language, 2.9, kSpanish, 1.0f));
  const std::vector<LanguageProbability> unclear = {{kSpanish, 0.49f}, {kEnglish, 0.4f}};
  EXPECT_FALSE(language.detected(unclear, false, 8, three_languages()));
  EXPECT_EQ(language.current(), "it");
  EXPECT_TRUE(detect(language, 8, kSpanish, 1.0f));
  EXPECT_EQ(language.current(), "es");
  EXPECT_FALSE(language.is_sure());
  language.end_utterance();
  // The votes of 8 s.
  EXPECT_FALSE(detect(language, 2, kItalian, 0.9f));
  EXPECT_NEAR(language.probability(), 0.8f, 1e-6);
  LiveLanguage next("", Scope::stream, 0.5f);
  detect(next, 2, kItalian, 0.9f);
  next.settle();
  EXPECT_FALSE(detect(next, 2, kSpanish, 0.6f));
  next.end_utterance();
  EXPECT_TRUE(detect(next, 2, kSpanish, 0.9f));
  EXPECT_EQ(next.current(), "es");
}

SUSURRUS_TEST(what_was_probable_before_stays_in_the_comparison) {
  LiveLanguage language("", Scope::stream, 0.5f);
  EXPECT_TRUE(language.rule(2).lately.empty());
  const std::vector<LanguageProbability> first = {
      {kSpanish, 0.4f}, {kEnglish, 0.3f}, {kItalian, 0.09f}};
  language.detected(first, false, 1, three_languages());
  detect(language, 2, kItalian, 0.8f);
  language.end_utterance();
  detect(language, 2, kItalian, 0.95f);
  const auto lately = language.rule(2).lately;
  ASSERT_EQ(lately.size(), size_t{3});
  EXPECT_EQ(lately[0].token, kItalian);
  EXPECT_NEAR(lately[0].probability, 0.95f, 1e-6);
  EXPECT_EQ(lately[1].token, kSpanish);
  EXPECT_NEAR(lately[1].probability, 0.4f, 1e-6);
  // A word or two fit any language.
  EXPECT_TRUE(language.rule(1).lately.empty());
  LiveLanguage each("", Scope::utterance, 0.5f);
  each.detected(first, false, 2, three_languages());
  EXPECT_TRUE(each.rule(2).lately.empty());
}

SUSURRUS_TEST(two_wrong_seconds_do_not_outvote_eight_right_ones) {
  LiveLanguage language("", Scope::stream, 0.5f);
  utterance(language, 8, kSpanish, 0.8f);
  EXPECT_FALSE(detect(language, 2, kItalian, 1.0f));
  EXPECT_EQ(language.current(), "es");
  EXPECT_NEAR(language.probability(), 0.64f, 1e-6);
}

SUSURRUS_TEST(a_sure_vote_ends_the_question) {
  LiveLanguage language("", Scope::stream, 0.5f);
  detect(language, 2, kItalian, 1.0f);
  language.settle();
  language.end_window();
  for (double heard = 1; heard < 16; ++heard) {
    EXPECT_TRUE(language.wants_detection(2, false));
    detect(language, heard, kSpanish, 0.9f);
    EXPECT_FALSE(language.is_sure());
  }
  detect(language, 17, kSpanish, 0.9f);
  EXPECT_EQ(language.current(), "es");
  EXPECT_TRUE(language.is_sure());
  EXPECT_FALSE(language.wants_detection(2, false));
  // For good.
  language.end_utterance();
  EXPECT_FALSE(language.wants_detection(2, false));
}

SUSURRUS_TEST(an_unclear_vote_stays_open) {
  LiveLanguage language("", Scope::stream, 0.5f);
  for (int i = 0; i < 10; ++i) utterance(language, 6, i % 2 == 0 ? kSpanish : kItalian, 1.0f);
  EXPECT_FALSE(language.is_sure());
  EXPECT_TRUE(language.wants_detection(2, false));
}

SUSURRUS_TEST(each_utterance_has_its_own_language_if_that_is_probable) {
  LiveLanguage language("", Scope::utterance, 0.6f);
  detect(language, 2, kSpanish, 0.3f);
  // The first one is the best, however improbable,
  EXPECT_EQ(language.current(), "en");
  // until words are said in it.
  EXPECT_TRUE(detect(language, 3, kSpanish, 0.55f));
  EXPECT_EQ(language.current(), "es");
  EXPECT_TRUE(detect(language, 4, kEnglish, 0.55f));
  language.settle();
  EXPECT_FALSE(language.wants_detection(5, false));
  language.end_utterance();
  // Too little to say anything, unless it is all.
  EXPECT_FALSE(language.wants_detection(1, false));
  EXPECT_TRUE(language.wants_detection(1, true));
  EXPECT_EQ(language.rule(1).sure, 0.0f);
  EXPECT_TRUE(language.wants_detection(2, false));
  EXPECT_FALSE(detect(language, 2, kItalian, 0.59f));
  EXPECT_EQ(language.current(), "en");
  EXPECT_NEAR(language.probability(), 0.41f, 1e-6);
  EXPECT_TRUE(detect(language, 3, kItalian, 0.61f));
  EXPECT_EQ(language.current(), "it");
}

SUSURRUS_TEST(an_utterance_is_in_the_language_of_the_more_probable_text_however_improbable) {
  LiveLanguage language("", Scope::utterance, 0.6f);
  detect(language, 2, kSpanish, 0.9f);
  language.settle();
  language.end_utterance();
  EXPECT_EQ(language.rule(2).before, "es");
  const std::vector<LanguageProbability> found = {{kItalian, 0.2f}, {kSpanish, 0.3f}};
  EXPECT_FALSE(language.detected(found, false, 2, three_languages()));
  EXPECT_EQ(language.current(), "es");
  EXPECT_TRUE(language.detected(found, true, 2, three_languages()));
  EXPECT_EQ(language.current(), "it");
  EXPECT_NEAR(language.probability(), 0.2f, 1e-6);
}

SUSURRUS_TEST(the_more_probable_text_has_the_votes_of_the_most_probable_language) {
  LiveLanguage language("", Scope::stream, 0.5f);
  const std::vector<LanguageProbability> found = {
      {kItalian, 0.2f}, {kSpanish, 0.5f}, {kEnglish, 0.3f}};
  EXPECT_FALSE(language.detected(found, true, 2, three_languages()));
  EXPECT_EQ(language.current(), "it");
  EXPECT_NEAR(language.probability(), 0.5f, 1e-6);
  EXPECT_EQ(language.rule(2).before, "");
  language.settle();
  EXPECT_EQ(language.rule(2).before, "it");
  language.end_window();
  const std::vector<LanguageProbability> next = {{kSpanish, 0.55f}, {kItalian, 0.45f}};
  language.end_utterance();
  EXPECT_FALSE(language.detected(next, false, 2, three_languages()));
  EXPECT_EQ(language.current(), "it");
}

SUSURRUS_TEST(another_language_after_the_committed_words_opens_the_question_again) {
  const SpecialTokens special = three_languages();
  const std::vector<LanguageProbability> italian = {{kItalian, 0.6f}, {kSpanish, 0.05f}};
  const std::vector<LanguageProbability> unsure = {{kItalian, 0.7f}, {kSpanish, 0.3f}};
  const std::vector<LanguageProbability> spanish = {{kSpanish, 0.9f}, {kItalian, 0.1f}};
  LiveLanguage language("", Scope::utterance, 0.5f);
  detect(language, 2, kSpanish, 0.9f);
  EXPECT_FALSE(language.wants_check(3));
  language.settle();
  EXPECT_FALSE(language.wants_check(1));
  EXPECT_TRUE(language.wants_check(3));
  EXPECT_FALSE(language.is_left(unsure, special));
  EXPECT_FALSE(language.is_left(spanish, special));
  EXPECT_FALSE(language.wants_detection(3, false));
  EXPECT_TRUE(language.is_left(italian, special));
  EXPECT_TRUE(language.wants_detection(3, false));
  EXPECT_FALSE(language.wants_check(3));
  EXPECT_TRUE(detect(language, 3, kItalian, 0.9f));
  LiveLanguage whole_stream("", Scope::stream, 0.5f);
  detect(whole_stream, 2, kSpanish, 0.9f);
  whole_stream.settle();
  EXPECT_FALSE(whole_stream.wants_check(3));
}

SUSURRUS_TEST(a_language_that_was_named_is_not_detected) {
  LiveLanguage language("es", Scope::stream, 0.5f);
  EXPECT_FALSE(language.wants_detection(2, false));
  EXPECT_EQ(language.current(), "es");
  EXPECT_EQ(language.probability(), 0.0f);
}

}  // namespace susurrus::testing::live_language_test
