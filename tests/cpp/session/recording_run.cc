#include "session/recording_run.h"

#include <algorithm>
#include <iterator>

#include "base/json_writer.h"
#include "text/white_space.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing {
namespace {

constexpr size_t kMostSteps = 2'000'000;

bool is_dropped(Decision decision) {
  return std::string_view(decision_name(decision)).starts_with("dropped:");
}

}  // namespace

std::unique_ptr<WhisperModel> small_model(uint64_t seed, bool is_multilingual) {
  RandomModel random = random_model(kOddDimensions, seed, Dtype::f32, Dtype::f32, is_multilingual);
  return make_model(random, default_kernels());
}

std::vector<float> noise(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> samples(count);
  for (size_t i = 0; i < count; ++i) {
    const bool is_quiet = i / 1600 % 2 == 1;
    samples[i] = (is_quiet ? 0.003f : 0.1f) * random.bell();
  }
  return samples;
}

TranscribeOptions plain_options(std::string_view language, bool timestamps) {
  TranscribeOptions options;
  options.decode.language = language;
  options.decode.timestamps = timestamps;
  options.fallback = {{0}, std::nullopt, std::nullopt, std::nullopt};
  return options;
}

namespace {

Outcome run(WhisperModel& model, const TranscribeOptions& options,
            const std::vector<float>& samples, Feed feed, Outcome outcome,
            std::optional<TranscriptionState> state) {
  const bool is_stream = feed == Feed::stream;
  auto transcriber = Transcriber::create(
      model, options, is_stream ? std::nullopt : std::optional<uint64_t>(samples.size()),
      std::move(state));
  if (!EXPECT_TRUE(transcriber.has_value())) return outcome;
  Transcriber& work = **transcriber;
  const uint64_t window_samples = model.window_frames() * 160;
  double progress = 0;
  for (;; ++outcome.steps) {
    auto state = work.step();
    if (!EXPECT_TRUE(state.has_value()) || !EXPECT_LT(outcome.steps, kMostSteps)) return outcome;
    EXPECT_GE(work.progress(), progress);
    progress = work.progress();
    if (*state == StepResult::done) break;
    if (*state == StepResult::segment_ready) {
      outcome.segments.push_back(work.take_segment());
      EXPECT_FALSE(is_dropped(outcome.segments.back().decision));
      EXPECT_EQ(outcome.segments.back().id, outcome.segments.size() - 1);
    }
    if (*state == StepResult::rejected_ready) {
      outcome.rejected.push_back(work.take_segment());
      EXPECT_TRUE(is_dropped(outcome.rejected.back().decision));
      EXPECT_EQ(outcome.rejected.back().id, outcome.rejected.size() - 1);
    }
    if (*state == StepResult::state_ready) {
      outcome.states.push_back({work.state(), outcome.segments.size(), outcome.rejected.size()});
    }
    if (*state != StepResult::need_audio) continue;
    const AudioRequest request = work.audio_request();
    EXPECT_LT(request.begin, request.end);
    EXPECT_LE(request.end - request.begin, window_samples + 400);
    EXPECT_EQ(work.audio_window().size(), request.end - request.begin);
    if (is_stream && !outcome.requests.empty()) {
      EXPECT_GE(request.begin, outcome.requests.back().begin);
    }
    outcome.requests.push_back(request);
    if (is_stream && request.end > samples.size()) {
      work.end_audio(samples.size());
      continue;
    }
    if (!EXPECT_LE(request.end, samples.size())) return outcome;
    std::copy(samples.begin() + static_cast<ptrdiff_t>(request.begin),
              samples.begin() + static_cast<ptrdiff_t>(request.end), work.audio_window().begin());
  }
  EXPECT_EQ(progress, 1.0);
  outcome.is_done = true;
  outcome.text = work.text();
  outcome.language = work.language();
  outcome.languages = work.languages();
  return outcome;
}

}  // namespace

Outcome transcribe(WhisperModel& model, const TranscribeOptions& options,
                   const std::vector<float>& samples, Feed feed) {
  return run(model, options, samples, feed, {}, {});
}

Outcome resume(WhisperModel& model, const TranscribeOptions& options,
               const std::vector<float>& samples, Feed feed, const Outcome& earlier,
               const Outcome::State& state) {
  Outcome begun;
  std::copy_n(earlier.segments.begin(), state.segment_count, std::back_inserter(begun.segments));
  std::copy_n(earlier.rejected.begin(), state.rejected_count, std::back_inserter(begun.rejected));
  JsonWriter tokens;
  tokens.begin_array();
  for (const Segment& segment : begun.segments) {
    for (uint32_t token : segment.tokens) tokens.value(token);
  }
  // Callers that save a state add the segments' tokens in the same way.
  std::string json = state.json;
  json.pop_back();
  json += ",\"tokens\":" + tokens.end_array().text() + "}";
  auto document = JsonDocument::parse(json, JsonOrigin{});
  if (!EXPECT_TRUE(document.has_value())) return begun;
  auto parsed = parse_transcription_state(document->root());
  if (!EXPECT_TRUE(parsed.has_value())) return begun;
  return run(model, options, samples, feed, std::move(begun), std::move(parsed).value());
}

void expect_time_contract(const Outcome& outcome, double seconds) {
  double text_end = 0;
  for (const Segment& segment : outcome.segments) {
    EXPECT_GE(segment.start, text_end);
    EXPECT_LT(segment.start, segment.end);
    text_end = segment.end;
    double word_end = segment.start;
    for (const Word& word : segment.words) {
      EXPECT_GE(word.start, word_end);
      EXPECT_LT(word.start, word.end);
      EXPECT_FALSE(word.word.empty());
      word_end = word.end;
    }
    EXPECT_LE(word_end, segment.end);
  }
  EXPECT_LE(text_end, seconds);
  for (const Segment& segment : outcome.rejected) {
    // Only silence may be dropped without a word.
    EXPECT_TRUE(segment.decision == Decision::dropped_no_speech ||
                !strip_white_space(segment.text).empty());
  }
}

}  // namespace susurrus::testing
