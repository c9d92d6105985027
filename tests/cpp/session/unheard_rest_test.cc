// Sound after a text that ended early: it is heard apart, and nothing of it vanishes.
#include <algorithm>

#include "session/recording_run.h"
#include "whisper/encoded_model.h"
#include "whisper/random_model.h"

namespace susurrus::testing::unheard_rest_test {
namespace {

/// A window is 5 s: long enough for sound that counts.
constexpr uint64_t kWindowFrames = 500;
constexpr size_t kWindowSamples = kWindowFrames * 160;

std::unique_ptr<WhisperModel> model_of(uint64_t seed) {
  WhisperDimensions dimensions = kOddDimensions;
  dimensions.n_audio_ctx = kWindowFrames / 2;
  RandomModel random = random_model(dimensions, seed);
  return make_model(random, default_kernels());
}

/// Every text is "a", from 0 to 0.5 s of its window, or is not closed.
TranscribeOptions short_texts(const WhisperModel& model) {
  const uint32_t zero = model.special_tokens().timestamp_begin;
  TranscribeOptions options = plain_options("en");
  options.condition_on_previous_text = false;
  options.decode.sample_length = 3;
  options.decode.suppress_tokens.emplace();
  for (uint32_t id = 0; id < model.dimensions().n_vocab; ++id) {
    if (id != 'a' && id != zero && id != zero + 25) options.decode.suppress_tokens->push_back(id);
  }
  return options;
}

std::vector<uint64_t> seeks(const std::vector<Segment>& segments) {
  std::vector<uint64_t> found;
  for (const Segment& segment : segments) found.push_back(segment.seek);
  return found;
}

/// A model that closes every text of such a recording at once; found by trying, natively with the first.
std::unique_ptr<WhisperModel> hasty_model(const std::vector<float>& samples) {
  for (uint64_t seed = 52; seed < 150; ++seed) {
    auto model = model_of(seed);
    if (!EXPECT_TRUE(model != nullptr)) return nullptr;
    const Outcome outcome = transcribe(*model, short_texts(*model), samples);
    const bool is_hasty = std::ranges::all_of(outcome.segments, [](const Segment& each) {
      return each.end <= static_cast<double>(each.seek) / 100 + 0.6;
    });
    if (!outcome.segments.empty() && is_hasty) return model;
  }
  report_failure(__FILE__, __LINE__, "no such model");
  return nullptr;
}

}  // namespace

SUSURRUS_TEST(sound_after_a_windows_text_is_heard) {
  const std::vector<float> samples = noise(2 * kWindowSamples);
  auto model = hasty_model(samples);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = short_texts(*model);
  const Outcome outcome = transcribe(*model, options, samples);
  // On and on, while two seconds of sound are left in the window. The next one is where it would be without that.
  const auto expect_rests = [](const Outcome& heard) {
    for (uint64_t seek : {0, 50, 500, 550}) {
      EXPECT_TRUE(std::ranges::contains(seeks(heard.segments), seek));
    }
  };
  expect_rests(outcome);
  expect_time_contract(outcome, 10);
  TranscribeOptions stream = options;
  stream.normalization = Normalization::window;
  expect_rests(transcribe(*model, stream, samples, Feed::stream));

  // The reference takes the end of the text for that of the window.
  options.is_openai_compatible = true;
  EXPECT_TRUE(seeks(transcribe(*model, options, samples).segments) ==
              std::vector<uint64_t>({0, kWindowFrames}));
}

SUSURRUS_TEST(nothing_is_heard_after_a_text_that_silence_follows) {
  std::vector<float> samples = noise(2 * kWindowSamples);
  auto model = hasty_model(samples);
  ASSERT_TRUE(model != nullptr);
  std::fill(samples.begin() + 16'000, samples.begin() + kWindowSamples, 0.0f);
  const Outcome outcome = transcribe(*model, short_texts(*model), samples);
  ASSERT_TRUE(EXPECT_LT(1u, outcome.segments.size()));
  EXPECT_EQ(outcome.segments[0].seek, 0u);
  EXPECT_EQ(outcome.segments[1].seek, kWindowFrames);
}

SUSURRUS_TEST(improbable_text_of_what_was_passed_over_is_rejected_up_to_the_next_window) {
  const std::vector<float> samples = noise(2 * kWindowSamples);
  auto model = hasty_model(samples);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = short_texts(*model);
  // Good enough for a window, and not for what is left of one.
  float least = 0;
  for (const Segment& segment : transcribe(*model, options, samples).segments) {
    least = std::min(least, segment.avg_logprob);
  }
  options.fallback.logprob_threshold = least - 0.01;
  const Outcome outcome = transcribe(*model, options, samples);
  // Windows go on as if there had been no rest.
  EXPECT_TRUE(seeks(outcome.segments) == std::vector<uint64_t>({0, kWindowFrames}));
  ASSERT_EQ(outcome.rejected.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Segment& rest = outcome.rejected[i];
    EXPECT_TRUE(rest.decision == Decision::dropped_no_speech);
    EXPECT_EQ(rest.seek, i * kWindowFrames + 50);
    EXPECT_EQ(rest.text, "a");
    EXPECT_EQ(rest.attempts.size(), 1u);
  }
  for (const Outcome::State& state : outcome.states) {
    const Outcome resumed = resume(*model, options, samples, Feed::whole, outcome, state);
    EXPECT_TRUE(seeks(resumed.segments) == seeks(outcome.segments));
    EXPECT_TRUE(seeks(resumed.rejected) == seeks(outcome.rejected));
  }
}

SUSURRUS_TEST(what_was_passed_over_does_not_only_repeat_the_text_before_it) {
  const std::vector<float> samples = noise(kWindowSamples);
  auto model = hasty_model(samples);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = short_texts(*model);
  options.condition_on_previous_text = true;
  const Outcome outcome = transcribe(*model, options, samples);
  EXPECT_TRUE(seeks(outcome.segments) == std::vector<uint64_t>({0}));
  ASSERT_EQ(outcome.rejected.size(), 1u);
  EXPECT_TRUE(outcome.rejected[0].decision == Decision::dropped_repetition);
  EXPECT_EQ(outcome.rejected[0].seek, 50u);
}

}  // namespace susurrus::testing::unheard_rest_test
