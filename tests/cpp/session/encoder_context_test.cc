// How much of a window is encoded: by number, by its content, and all of it where what came out is in doubt.
#include "session/encoder_context.h"

#include <algorithm>

#include "session/candidate_scorer.h"
#include "session/language_detector.h"
#include "session/recording_run.h"
#include "session/window_attempts.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::encoder_context_test {
namespace {

/// Windows of 14 s, longer than the least that an automatic choice leaves; as small as it goes elsewhere.
constexpr WhisperDimensions kLongDimensions = {.n_vocab = 1790,
                                               .n_audio_ctx = 700,
                                               .n_text_ctx = 60,
                                               .n_mels = 8,
                                               .n_audio_layer = 1,
                                               .n_text_layer = 1,
                                               .n_audio_head = 1,
                                               .n_text_head = 1,
                                               .n_audio_state = 4,
                                               .n_text_state = 4};
constexpr EncoderContext kAutomatic = {.is_automatic = true};

std::unique_ptr<WhisperModel> long_model(uint64_t seed) {
  RandomModel random = random_model(kLongDimensions, seed);
  return make_model(random, default_kernels());
}

/// Everything but these is never chosen.
void choose_only(DecodeOptions& options, const std::vector<uint32_t>& tokens) {
  options.suppress_blank = false;
  options.suppress_tokens.emplace();
  for (uint32_t id = 0; id < kLongDimensions.n_vocab; ++id) {
    if (std::ranges::find(tokens, id) == tokens.end()) options.suppress_tokens->push_back(id);
  }
}

template <typename Work>
void finish(Work& work) {
  for (bool is_done = false; !is_done;) {
    auto step = work.step();
    if (!EXPECT_TRUE(step.has_value())) return;
    is_done = *step;
  }
}

std::unique_ptr<WindowAttempts> decoded(WhisperModel& model, const TranscribeOptions& options) {
  auto attempts = WindowAttempts::create(model, options.decode, options.fallback);
  if (!EXPECT_TRUE(attempts.has_value())) return nullptr;
  finish(**attempts);
  return std::move(attempts).value();
}

}  // namespace

SUSURRUS_TEST(an_automatic_context_has_room_for_the_content_and_some_silence) {
  auto model = long_model(1);
  ASSERT_TRUE(model != nullptr);
  uint32_t last = 0;
  bool is_shorter = false;
  for (uint64_t frames = 0; frames <= 1400; ++frames) {
    const uint32_t positions = kAutomatic.fitted(*model, frames).positions;
    EXPECT_GE(positions, last);
    EXPECT_LE(positions, 700u);
    if (positions < 700) {
      is_shorter = true;
      EXPECT_EQ(positions % 64, 0u);
      EXPECT_GE(2 * uint64_t{positions}, frames + 2 * kLeastAudioMargin);
    }
    last = positions;
  }
  EXPECT_TRUE(is_shorter);
  EXPECT_EQ(last, 700u);
  EXPECT_EQ(kAutomatic.window_frames(*model), 1400u);
  // Numbers are as they are.
  const EncoderContext fixed = {.positions = 5};
  EXPECT_EQ(fixed.fitted(*model, 1000).positions, 5u);
  EXPECT_EQ(fixed.window_frames(*model), 10u);
  EXPECT_EQ(EncoderContext().window_frames(*model), 1400u);
  EXPECT_EQ(EncoderContext().fitted(*model, 10).positions, 0u);
}

SUSURRUS_TEST(more_positions_than_the_model_has_are_refused) {
  auto model = long_model(1);
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 1);
  TranscribeOptions options = plain_options("en");
  for (uint32_t positions : {1u, 700u, 701u, 65535u}) {
    options.decode.encoder_context = {.positions = positions};
    auto attempts = WindowAttempts::create(*model, options.decode, options.fallback);
    auto transcriber = Transcriber::create(*model, options, 16000);
    auto scorer = CandidateScorer::create(*model, options.decode, {"a"});
    EXPECT_EQ(attempts.has_value(), positions <= 700);
    EXPECT_EQ(transcriber.has_value(), positions <= 700);
    EXPECT_EQ(scorer.has_value(), positions <= 700);
    if (attempts) continue;
    EXPECT_EQ(attempts.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(attempts.error().subject.view(), "encoderContext");
    EXPECT_EQ(attempts.error().expected.view(), "at most 700 positions");
  }
}

SUSURRUS_TEST(a_shortened_window_without_doubt_is_encoded_once) {
  auto model = long_model(2);
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 2);
  TranscribeOptions options = plain_options("en");
  options.fallback = {};
  choose_only(options.decode, {model->special_tokens().end_of_text});
  options.decode.encoder_context = {.positions = 450, .is_automatic = true};
  const auto attempts = decoded(*model, options);
  ASSERT_TRUE(attempts != nullptr);
  EXPECT_EQ(model->encoded_positions(), 450u);
  ASSERT_EQ(attempts->attempts().size(), 1u);
  EXPECT_EQ(attempts->attempts()[0].encoder_context, 450u);
  EXPECT_EQ(attempts->result().encoder_context, 450u);
  EXPECT_TRUE(attempts->decision() == Decision::kept);
}

SUSURRUS_TEST(three_tokens_that_come_twice_are_no_reason_for_doubt) {
  bool is_once = false;
  for (uint64_t seed = 1; seed < 40 && !is_once; ++seed) {
    auto model = long_model(seed);
    ASSERT_TRUE(model != nullptr);
    fill_mel(*model, seed);
    TranscribeOptions options = plain_options("en", false);
    choose_only(options.decode, {model->special_tokens().end_of_text});
    options.decode.encoder_context = {.positions = 450, .is_automatic = true};
    options.decode.break_loops = false;
    options.decode.allowed = {"abcdxabc"};
    const auto attempts = decoded(*model, options);
    ASSERT_TRUE(attempts != nullptr);
    // Some models say the phrase again and again, or not at all.
    is_once = attempts->attempts()[0].text == "abcdxabc";
    if (is_once) EXPECT_EQ(attempts->attempts().size(), 1u);
  }
  EXPECT_TRUE(is_once);
}

SUSURRUS_TEST(a_doubtful_text_is_decoded_again_in_full_from_the_first_temperature) {
  auto model = long_model(3);
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 3);
  const uint32_t first_timestamp = model->special_tokens().timestamp_begin;
  struct Doubt {
    const char* name;
    FallbackOptions fallback;
    std::vector<uint32_t> tokens;
    bool break_loops = false;
    std::vector<std::string> allowed = {};
  };
  const FallbackOptions off = {{0, 0.5}, std::nullopt, std::nullopt, std::nullopt};
  FallbackOptions improbable = off;
  improbable.logprob_threshold = 1;
  FallbackOptions silent = improbable;
  silent.no_speech_threshold = 0;
  FallbackOptions compressible = off;
  compressible.compression_ratio_threshold = 0;
  const std::vector<uint32_t> end = {model->special_tokens().end_of_text};
  const Doubt doubts[] = {
      {"improbable", improbable, end},
      {"silent", silent, end},
      // Unfinished too: a text that ends at once has a ratio of 0, which is above no threshold.
      {"compressible", compressible, {'a'}},
      {"unfinished", off, {'a'}},
      {"loop", off, {'a'}, true},
      {"late", off, {first_timestamp + 450 - kLeastAudioMargin + 1, end[0]}},
      {"twice", off, end, false, {"abcdxabcd"}},
  };
  for (const Doubt& doubt : doubts) {
    const bool has_timestamps = doubt.tokens[0] >= first_timestamp;
    TranscribeOptions options = plain_options("en", has_timestamps);
    options.fallback = doubt.fallback;
    options.decode.break_loops = doubt.break_loops;
    options.decode.allowed = doubt.allowed;
    options.decode.has_no_max_initial_timestamp = true;
    options.decode.seed = 7;
    choose_only(options.decode, doubt.tokens);
    const auto full = decoded(*model, options);
    options.decode.encoder_context = {.positions = 450, .is_automatic = true};
    const auto attempts = decoded(*model, options);
    ASSERT_TRUE(full != nullptr && attempts != nullptr);
    EXPECT_EQ(model->encoded_positions(), 700u);
    // One more than without, and then the same.
    if (!EXPECT_EQ(attempts->attempts().size(), full->attempts().size() + 1)) {
      report_failure(__FILE__, __LINE__, doubt.name);
      continue;
    }
    EXPECT_TRUE(attempts->decision() == Decision::retried_encoder_context);
    EXPECT_EQ(attempts->attempts()[0].encoder_context, 450u);
    EXPECT_EQ(attempts->result().encoder_context, 700u);
    EXPECT_TRUE(attempts->result().tokens == full->result().tokens);
    EXPECT_EQ(attempts->result().avg_logprob, full->result().avg_logprob);
    for (size_t i = 0; i < full->attempts().size(); ++i) {
      const Attempt& attempt = attempts->attempts()[i + 1];
      EXPECT_EQ(attempt.encoder_context, 700u);
      EXPECT_EQ(attempt.temperature, full->attempts()[i].temperature);
      EXPECT_EQ(attempt.text, full->attempts()[i].text);
      EXPECT_TRUE(attempt.decision == full->attempts()[i].decision);
    }
    // A number is used as it is, whatever the text.
    options.decode.encoder_context.is_automatic = false;
    const auto fixed = decoded(*model, options);
    ASSERT_TRUE(fixed != nullptr);
    EXPECT_EQ(fixed->result().encoder_context, 450u);
    EXPECT_EQ(fixed->attempts().size(), full->attempts().size());
  }
}

SUSURRUS_TEST(a_recording_is_heard_in_windows_of_the_number_asked_for) {
  auto model = small_model(31);
  ASSERT_TRUE(model != nullptr);
  for (const char* language : {"en", "auto"}) {
    for (uint32_t positions : {1u, 10u, 37u}) {
      for (Feed feed : {Feed::whole, Feed::stream}) {
        TranscribeOptions options = plain_options(language);
        options.normalization = Normalization::window;
        options.word_timestamps = true;
        options.decode.encoder_context = {.positions = positions};
        choose_only(options.decode, {model->special_tokens().end_of_text});
        options.decode.timestamps = false;
        const Outcome outcome = transcribe(*model, options, noise(11840), feed);
        // 74 frames.
        const uint64_t windows = (74 + 2 * positions - 1) / (2 * positions);
        ASSERT_EQ(outcome.segments.size(), windows);
        for (size_t i = 0; i < windows; ++i) {
          EXPECT_EQ(outcome.segments[i].seek, i * 2 * positions);
          EXPECT_EQ(outcome.segments[i].encoder_context, positions);
        }
        for (const AudioRequest& request : outcome.requests) {
          EXPECT_LE(request.end - request.begin, uint64_t{2} * positions * 160 + 400);
        }
      }
    }
  }
}

SUSURRUS_TEST(a_number_that_is_all_of_them_changes_nothing) {
  auto model = small_model(32);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("auto");
  options.word_timestamps = true;
  const std::vector<float> samples = noise(30000);
  const Outcome plain = transcribe(*model, options, samples);
  for (const EncoderContext context : {EncoderContext{.positions = 37}, kAutomatic}) {
    options.decode.encoder_context = context;
    const Outcome outcome = transcribe(*model, options, samples);
    EXPECT_EQ(outcome.text, plain.text);
    EXPECT_EQ(outcome.language, plain.language);
    ASSERT_EQ(outcome.segments.size(), plain.segments.size());
    for (size_t i = 0; i < plain.segments.size(); ++i) {
      EXPECT_TRUE(outcome.segments[i].tokens == plain.segments[i].tokens);
      EXPECT_EQ(outcome.segments[i].avg_logprob, plain.segments[i].avg_logprob);
      EXPECT_EQ(outcome.segments[i].encoder_context, 37u);
    }
  }
}

SUSURRUS_TEST(only_the_rest_of_a_recording_is_shortened) {
  auto model = long_model(4);
  ASSERT_TRUE(model != nullptr);
  // Windows of 14 s.
  const std::vector<float> samples = noise(16000 * 31);
  for (Feed feed : {Feed::whole, Feed::stream}) {
    for (const char* language : {"en", "auto"}) {
      TranscribeOptions options = plain_options(language, false);
      options.normalization = Normalization::window;
      options.decode.encoder_context = kAutomatic;
      choose_only(options.decode, {model->special_tokens().end_of_text});
      const Outcome outcome = transcribe(*model, options, samples, feed);
      ASSERT_EQ(outcome.segments.size(), 3u);
      EXPECT_EQ(outcome.segments[0].encoder_context, 700u);
      EXPECT_EQ(outcome.segments[1].encoder_context, 700u);
      // 3 s and the margin, in steps of 64.
      EXPECT_EQ(outcome.segments[2].encoder_context, 448u);
      EXPECT_TRUE(outcome.segments[2].decision == Decision::kept);
    }
  }
}

SUSURRUS_TEST(an_improbable_language_is_asked_for_again_in_full) {
  bool is_doubted = false;
  bool is_believed = false;
  for (uint64_t seed = 1; seed < 40 && !(is_doubted && is_believed); ++seed) {
    auto model = long_model(seed);
    ASSERT_TRUE(model != nullptr);
    fill_mel(*model, seed);
    encode(*model, 400);
    LanguageDetector plain(*model, {});
    finish(plain);
    encode(*model);
    LanguageDetector whole(*model, {});
    finish(whole);
    // The probability is that among all languages of the model, not just the allowed ones.
    const uint32_t german = *model->special_tokens().language_token("de");
    encode(*model, 400);
    LanguageDetector detector(*model, {german}, {.positions = 400, .is_automatic = true});
    finish(detector);
    ASSERT_EQ(detector.probabilities()[0].token, german);
    const auto probability = [german](const LanguageDetector& each) {
      return std::ranges::find(each.probabilities(), german, &LanguageProbability::token)
          ->probability;
    };
    const bool is_sure = probability(plain) >= 0.5f;
    (is_sure ? is_believed : is_doubted) = true;
    EXPECT_EQ(model->encoded_positions(), is_sure ? 400u : 700u);
    EXPECT_EQ(detector.probabilities()[0].probability, probability(is_sure ? plain : whole));
  }
  EXPECT_TRUE(is_doubted);
  EXPECT_TRUE(is_believed);
}

}  // namespace susurrus::testing::encoder_context_test
