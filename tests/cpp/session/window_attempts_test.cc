// When a window is tried again, at which temperature, and what is said of it.
#include "session/window_attempts.h"

#include <algorithm>

#include "whisper/encoded_model.h"

namespace susurrus::testing::window_attempts_test {
namespace {

struct Outcome {
  WindowResult result;
  std::vector<Attempt> attempts;
  Decision decision = Decision::kept;
  bool is_silence = false;
};

std::unique_ptr<WhisperModel> model_with_window(uint64_t seed) {
  RandomModel random = random_model(kOddDimensions, seed);
  auto model = make_model(random, default_kernels());
  if (model) fill_mel(*model, seed);
  return model;
}

Outcome tried(WhisperModel& model, const DecodeOptions& options, const FallbackOptions& fallback) {
  Outcome outcome;
  auto attempts = WindowAttempts::create(model, options, fallback);
  if (!EXPECT_TRUE(attempts.has_value())) return outcome;
  for (bool is_done = false; !is_done;) {
    auto step = (*attempts)->step();
    if (!EXPECT_TRUE(step.has_value())) return outcome;
    is_done = *step;
  }
  outcome.result = (*attempts)->result();
  outcome.attempts = (*attempts)->attempts();
  outcome.decision = (*attempts)->decision();
  outcome.is_silence = (*attempts)->is_silence();
  return outcome;
}

/// Accepts every quality: nothing is tried again.
FallbackOptions lenient() {
  FallbackOptions fallback;
  fallback.compression_ratio_threshold.reset();
  fallback.logprob_threshold.reset();
  fallback.no_speech_threshold.reset();
  return fallback;
}

DecodeOptions without_loops() {
  DecodeOptions options;
  options.break_loops = false;
  return options;
}

/// Any other token is suppressed, the end too.
DecodeOptions hearing_only(const WhisperModel& model, const std::vector<std::string>& texts) {
  std::vector<uint32_t> heard;
  for (const std::string& text : texts) {
    const std::vector<uint32_t> tokens = model.tokenizer().encode(text);
    heard.insert(heard.end(), tokens.begin(), tokens.end());
  }
  DecodeOptions options;
  options.timestamps = false;
  options.suppress_tokens.emplace();
  for (uint32_t token = 0; token < model.dimensions().n_vocab; ++token) {
    if (std::ranges::find(heard, token) == heard.end()) options.suppress_tokens->push_back(token);
  }
  return options;
}

void expect_retries(const Outcome& outcome, size_t count, Decision decision) {
  ASSERT_EQ(outcome.attempts.size(), count);
  EXPECT_TRUE(outcome.decision == (count > 1 ? decision : Decision::kept));
  const FallbackOptions defaults;
  for (size_t i = 0; i < count; ++i) {
    const Attempt& attempt = outcome.attempts[i];
    EXPECT_EQ(attempt.temperature, defaults.temperatures[i]);
    // However bad, the last one is what there is.
    EXPECT_TRUE(attempt.decision == (i + 1 < count ? decision : Decision::kept));
  }
  EXPECT_EQ(outcome.result.temperature, outcome.attempts.back().temperature);
  EXPECT_EQ(outcome.result.text, outcome.attempts.back().text);
  EXPECT_EQ(outcome.result.avg_logprob, outcome.attempts.back().avg_logprob);
}

}  // namespace

SUSURRUS_TEST(attempts_go_on_until_one_is_good_enough) {
  auto model = model_with_window(90);
  ASSERT_TRUE(model != nullptr);
  FallbackOptions fallback = lenient();
  expect_retries(tried(*model, without_loops(), fallback), 1, Decision::kept);
  fallback.logprob_threshold = 1;  // no log probability reaches it
  expect_retries(tried(*model, without_loops(), fallback), 6, Decision::retried_log_probability);
  // Too repetitive comes first.
  fallback.compression_ratio_threshold = 0;
  expect_retries(tried(*model, without_loops(), fallback), 6, Decision::retried_compression_ratio);
  // One that lies between the first attempt and a later one.
  fallback = lenient();
  const std::vector<Attempt> attempts = [&] {
    FallbackOptions all = fallback;
    all.logprob_threshold = 1;
    return tried(*model, without_loops(), all).attempts;
  }();
  size_t better = 1;
  while (better < 6 && attempts[better].avg_logprob <= attempts[0].avg_logprob) ++better;
  if (better < 6) {
    fallback.logprob_threshold = attempts[better].avg_logprob;
    expect_retries(tried(*model, without_loops(), fallback), better + 1,
                   Decision::retried_log_probability);
  }
}

SUSURRUS_TEST(the_most_probable_attempt_stands_where_none_is_good_enough) {
  bool is_last_everywhere = true;
  for (uint64_t seed = 90; seed < 94; ++seed) {
    auto model = model_with_window(seed);
    ASSERT_TRUE(model != nullptr);
    FallbackOptions fallback = lenient();
    fallback.logprob_threshold = 1;
    fallback.keeps_best = true;
    const Outcome outcome = tried(*model, without_loops(), fallback);
    ASSERT_EQ(outcome.attempts.size(), 6u);
    EXPECT_TRUE(outcome.decision == Decision::retried_log_probability);
    for (const Attempt& attempt : outcome.attempts) {
      EXPECT_LE(attempt.avg_logprob, outcome.result.avg_logprob);
      const bool is_chosen = attempt.temperature == outcome.result.temperature;
      EXPECT_TRUE(attempt.decision ==
                  (is_chosen ? Decision::kept : Decision::retried_log_probability));
      if (is_chosen) EXPECT_EQ(attempt.text, outcome.result.text);
    }
    is_last_everywhere &= outcome.result.temperature == 1;
    // A repetitive text is worse than any other.
    fallback.compression_ratio_threshold = static_cast<double>(outcome.result.compression_ratio);
    const Outcome less = tried(*model, without_loops(), fallback);
    EXPECT_LE(less.result.compression_ratio, outcome.result.compression_ratio);
  }
  EXPECT_FALSE(is_last_everywhere);
}

SUSURRUS_TEST(a_value_at_its_threshold_is_good_enough) {
  auto model = model_with_window(91);
  ASSERT_TRUE(model != nullptr);
  FallbackOptions fallback = lenient();
  const WindowResult first = tried(*model, without_loops(), fallback).result;
  fallback.compression_ratio_threshold = static_cast<double>(first.compression_ratio);
  fallback.logprob_threshold = static_cast<double>(first.avg_logprob);
  EXPECT_EQ(tried(*model, without_loops(), fallback).attempts.size(), 1u);
  fallback.logprob_threshold = first.avg_logprob + 1e-6;
  EXPECT_GT(tried(*model, without_loops(), fallback).attempts.size(), 1u);
}

SUSURRUS_TEST(silence_is_not_tried_again) {
  auto model = model_with_window(92);
  ASSERT_TRUE(model != nullptr);
  FallbackOptions fallback = lenient();
  fallback.logprob_threshold = 1;
  fallback.compression_ratio_threshold = 0;
  fallback.no_speech_threshold = 0;
  Outcome outcome = tried(*model, without_loops(), fallback);
  EXPECT_EQ(outcome.attempts.size(), 1u);
  EXPECT_TRUE(outcome.decision == Decision::kept);
  EXPECT_TRUE(outcome.is_silence);
  // Without the other threshold it is silence whatever the text, but no reason to stop.
  fallback.logprob_threshold.reset();
  outcome = tried(*model, without_loops(), fallback);
  EXPECT_EQ(outcome.attempts.size(), 6u);
  EXPECT_TRUE(outcome.is_silence);
  // Text that is probable enough is speech.
  fallback.logprob_threshold = -1000;
  EXPECT_FALSE(tried(*model, without_loops(), fallback).is_silence);
  fallback.no_speech_threshold.reset();
  fallback.logprob_threshold = 1;
  EXPECT_FALSE(tried(*model, without_loops(), fallback).is_silence);
}

SUSURRUS_TEST(loops_are_tried_again_as_long_as_there_is_a_temperature) {
  auto model = model_with_window(70);
  ASSERT_TRUE(model != nullptr);
  // Nothing else can be heard, at any temperature.
  DecodeOptions options = hearing_only(*model, {"a"});
  FallbackOptions fallback = lenient();
  const Outcome outcome = tried(*model, options, fallback);
  expect_retries(outcome, 6, Decision::retried_repetition);
  EXPECT_TRUE(outcome.result.is_loop_broken);
  options.break_loops = false;
  expect_retries(tried(*model, options, fallback), 1, Decision::kept);
}

SUSURRUS_TEST(an_attempt_that_loses_the_rest_of_the_window_is_the_best_only_of_such) {
  size_t cut_count = 0;
  for (uint64_t seed = 70; seed < 76; ++seed) {
    auto model = model_with_window(seed);
    ASSERT_TRUE(model != nullptr);
    // With little to choose from, the most probable text goes in circles and a drawn one does not.
    const DecodeOptions options = hearing_only(*model, {"abcdefgh"});
    FallbackOptions fallback = lenient();
    fallback.logprob_threshold = 1;
    fallback.keeps_best = true;
    fallback.temperatures = {0, 1};
    const Outcome outcome = tried(*model, options, fallback);
    ASSERT_EQ(outcome.attempts.size(), 2u);
    if (!outcome.result.is_loop_broken) continue;
    ++cut_count;
    // Far below the threshold, the drawn one is not believed.
    EXPECT_EQ(outcome.result.temperature, 0.0);
    fallback.logprob_threshold = outcome.attempts[1].avg_logprob + 0.1;
    const Outcome believed = tried(*model, options, fallback);
    EXPECT_TRUE(believed.attempts[0].avg_logprob > believed.result.avg_logprob);
    EXPECT_FALSE(believed.result.is_loop_broken);
    EXPECT_EQ(believed.result.temperature, 1.0);
  }
  EXPECT_GT(cut_count, 0u);
}

SUSURRUS_TEST(an_attempt_that_ends_inside_a_character_is_the_best_only_of_such) {
  size_t inside_count = 0;
  for (uint64_t seed = 70; seed < 82; ++seed) {
    auto model = model_with_window(seed);
    ASSERT_TRUE(model != nullptr);
    // The first byte of a character, and a letter: texts end inside a character or do not, by chance.
    DecodeOptions options = hearing_only(*model, {"\xe6", "a"});
    options.sample_length = 3;
    FallbackOptions fallback = lenient();
    fallback.logprob_threshold = 1;
    fallback.keeps_best = true;
    const Outcome outcome = tried(*model, options, fallback);
    size_t whole = 0;
    float most_probable = -1000;
    const auto is_inside = [](const Attempt& attempt) {
      return attempt.text.ends_with("\xef\xbf\xbd");
    };
    for (const Attempt& attempt : outcome.attempts) {
      whole += is_inside(attempt) ? 0 : 1;
      most_probable = std::max(most_probable, attempt.avg_logprob);
    }
    if (whole == 0) continue;
    EXPECT_FALSE(outcome.result.text.ends_with("\xef\xbf\xbd"));
    if (most_probable > outcome.result.avg_logprob) ++inside_count;
  }
  EXPECT_GT(inside_count, 0u);
}

SUSURRUS_TEST(hot_words_that_make_text_go_in_circles_are_lowered_then_left_out) {
  auto model = model_with_window(70);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  options.timestamps = false;
  FallbackOptions fallback = lenient();
  for (bool keeps_best : {false, true}) {
    fallback.keeps_best = keeps_best;
    options.hotwords.clear();
    const Outcome without = tried(*model, options, fallback);
    EXPECT_FALSE(without.result.is_loop_broken);
    ASSERT_EQ(without.attempts.size(), 1u);
    // Nothing else is worth hearing, with half the weight either.
    options.hotwords = {{"two", 20}, {"three", -1}};
    const Outcome outcome = tried(*model, options, fallback);
    ASSERT_EQ(outcome.attempts.size(), 3u);
    for (const Attempt& attempt : outcome.attempts) EXPECT_EQ(attempt.temperature, 0.0);
    EXPECT_TRUE(outcome.decision == Decision::retried_repetition);
    EXPECT_TRUE(outcome.attempts[1].decision == Decision::retried_repetition);
    EXPECT_TRUE(outcome.attempts[2].decision == Decision::kept);
    EXPECT_EQ(outcome.result.text, without.result.text);
  }
  // A loop that they have nothing to do with goes on to the next temperature.
  options = hearing_only(*model, {"a"});
  options.hotwords = {{"three", -1}};
  EXPECT_EQ(tried(*model, options, fallback).attempts.size(), 6u);
  options.hotwords = {{"three", 1}};
  EXPECT_EQ(tried(*model, options, fallback).attempts.size(), 8u);
}

SUSURRUS_TEST(beams_are_for_temperature_zero_and_samples_for_the_others) {
  auto model = model_with_window(93);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options = without_loops();
  options.beam_size = 3;
  options.patience = 2;
  options.best_of = 4;
  FallbackOptions fallback = lenient();
  fallback.logprob_threshold = 1;
  const Outcome all = tried(*model, options, fallback);
  EXPECT_EQ(all.attempts.size(), 6u);
  fallback.temperatures = {0};
  options.best_of = 1;
  EXPECT_EQ(tried(*model, options, fallback).result.text, all.attempts[0].text);
}

SUSURRUS_TEST(attempts_are_repeatable_and_seeded) {
  auto model = model_with_window(94);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options = without_loops();
  FallbackOptions fallback = lenient();
  fallback.logprob_threshold = 1;
  fallback.temperatures = {0.8, 0.9, 1};
  const Outcome first = tried(*model, options, fallback);
  const Outcome again = tried(*model, options, fallback);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(first.attempts[i].text, again.attempts[i].text);
  options.seed = 1;
  EXPECT_FALSE(tried(*model, options, fallback).result.tokens == first.result.tokens);
}

SUSURRUS_TEST(wrong_temperatures_are_refused) {
  auto model = model_with_window(95);
  ASSERT_TRUE(model != nullptr);
  for (const std::vector<double>& temperatures :
       {std::vector<double>{}, {0.2, 0.1}, {-1}, {0, 2}}) {
    FallbackOptions fallback;
    fallback.temperatures = temperatures;
    auto refused = WindowAttempts::create(*model, {}, fallback);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().subject.view(), "temperature");
  }
}

}  // namespace susurrus::testing::window_attempts_test
