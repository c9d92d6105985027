// Thousands of decodes by models that know nothing: whatever they say, recordings end, times keep their contract, nothing
// is left behind.
#include <map>

#include "session/mel_frames.h"
#include "session/recording_run.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::random_recordings_test {
namespace {

/// Windows of 1 s, and as small as it goes elsewhere.
constexpr WhisperDimensions kTinyDimensions = {.n_vocab = 420,
                                               .n_audio_ctx = 50,
                                               .n_text_ctx = 100,
                                               .n_mels = 8,
                                               .n_audio_layer = 1,
                                               .n_text_layer = 1,
                                               .n_audio_head = 1,
                                               .n_text_head = 1,
                                               .n_audio_state = 4,
                                               .n_text_state = 4};

std::unique_ptr<WhisperModel> tiny_model(uint64_t seed) {
  RandomModel random = random_model(kTinyDimensions, seed);
  return make_model(random, default_kernels());
}

double any_seconds(Random& random) {
  // Short ones are the hardest.
  const double longest = random.below(4) == 0 ? 29.9 : 4;
  return 0.1 + static_cast<double>(random.uniform(0, 1)) * (longest - 0.1);
}

template <typename T>
std::optional<T> maybe(Random& random, T value) {
  return random.below(2) == 0 ? std::nullopt : std::optional<T>(value);
}

/// Options all over the place.
TranscribeOptions any_options(Random& random, const SpecialTokens& special) {
  TranscribeOptions options;
  DecodeOptions& decode = options.decode;
  decode.language = random.below(2) == 0 ? "auto" : "en";
  decode.timestamps = random.below(4) != 0;
  decode.seed = random.bits() >> 12;
  if (random.below(4) == 0) decode.beam_size = 1 + static_cast<uint32_t>(random.below(3));
  decode.has_no_max_initial_timestamp = random.below(2) == 0;
  if (random.below(4) == 0) decode.sample_length = 1 + static_cast<uint32_t>(random.below(60));
  if (random.below(4) == 0) decode.prompt = {' ', 'a', 'b'};
  if (random.below(4) == 0) {
    decode.encoder_context.positions = 1 + static_cast<uint32_t>(random.below(50));
  }
  // Random weights say little else than timestamps, unless most of those are taken away.
  const size_t share = random.below(3);
  if (share != 0) decode.suppress_tokens.emplace();
  for (uint32_t i = 0; share != 0 && i < special.timestamp_count; ++i) {
    if (random.below(share == 1 ? 2 : 20) != 0) {
      decode.suppress_tokens->push_back(special.timestamp_begin + i);
    }
  }
  options.fallback.temperatures = random.below(2) == 0
                                      ? std::vector<double>{0}
                                      : std::vector<double>{0, 0.4 + 0.6 * (random.below(2) != 0)};
  options.fallback.no_speech_threshold = maybe(random, 0.004);
  options.fallback.logprob_threshold = maybe(random, -2.0);
  options.fallback.compression_ratio_threshold = maybe(random, 1.5);
  options.condition_on_previous_text = random.below(2) == 0;
  options.carry_initial_prompt = random.below(2) == 0;
  options.word_timestamps = random.below(2) == 0;
  if (random.below(3) == 0) options.hallucination_silence_threshold = 0.2;
  options.normalization = random.below(2) == 0 ? Normalization::recording : Normalization::window;
  options.is_language_per_window = random.below(2) == 0;
  if (random.below(4) == 0) options.clip_timestamps = {0.05, 0.5, 0.75, 1.5, 1.6};
  return options;
}

/// What a test has seen.
struct Seen {
  size_t recordings = 0;
  size_t decodes = 0;
  size_t words = 0;
  size_t broken_loops = 0;
  std::map<Decision, size_t> rejected;

  void add(const Outcome& outcome) {
    ++recordings;
    for (const auto* list : {&outcome.segments, &outcome.rejected}) {
      uint64_t last_seek = kUnknownFrames;
      for (const Segment& segment : *list) {
        words += segment.words.size();
        if (segment.seek == last_seek) continue;
        last_seek = segment.seek;
        decodes += segment.attempts.size();
        broken_loops += segment.decision == Decision::retried_repetition;
      }
    }
    for (const Segment& segment : outcome.rejected) ++rejected[segment.decision];
  }
};

/// A window begins where the text before it ends, or later.
void expect_no_time_twice(const Outcome& outcome) {
  for (size_t i = 1; i < outcome.segments.size(); ++i) {
    const Segment& segment = outcome.segments[i];
    if (segment.seek == outcome.segments[i - 1].seek) continue;
    EXPECT_GE(segment.seek, nearest_frame(outcome.segments[i - 1].end));
  }
}

/// No window begins after the end of those before it.
void expect_nothing_unheard(const Outcome& outcome) {
  for (size_t i = 1; i < outcome.requests.size(); ++i) {
    EXPECT_LE(outcome.requests[i].begin, outcome.requests[i - 1].end);
  }
}

/// `rounds` recordings by each of 20 models, or of one in kOneIn.
template <typename Check>
Seen hear_all(uint64_t options_seed, int rounds, bool is_openai_compatible, Check check) {
  Random random(options_seed);
  const std::vector<float> sound = noise(480000);
  Seen seen;
  for (uint64_t seed = 1; seed <= 20 && !current_case_failed(); seed += kOneIn) {
    auto model = tiny_model(seed);
    if (!EXPECT_TRUE(model != nullptr)) break;
    for (int round = 0; round < rounds && !current_case_failed(); ++round) {
      const double seconds = any_seconds(random);
      const std::vector<float> samples(sound.begin(),
                                       sound.begin() + static_cast<ptrdiff_t>(seconds * 16000));
      TranscribeOptions options = any_options(random, model->special_tokens());
      options.is_openai_compatible = is_openai_compatible;
      const bool is_stream = options.normalization == Normalization::window && round % 2 == 0;
      const Outcome outcome =
          transcribe(*model, options, samples, is_stream ? Feed::stream : Feed::whole);
      EXPECT_TRUE(outcome.is_done);
      check(outcome, options, static_cast<double>(samples.size()) / 16000);
      seen.add(outcome);
    }
  }
  return seen;
}

}  // namespace

SUSURRUS_TEST(whatever_is_heard_keeps_the_contract_on_times) {
  Seen seen = hear_all(
      41, 12, false, [](const Outcome& outcome, const TranscribeOptions& options, double seconds) {
        expect_time_contract(outcome, seconds);
        expect_no_time_twice(outcome);
        if (options.clip_timestamps.size() == 1 && !options.hallucination_silence_threshold) {
          expect_nothing_unheard(outcome);
        }
      });
  // What is to be tested does occur.
  EXPECT_GE(seen.recordings, 240u / kOneIn);
  EXPECT_GT(seen.decodes, 1500u / kOneIn);
  EXPECT_GT(seen.words, 500u / kOneIn);
  EXPECT_GT(seen.broken_loops, 20u / kOneIn);
  EXPECT_GT(seen.rejected[Decision::dropped_no_speech], 20u / kOneIn);
  EXPECT_GT(seen.rejected[Decision::dropped_silence], 20u / kOneIn);
  // The rarest, which a third does not have.
  if (kOneIn == 1) EXPECT_GT(seen.rejected[Decision::dropped_zero_length], 0u);
}

SUSURRUS_TEST(whatever_is_heard_the_references_way_comes_to_an_end) {
  const Seen seen =
      hear_all(42, 6, true, [](const Outcome& outcome, const TranscribeOptions&, double seconds) {
        for (const Segment& segment : outcome.segments) {
          EXPECT_LT(segment.seek, static_cast<uint64_t>(seconds * 100));
        }
      });
  EXPECT_GT(seen.decodes, 500u / kOneIn);
  EXPECT_EQ(seen.broken_loops, 0u);
}

}  // namespace susurrus::testing::random_recordings_test
