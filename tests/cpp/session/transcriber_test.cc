// Whole recordings on a small random model: their text and language, what is dropped, and what
// streams request.
#include "session/transcriber.h"

#include <algorithm>

#include "session/allocation_count.h"
#include "session/recording_run.h"
#include "whisper/random_model.h"

namespace susurrus::testing::transcriber_test {
namespace {

constexpr uint64_t kWindowFrames = 2 * kOddDimensions.n_audio_ctx;
constexpr double kWindowSeconds = kWindowFrames / 100.0;

/// Everything but these is never chosen.
TranscribeOptions only(const WhisperModel& model, std::vector<uint32_t> tokens) {
  TranscribeOptions options = plain_options("en", false);
  options.decode.suppress_blank = false;
  options.decode.suppress_tokens.emplace();
  for (uint32_t id = 0; id < model.dimensions().n_vocab; ++id) {
    if (std::ranges::find(tokens, id) != tokens.end()) continue;
    options.decode.suppress_tokens->push_back(id);
  }
  return options;
}

void expect_equal_segments(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.language, b.language);
  EXPECT_EQ(a.rejected.size(), b.rejected.size());
  if (!EXPECT_EQ(a.segments.size(), b.segments.size())) return;
  for (size_t i = 0; i < a.segments.size(); ++i) {
    EXPECT_EQ(a.segments[i].start, b.segments[i].start);
    EXPECT_EQ(a.segments[i].end, b.segments[i].end);
    EXPECT_TRUE(a.segments[i].tokens == b.segments[i].tokens);
    EXPECT_EQ(a.segments[i].avg_logprob, b.segments[i].avg_logprob);
  }
}

ErrorCode refusal(WhisperModel& model, const TranscribeOptions& options,
                  std::optional<uint64_t> sample_count, std::string_view subject) {
  auto refused = Transcriber::create(model, options, sample_count);
  if (refused) return ErrorCode::ok;
  EXPECT_EQ(refused.error().subject.view(), subject);
  return refused.error().code;
}

}  // namespace

SUSURRUS_TEST(recordings_of_any_length_come_to_an_end) {
  for (uint64_t seed : {21, 22, 23}) {
    auto model = small_model(seed);
    ASSERT_TRUE(model != nullptr);
    for (size_t count : {0, 1, 159, 160, 5000, 11840, 11841, 40000}) {
      for (bool timestamps : {false, true}) {
        for (bool is_compatible : {false, true}) {
          TranscribeOptions options = plain_options("auto", timestamps);
          options.is_openai_compatible = is_compatible;
          const Outcome outcome = transcribe(*model, options, noise(count));
          EXPECT_TRUE(outcome.is_done);
          EXPECT_TRUE(outcome.language == "en" || outcome.language == "de");
          EXPECT_EQ(outcome.segments.empty() && outcome.rejected.empty(), count < 160);
          for (const Segment& segment : outcome.segments) {
            EXPECT_LT(segment.seek, count / 160);
            EXPECT_EQ(segment.token_probabilities.size(), segment.tokens.size());
            EXPECT_EQ(segment.language.view(), outcome.language);
          }
          if (!is_compatible) expect_time_contract(outcome, static_cast<double>(count) / 16000);
        }
      }
    }
  }
}

SUSURRUS_TEST(the_text_is_that_of_all_segments_in_one_piece) {
  auto model = small_model(21);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("en");
  options.decode.prompt = {'a', 'b'};
  const Outcome outcome = transcribe(*model, options, noise(40000));
  std::vector<uint32_t> tokens;
  for (const Segment& segment : outcome.segments) {
    tokens.insert(tokens.end(), segment.tokens.begin(), segment.tokens.end());
  }
  EXPECT_FALSE(tokens.empty());
  EXPECT_EQ(outcome.text, model->tokenizer().decode(tokens));
}

SUSURRUS_TEST(a_window_without_tokens_does_not_end_the_recording) {
  auto model = small_model(22);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = only(*model, {model->special_tokens().end_of_text});
  for (bool is_compatible : {false, true}) {
    options.is_openai_compatible = is_compatible;
    const Outcome outcome = transcribe(*model, options, noise(30000));
    // 187 frames in windows of 74.
    ASSERT_EQ(outcome.segments.size(), 3u);
    EXPECT_NEAR(outcome.segments[1].start, kWindowSeconds, 1e-9);
    EXPECT_NEAR(outcome.segments[2].end, 1.87, 1e-9);
    EXPECT_EQ(outcome.text, "");
    EXPECT_TRUE(outcome.rejected.empty());
  }
}

SUSURRUS_TEST(a_window_that_leads_nowhere_is_left) {
  auto model = small_model(23);
  ASSERT_TRUE(model != nullptr);
  // <|0.00|><|0.00|>… says to go on at 0.
  TranscribeOptions options = only(*model, {model->special_tokens().timestamp_begin});
  options.is_openai_compatible = true;
  const Outcome outcome = transcribe(*model, options, noise(30000));
  ASSERT_FALSE(outcome.segments.empty());
  EXPECT_EQ(outcome.segments.back().seek, 2 * kWindowFrames);
}

SUSURRUS_TEST(a_window_is_heard_again_while_its_prompt_changes) {
  auto model = small_model(23);
  ASSERT_TRUE(model != nullptr);
  // The reference would decode it again without the initial prompt, and then for ever.
  TranscribeOptions options = only(*model, {model->special_tokens().timestamp_begin});
  options.is_openai_compatible = true;
  options.decode.sample_length = 2;
  options.decode.prompt = {'a'};
  const std::vector<float> samples = noise(11840);
  EXPECT_EQ(transcribe(*model, options, samples).segments.size(), 1u);
  options.condition_on_previous_text = false;
  EXPECT_EQ(transcribe(*model, options, samples).segments.size(), 2u);
  options.is_openai_compatible = false;
  EXPECT_EQ(transcribe(*model, options, samples).segments.size(), 1u);
}

SUSURRUS_TEST(silent_windows_are_dropped_with_their_text) {
  auto model = small_model(24);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("en");
  options.fallback = {{0, 0.5}, 100.0, 1.0, 0.0};
  const Outcome outcome = transcribe(*model, options, noise(30000));
  EXPECT_TRUE(outcome.segments.empty());
  EXPECT_EQ(outcome.text, "");
  ASSERT_EQ(outcome.rejected.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const Segment& segment = outcome.rejected[i];
    EXPECT_TRUE(segment.decision == Decision::dropped_no_speech);
    EXPECT_NEAR(segment.start, static_cast<double>(i) * kWindowSeconds, 1e-9);
    EXPECT_FALSE(segment.text.empty());
    // Silence is no better at another temperature.
    EXPECT_EQ(segment.attempts.size(), 1u);
  }
  // A text that is probable enough is kept.
  options.fallback.logprob_threshold = -1000.0;
  EXPECT_FALSE(transcribe(*model, options, noise(30000)).segments.empty());
}

SUSURRUS_TEST(segments_tell_why_their_window_was_tried_again) {
  auto model = small_model(24);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("en");
  options.decode.break_loops = false;
  options.fallback.temperatures = {0, 0.5};
  options.fallback.compression_ratio_threshold = 0.0;
  // No text ends inside a character.
  options.decode.suppress_tokens.emplace();
  for (uint32_t byte = 0x80; byte <= 0xff; ++byte) options.decode.suppress_tokens->push_back(byte);
  const Outcome outcome = transcribe(*model, options, noise(11840));
  ASSERT_FALSE(outcome.segments.empty());
  for (const Segment& segment : outcome.segments) {
    EXPECT_TRUE(segment.decision == Decision::retried_compression_ratio);
    ASSERT_EQ(segment.attempts.size(), 2u);
    // Neither is good enough. The more probable one stands.
    const size_t kept = segment.attempts[1].decision == Decision::kept ? 1 : 0;
    EXPECT_TRUE(segment.attempts[kept].decision == Decision::kept);
    EXPECT_TRUE(segment.attempts[1 - kept].decision == Decision::retried_compression_ratio);
    EXPECT_GE(segment.attempts[kept].avg_logprob, segment.attempts[1 - kept].avg_logprob);
    EXPECT_EQ(segment.temperature, segment.attempts[kept].temperature);
  }
}

SUSURRUS_TEST(text_cut_as_a_loop_with_the_rest_of_its_window_is_rejected) {
  auto model = small_model(24);
  ASSERT_TRUE(model != nullptr);
  // Nothing but one letter can be heard.
  for (bool timestamps : {false, true}) {
    TranscribeOptions options = plain_options("en", timestamps);
    options.decode.suppress_tokens.emplace();
    const uint32_t end =
        timestamps ? model->special_tokens().timestamp_begin : model->dimensions().n_vocab;
    for (uint32_t token = 0; token < end; ++token) {
      if (token != 'a') options.decode.suppress_tokens->push_back(token);
    }
    size_t letters = 0;
    const Outcome outcome = transcribe(*model, options, noise(11840));
    for (const Segment& segment : outcome.rejected) {
      if (segment.decision != Decision::dropped_repetition) continue;
      letters += segment.text.size();
      EXPECT_EQ(segment.language.view(), "en");
      EXPECT_EQ(segment.attempts.size(), 1u);
      EXPECT_EQ(segment.text, std::string(segment.text.size(), 'a'));
    }
    if (!timestamps) EXPECT_GT(letters, 10u);
    for (const Segment& segment : outcome.segments) {
      EXPECT_TRUE(segment.decision == Decision::kept);
    }
    options.is_openai_compatible = true;
    for (const Segment& segment : transcribe(*model, options, noise(11840)).rejected) {
      EXPECT_FALSE(segment.decision == Decision::dropped_repetition);
    }
  }
}

SUSURRUS_TEST(the_same_recording_gives_the_same_again) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  const Outcome first = transcribe(*model, plain_options("de"), noise(30000));
  const Outcome second = transcribe(*model, plain_options("de"), noise(30000));
  expect_equal_segments(first, second);
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_EQ(first.language, "de");
}

SUSURRUS_TEST(a_stream_is_heard_as_a_recording_normalised_window_by_window) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  for (size_t count : {0, 100, 5000, 11840, 11860, 11900, 40000}) {
    for (const char* language : {"auto", "en"}) {
      TranscribeOptions options = plain_options(language);
      options.normalization = Normalization::window;
      options.word_timestamps = true;
      const std::vector<float> samples = noise(count);
      const Outcome whole = transcribe(*model, options, samples);
      const Outcome stream = transcribe(*model, options, samples, Feed::stream);
      EXPECT_TRUE(stream.is_done);
      expect_equal_segments(whole, stream);
      // A window is decoded as soon as its samples are there.
      EXPECT_LE(stream.requests[0].end, kWindowFrames * 160 + 41);
    }
  }
}

SUSURRUS_TEST(a_stream_has_no_maximum_of_its_file) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("en");
  EXPECT_TRUE(refusal(*model, options, std::nullopt, "normalization") ==
              ErrorCode::invalid_argument);
  options.normalization = Normalization::window;
  EXPECT_TRUE(refusal(*model, options, std::nullopt, "") == ErrorCode::ok);
  options.loudness_samples = 1;
  EXPECT_TRUE(refusal(*model, options, std::nullopt, "loudnessSamples") ==
              ErrorCode::invalid_argument);
  options.normalization = Normalization::recording;
  EXPECT_TRUE(refusal(*model, options, 5000, "loudnessSamples") == ErrorCode::invalid_argument);
  EXPECT_TRUE(refusal(*model, options, std::nullopt, "") == ErrorCode::ok);
}

SUSURRUS_TEST(a_stream_behind_its_recording_is_heard_with_its_loudness_and_goes_on_from_a_state) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  for (size_t count : {100, 5000, 11840, 11900, 40000}) {
    for (const char* language : {"auto", "en"}) {
      TranscribeOptions options = plain_options(language);
      options.word_timestamps = true;
      std::vector<float> samples = noise(count);
      // Quiet at the end: a window's own loudness would be another.
      for (size_t i = count / 2; i < count; ++i) samples[i] *= 0.01f;
      const Outcome whole = transcribe(*model, options, samples);
      std::vector<float> twice = samples;
      twice.insert(twice.end(), samples.begin(), samples.end());
      options.loudness_samples = count;
      const Outcome stream = transcribe(*model, options, twice, Feed::stream);
      EXPECT_TRUE(stream.is_done);
      expect_equal_segments(whole, stream);
      for (const Outcome::State& state : stream.states) {
        expect_equal_segments(whole, resume(*model, options, twice, Feed::stream, stream, state));
      }
    }
  }
}

SUSURRUS_TEST(options_that_do_not_fit_the_model_are_refused_before_any_work) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  const uint32_t n_vocab = model->dimensions().n_vocab;
  TranscribeOptions options = plain_options("en");
  options.decode.suppress_tokens = {{-1, n_vocab}};
  EXPECT_TRUE(refusal(*model, options, 100, "suppressTokens") == ErrorCode::invalid_argument);
  options = plain_options("en");
  options.decode.prompt = {n_vocab};
  EXPECT_TRUE(refusal(*model, options, 100, "initialPrompt") == ErrorCode::invalid_argument);
  options = plain_options("en");
  options.decode.prefix.assign(200, 'a');
  EXPECT_TRUE(refusal(*model, options, 100, "prefix") == ErrorCode::invalid_argument);
  options = plain_options("en");
  options.decode.beam_size = 17;
  EXPECT_TRUE(refusal(*model, options, 100, "beamSize") == ErrorCode::invalid_argument);
  options = plain_options("auto");
  options.decode.allowed_languages = {"xx"};
  EXPECT_TRUE(refusal(*model, options, 100, "languages") == ErrorCode::invalid_argument);
}

SUSURRUS_TEST(clips_may_go_back_only_where_the_reference_is_asked_for) {
  auto model = small_model(25);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("en");
  options.normalization = Normalization::window;
  options.clip_timestamps = {1, 1.5, 0, 0.5};
  EXPECT_TRUE(refusal(*model, options, 40000, "clipTimestamps") == ErrorCode::invalid_argument);
  options.is_openai_compatible = true;
  EXPECT_TRUE(refusal(*model, options, std::nullopt, "clipTimestamps") ==
              ErrorCode::invalid_argument);
  const Outcome outcome = transcribe(*model, options, noise(40000));
  ASSERT_FALSE(outcome.segments.empty());
  EXPECT_EQ(outcome.segments.front().seek, 100u);
  EXPECT_LT(outcome.segments.back().seek, 50u);
}

SUSURRUS_TEST(only_clips_are_heard) {
  auto model = small_model(26);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("en");
  options.clip_timestamps = {0.25, 0.6, 1.5};
  const Outcome outcome = transcribe(*model, options, noise(40000));
  bool is_second_heard = false;
  for (const Segment& segment : outcome.segments) {
    EXPECT_TRUE(segment.start >= 1.5 || (segment.start >= 0.25 && segment.end <= 0.6));
    is_second_heard = is_second_heard || segment.start >= 1.5;
  }
  EXPECT_TRUE(is_second_heard);
}

SUSURRUS_TEST(a_model_of_one_language_is_not_asked_for_another) {
  auto model = small_model(26, false);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("auto");
  EXPECT_EQ(transcribe(*model, options, noise(2000)).language, "en");
  options.is_language_per_window = true;
  EXPECT_EQ(transcribe(*model, options, noise(2000)).language, "en");
  EXPECT_TRUE(refusal(*model, plain_options("de"), 100, "language") == ErrorCode::invalid_argument);
}

SUSURRUS_TEST(the_language_of_each_window_is_one_of_those_allowed) {
  auto model = small_model(27);
  ASSERT_TRUE(model != nullptr);
  for (bool is_per_window : {false, true}) {
    for (const char* allowed : {"en", "de"}) {
      TranscribeOptions options = plain_options("auto");
      options.decode.allowed_languages = {allowed};
      options.is_language_per_window = is_per_window;
      const Outcome outcome = transcribe(*model, options, noise(40000));
      ASSERT_FALSE(outcome.segments.empty());
      for (const Segment& segment : outcome.segments) EXPECT_EQ(segment.language.view(), allowed);
      EXPECT_EQ(outcome.language, allowed);
    }
  }
}

SUSURRUS_TEST(the_language_changes_from_window_to_window) {
  // Noise of one loudness is one language to a random model, that of another the other: found by trying, natively with the first.
  std::vector<float> samples = noise(5 * 11840);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] *= i / 11840 % 2 == 0 ? 1.0f : 3e-3f;
  bool is_found = false;
  for (uint64_t seed = 50; seed < 250 && !is_found; ++seed) {
    auto model = small_model(seed);
    ASSERT_TRUE(model != nullptr);
    TranscribeOptions options = plain_options("auto", false);
    options.is_language_per_window = true;
    options.min_language_probability = 0;
    const Outcome outcome = transcribe(*model, options, samples);
    ASSERT_FALSE(outcome.segments.empty());
    const std::string_view first = outcome.segments.front().language.view();
    is_found = std::ranges::adjacent_find(outcome.segments, [](const Segment& a, const Segment& b) {
                 return a.language.view() == b.language.view();
               }) == outcome.segments.end();
    if (!is_found) continue;
    // Text in another language must not be a prompt: the model would go on in that language, and translate.
    options.condition_on_previous_text = false;
    expect_equal_segments(outcome, transcribe(*model, options, samples));
    options.condition_on_previous_text = true;
    // Too sure to be convinced: the first stays.
    options.min_language_probability = 1;
    for (const Segment& segment : transcribe(*model, options, samples).segments) {
      EXPECT_EQ(segment.language.view(), first);
    }
    // The reference knows one language for a recording.
    options.min_language_probability = 0;
    options.is_openai_compatible = true;
    const Outcome compatible = transcribe(*model, options, samples);
    for (const Segment& segment : compatible.segments) {
      EXPECT_EQ(segment.language.view(), compatible.language);
    }
  }
  EXPECT_TRUE(is_found);
}

SUSURRUS_TEST(a_recording_leaves_nothing_behind) {
  auto model = small_model(28);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = plain_options("auto");
  options.word_timestamps = true;
  options.fallback = {{0, 0.7}, 1.0, -1.0, 0.6};
  options.decode.beam_size = 3;
  const std::vector<float> samples = noise(15000);
  int64_t live = 0;
  for (int call = 0; call < 6; ++call) {
    {
      const Outcome outcome = transcribe(*model, options, samples);
      EXPECT_TRUE(outcome.is_done);
    }
    // The first call may fill caches of the standard library.
    if (call > 0) EXPECT_EQ(live_allocation_count(), live);
    live = live_allocation_count();
  }
}

SUSURRUS_TEST(a_rest_that_is_too_short_for_a_word_is_not_decoded) {
  auto model = small_model(22);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = only(*model, {model->special_tokens().end_of_text});
  for (const auto& [frames, windows] : {std::pair{74 + 19, 1u}, std::pair{74 + 20, 2u}}) {
    EXPECT_EQ(transcribe(*model, options, noise(frames * 160)).segments.size(), windows);
    options.is_openai_compatible = true;
    EXPECT_EQ(transcribe(*model, options, noise(frames * 160)).segments.size(), 2u);
    options.is_openai_compatible = false;
  }
  // A recording may be as short as it likes.
  EXPECT_EQ(transcribe(*model, options, noise(1600)).segments.size(), 1u);
}

SUSURRUS_TEST(more_text_than_can_be_said_is_rejected) {
  auto model = small_model(22);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = only(*model, {'a'});
  options.decode.break_loops = false;
  options.decode.sample_length = 19;
  const Outcome outcome = transcribe(*model, options, noise(3200));
  EXPECT_TRUE(outcome.segments.empty());
  ASSERT_TRUE(EXPECT_EQ(outcome.rejected.size(), 1u));
  EXPECT_TRUE(outcome.rejected[0].decision == Decision::dropped_too_fast);
  EXPECT_EQ(outcome.rejected[0].text, std::string(19, 'a'));
  options.decode.sample_length = 18;
  EXPECT_EQ(transcribe(*model, options, noise(3200)).segments.size(), 1u);
}

SUSURRUS_TEST(improbable_text_in_circles_is_rejected_in_short_windows) {
  auto model = small_model(22);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = only(*model, {'a'});
  for (const bool is_improbable : {false, true}) {
    options.fallback.logprob_threshold = is_improbable ? 1 : -100;
    const Outcome outcome = transcribe(*model, options, noise(11840));
    EXPECT_EQ(outcome.segments.empty(), is_improbable);
    ASSERT_FALSE(outcome.rejected.empty());
    for (const Segment& segment : outcome.rejected) {
      EXPECT_TRUE(segment.decision == Decision::dropped_repetition);
    }
    options.is_openai_compatible = true;
    EXPECT_FALSE(transcribe(*model, options, noise(11840)).segments.empty());
    options.is_openai_compatible = false;
  }
}

SUSURRUS_TEST(doubtful_text_that_was_said_before_is_rejected_and_what_is_said_twice_stays) {
  auto model = small_model(22);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = only(*model, {'a'});
  options.decode.break_loops = false;
  options.decode.sample_length = 8;
  for (const bool is_doubtful : {false, true}) {
    // No text is as probable as that.
    if (is_doubtful) options.fallback.logprob_threshold = 1;
    const Outcome outcome = transcribe(*model, options, noise(3 * 11840));
    EXPECT_EQ(outcome.segments.size(), is_doubtful ? 1u : 3u);
    EXPECT_EQ(outcome.rejected.size(), is_doubtful ? 2u : 0u);
    for (const Segment& segment : outcome.rejected) {
      EXPECT_TRUE(segment.decision == Decision::dropped_repetition);
    }
    for (const Outcome::State& state : outcome.states) {
      expect_equal_segments(outcome,
                            resume(*model, options, noise(3 * 11840), Feed::whole, outcome, state));
    }
  }
  options.condition_on_previous_text = false;
  EXPECT_EQ(transcribe(*model, options, noise(3 * 11840)).segments.size(), 3u);
}

SUSURRUS_TEST(memory_does_not_grow_with_the_recording) {
  auto model = small_model(28);
  ASSERT_TRUE(model != nullptr);
  TranscribeOptions options = only(*model, {model->special_tokens().end_of_text});
  options.normalization = Normalization::window;
  auto transcriber = Transcriber::create(*model, options, std::nullopt);
  ASSERT_TRUE(transcriber.has_value());
  Transcriber& work = **transcriber;
  const std::vector<float> samples = noise(20000);
  int64_t live = 0;
  for (size_t windows = 0; windows < 300;) {
    auto state = work.step();
    ASSERT_TRUE(state.has_value());
    if (*state == StepResult::need_audio) {
      const std::span<float> window = work.audio_window();
      std::ranges::copy(std::span(samples).first(window.size()), window.begin());
    }
    if (*state != StepResult::segment_ready) continue;
    work.take_segment();
    ++windows;
    if (windows == 10) live = live_allocation_count();
    // A queue may keep a block or two of its own; what is left behind in each window would be hundreds.
    if (windows > 10) EXPECT_LE(live_allocation_count(), live + 4);
  }
}

SUSURRUS_TEST(transcriber_beside_another_one_disturbs_neither) {
  const std::vector<float> first = noise(3 * 160 * kOddDimensions.n_audio_ctx, 6);
  const std::vector<float> second = noise(2 * 160 * kOddDimensions.n_audio_ctx, 7);
  const TranscribeOptions options = plain_options("en");
  const auto model = small_model(5);
  const Outcome expected_first = transcribe(*model, options, first);
  const Outcome expected_second = transcribe(*model, options, second);
  const auto beside = model->create_beside();
  ASSERT_TRUE(beside.has_value());
  EXPECT_EQ((*beside)->memory_plan().weight_bytes, 0u);
  EXPECT_EQ((*beside)->memory_plan().kv_cache_bytes, model->memory_plan().kv_cache_bytes);

  struct Run {
    std::unique_ptr<Transcriber> work;
    std::span<const float> samples;
    bool is_over = false;
  };
  Run runs[] = {{Transcriber::create(*model, options, first.size()).value(), first},
                {Transcriber::create(**beside, options, second.size()).value(), second}};
  while (!runs[0].is_over || !runs[1].is_over) {
    for (Run& run : runs) {
      if (run.is_over) continue;
      const auto state = run.work->step();
      ASSERT_TRUE(state.has_value());
      run.is_over = *state == StepResult::done;
      if (*state == StepResult::segment_ready || *state == StepResult::rejected_ready)
        run.work->take_segment();
      if (*state != StepResult::need_audio) continue;
      const AudioRequest request = run.work->audio_request();
      std::ranges::copy(run.samples.subspan(request.begin, request.end - request.begin),
                        run.work->audio_window().begin());
    }
  }
  EXPECT_TRUE(runs[0].work->text() == expected_first.text);
  EXPECT_TRUE(runs[1].work->text() == expected_second.text);
  EXPECT_TRUE(expected_first.text != expected_second.text);
}

}  // namespace susurrus::testing::transcriber_test
