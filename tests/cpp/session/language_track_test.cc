// The language from window to window.
#include "session/language_track.h"

#include "harness.h"

namespace susurrus::testing::language_track_test {
namespace {

SpecialTokens three_languages() {
  SpecialTokens special;
  special.languages = {{"en", 1}, {"de", 2}, {"fr", 3}};
  return special;
}

bool detect(LanguageTrack& track, uint32_t token, float probability) {
  const std::vector<LanguageProbability> found = {{token, probability}};
  return track.detected(found, three_languages());
}

}  // namespace

SUSURRUS_TEST(the_first_language_is_the_best_however_improbable) {
  LanguageTrack track("", 0.5f);
  EXPECT_TRUE(track.current().empty());
  // The first language is not a change.
  EXPECT_FALSE(detect(track, 2, 0.1f));
  EXPECT_EQ(track.current(), "de");
}

SUSURRUS_TEST(another_language_takes_over_only_when_it_is_probable) {
  LanguageTrack track("", 0.5f);
  detect(track, 1, 0.9f);
  EXPECT_FALSE(detect(track, 2, 0.49f));
  EXPECT_EQ(track.current(), "en");
  EXPECT_TRUE(detect(track, 2, 0.5f));
  EXPECT_EQ(track.current(), "de");
  EXPECT_FALSE(detect(track, 2, 0.99f));
  EXPECT_FALSE(track.detected({}, three_languages()));
  EXPECT_EQ(track.current(), "de");
}

SUSURRUS_TEST(the_language_of_a_recording_is_that_of_most_of_its_time) {
  LanguageTrack track("", 0.5f);
  detect(track, 1, 0.9f);
  EXPECT_EQ(track.main(), "en");
  track.add_time(5);
  detect(track, 3, 0.9f);
  track.add_time(4);
  EXPECT_EQ(track.main(), "en");
  track.add_time(2);
  EXPECT_EQ(track.main(), "fr");
  EXPECT_EQ(LanguageTrack("de", 0.5f).main(), "de");
}

SUSURRUS_TEST(the_probability_is_that_of_the_window_in_which_the_main_language_was_surest) {
  LanguageTrack track("", 0.5f);
  EXPECT_EQ(to_json(track), R"({"languages":[]})");
  detect(track, 1, 0.25f);
  EXPECT_EQ(to_json(track), R"({"languageProbability":0.25,"languages":[]})");
  track.add_time(2);
  detect(track, 2, 0.75f);
  track.add_time(1.5);
  // Too improbable to change anything.
  detect(track, 1, 0.375f);
  track.add_time(0.25);
  EXPECT_EQ(track.main_probability(), 0.25);
  detect(track, 1, 0.5f);
  track.add_time(1);
  EXPECT_EQ(to_json(track),
            R"({"languageProbability":0.5,"languages":[{"language":"en","seconds":3},)"
            R"({"language":"de","seconds":1.75}]})");
  // It goes on with all of that.
  LanguageTrack resumed("", 0.5f);
  resumed.resume(track.current(), track.current_probability(), track.shares());
  EXPECT_EQ(to_json(resumed), to_json(track));
}

SUSURRUS_TEST(a_language_that_the_caller_named_has_no_probability) {
  LanguageTrack track("de", 0.5f);
  track.add_time(2);
  EXPECT_EQ(to_json(track), R"({"languages":[{"language":"de","seconds":2}]})");
}

}  // namespace susurrus::testing::language_track_test
