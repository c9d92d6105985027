// When the words of a window are spoken: of one that was decoded, and of a text that is known.
#include "session/window_words.h"

#include <string>

#include "session/window_attempts.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::window_words_test {
namespace {

std::unique_ptr<WhisperModel> model_with_window(uint64_t seed) {
  RandomModel random = random_model(kOddDimensions, seed);
  auto model = make_model(random, default_kernels());
  if (model) fill_mel(*model, seed);
  return model;
}

std::vector<Word> finished(Result<std::unique_ptr<WindowWords>> words) {
  if (!EXPECT_TRUE(words.has_value())) return {};
  for (bool is_done = false; !is_done;) {
    auto step = (*words)->step();
    if (!EXPECT_TRUE(step.has_value())) return {};
    is_done = *step;
  }
  return (*words)->words();
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += word.word;
  return text;
}

void expect_contract(const std::vector<Word>& words, double end) {
  double last = 0;
  for (const Word& word : words) {
    EXPECT_GE(word.start, last);
    EXPECT_GT(word.end, word.start);
    EXPECT_LE(word.end, end + 1e-9);
    EXPECT_TRUE(word.probability >= 0 && word.probability <= 1);
    last = word.end;
  }
}

TranscribeOptions in_english() {
  TranscribeOptions options;
  options.decode.language = "en";
  options.word_timestamps = true;
  return options;
}

}  // namespace

SUSURRUS_TEST(words_of_a_known_text_keep_the_contract_and_the_text) {
  auto model = model_with_window(110);
  ASSERT_TRUE(model != nullptr);
  for (uint64_t frames : {74, 51, 30}) {
    const auto words =
        finished(WindowWords::create(*model, in_english(), " one (two), three! ", frames));
    EXPECT_EQ(joined(words), " one (two), three!");
    EXPECT_EQ(words.size(), 3u);  // punctuation is joined
    expect_contract(words, 0.01 * static_cast<double>(frames));
  }
}

SUSURRUS_TEST(words_of_a_known_text_are_plain_in_the_reference) {
  auto model = model_with_window(111);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = in_english();
  options.is_openai_compatible = true;
  options.prepend_punctuations.clear();
  options.append_punctuations.clear();
  const auto words = finished(WindowWords::create(*model, options, "one (two), three!", 74));
  EXPECT_EQ(joined(words), " one (two), three!");
  EXPECT_GT(words.size(), 3u);
  for (const Word& word : words) EXPECT_LE(word.start, word.end);
}

SUSURRUS_TEST(text_that_cannot_be_aligned_is_refused_or_has_no_words) {
  auto model = model_with_window(112);
  ASSERT_TRUE(model != nullptr);
  // 150 positions: 4 for the prompt, one for the end.
  const std::string long_text(145, 'x');
  auto refused = WindowWords::create(*model, in_english(), long_text, 74);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().subject.view(), "text");
  EXPECT_TRUE(WindowWords::create(*model, in_english(), long_text.substr(1), 74).has_value());
  EXPECT_TRUE(finished(WindowWords::create(*model, in_english(), " ", 74)).empty());
  // Less audio than one step of the timestamps.
  EXPECT_TRUE(finished(WindowWords::create(*model, in_english(), "one", 1)).empty());
}

SUSURRUS_TEST(a_language_is_detected_for_a_known_text) {
  auto model = model_with_window(113);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = in_english();
  options.decode.language = "auto";
  options.decode.allowed_languages = {"en"};
  const auto heard = finished(WindowWords::create(*model, options, "one two", 74));
  const auto given = finished(WindowWords::create(*model, in_english(), "one two", 74));
  ASSERT_EQ(heard.size(), given.size());
  for (size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].start, given[i].start);
    EXPECT_EQ(heard[i].probability, given[i].probability);
  }
}

SUSURRUS_TEST(words_of_a_decoded_window_keep_the_contract) {
  size_t count = 0;
  for (uint64_t seed : {114, 115, 116, 117}) {
    auto model = model_with_window(seed);
    ASSERT_TRUE(model != nullptr);
    for (uint64_t frames : {74, 40, 3, 1}) {
      TranscribeOptions options = in_english();
      options.decode.content_frames = frames;
      options.decode.hotwords = {{"one", 15}, {"two", 15}};
      options.decode.break_loops = false;
      auto window = WindowAttempts::create(*model, options.decode, {.temperatures = {0}});
      ASSERT_TRUE(window.has_value());
      for (bool is_done = false; !is_done;) {
        auto step = (*window)->step();
        ASSERT_TRUE(step.has_value());
        is_done = *step;
      }
      const auto words =
          finished(WindowWords::create(*model, options, (*window)->result(), frames));
      expect_contract(words, 0.01 * static_cast<double>(frames));
      count += words.size();
    }
  }
  EXPECT_GT(count, 50u);
}

}  // namespace susurrus::testing::window_words_test
