// Live audio through small random models: what is true of every stream, whatever its text.
#include "session/live/whisper_live.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/utf8.h"
#include "harness.h"
#include "kernels/kernel_support.h"
#include "session/recording_run.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::whisper_live_test {
namespace {

WhisperLiveOptions live_options(CommitPolicyKind policy, double step_seconds) {
  WhisperLiveOptions options;
  options.transcribe = plain_options("en", false);
  options.transcribe.fallback.temperatures = {0};
  options.policy = policy;
  options.step_seconds = step_seconds;
  return options;
}

/// Words alone: random weights choose marks else.
void only_letters(DecodeOptions& options, uint32_t n_vocab) {
  options.suppress_tokens.emplace();
  for (uint32_t id = 0; id < n_vocab; ++id) {
    if (id != ' ' && (id < 'a' || id > 'z')) options.suppress_tokens->push_back(id);
  }
}

/// Does the work that there is; false where it does not end or fails.
bool work(WhisperLive& live) {
  for (size_t steps = 0; steps < 1000000; ++steps) {
    auto done = live.step();
    if (!done) return false;
    if (*done) return true;
  }
  return false;
}

bool feed(WhisperLive& live, std::span<const float> samples, bool tells_all) {
  if (tells_all) live.expect(samples.size());
  while (!samples.empty()) {
    if (!work(live)) return false;
    auto count = live.feed(samples);
    if (!count || *count == 0) return false;
    samples = samples.subspan(*count);
  }
  return work(live);
}

/// Ids end in order, committed words never change, times go forwards within what was fed.
void expect_contract(std::span<const LiveEvent> events, double seconds) {
  uint32_t id = 0;
  double last_time = 0;
  double last_end = 0;
  std::vector<Word> committed;
  for (const LiveEvent& event : events) {
    EXPECT_TRUE(event.time >= last_time);
    last_time = event.time;
    if (event.type != LiveEvent::Type::partial && event.type != LiveEvent::Type::final) continue;
    const std::vector<Word>& words = event.segment.words;
    EXPECT_EQ(event.segment.id, id);
    ASSERT_TRUE(event.committed >= committed.size() && event.committed <= words.size());
    for (size_t i = 0; i < committed.size(); ++i) {
      EXPECT_EQ(words[i].word, committed[i].word);
      EXPECT_EQ(words[i].start, committed[i].start);
      EXPECT_EQ(words[i].end, committed[i].end);
    }
    std::string text;
    double end = last_end;
    for (const Word& word : words) {
      text += word.word;
      EXPECT_TRUE(word.start >= end - 1e-9 && word.end > word.start);
      end = word.end;
    }
    EXPECT_EQ(text, event.segment.text);
    EXPECT_EQ(static_cast<size_t>(std::ranges::count_if(event.tokens, &LiveToken::begins_word)),
              words.size());
    committed.assign(words.begin(), words.begin() + static_cast<ptrdiff_t>(event.committed));
    if (event.type != LiveEvent::Type::final) continue;
    EXPECT_EQ(event.committed, words.size());
    committed.clear();
    last_end = end;
    ++id;
  }
  // Words that were squeezed together may reach a little beyond.
  EXPECT_TRUE(last_time <= seconds + 1e-9);
}

}  // namespace

SUSURRUS_TEST(streams_keep_their_promises_in_pieces_of_every_size) {
  const std::vector<float> samples = noise(48000);
  for (uint64_t seed : {21, 22, 23}) {
    for (CommitPolicyKind policy : {CommitPolicyKind::attention, CommitPolicyKind::agreement}) {
      for (size_t piece : {700, 4000, 48000}) {
        auto model = small_model(seed);
        ASSERT_TRUE(model != nullptr);
        auto live = WhisperLive::create(*model, live_options(policy, 0.2));
        ASSERT_TRUE(live.has_value());
        std::vector<LiveEvent> events;
        for (size_t at = 0; at < samples.size(); at += piece) {
          const auto part = std::span(samples).subspan(at, std::min(piece, samples.size() - at));
          ASSERT_TRUE(feed(**live, part, true));
          std::ranges::move((*live)->take_events(), std::back_inserter(events));
        }
        (*live)->flush();
        ASSERT_TRUE(work(**live));
        std::ranges::move((*live)->take_events(), std::back_inserter(events));
        expect_contract(events, 3);
      }
    }
  }
}

SUSURRUS_TEST(words_are_told_where_the_sound_has_them_and_nothing_else_is_told_otherwise) {
  WhisperDimensions dimensions = kOddDimensions;
  dimensions.n_audio_ctx = 250;
  // Longer than a window of this model, which has to move.
  constexpr size_t kSeconds = 7;
  std::vector<LiveEvent> events[2];
  for (const bool is_openai_compatible : {false, true}) {
    RandomModel random = random_model(dimensions, 21);
    auto model = make_model(random, default_kernels());
    ASSERT_TRUE(model != nullptr);
    WhisperLiveOptions options = live_options(CommitPolicyKind::agreement, 1);
    options.transcribe.is_openai_compatible = is_openai_compatible;
    only_letters(options.transcribe.decode, dimensions.n_vocab);
    auto live = WhisperLive::create(*model, options);
    ASSERT_TRUE(live.has_value());
    ASSERT_TRUE(feed(**live, noise(kSeconds * kSampleRate), false));
    (*live)->flush();
    ASSERT_TRUE(work(**live));
    events[is_openai_compatible] = (*live)->take_events();
  }
  expect_contract(events[0], kSeconds);
  // noise() is loud in the first tenth of each 0.2 s; a frame sees 12 ms beside it.
  const auto is_quiet = [](double seconds) {
    const double phase = std::fmod(seconds, 0.2);
    return phase > 0.12 && phase < 0.18;
  };
  size_t quiet_aligned = 0;
  size_t quiet_told = 0;
  ASSERT_TRUE(EXPECT_EQ(events[0].size(), events[1].size()));
  for (size_t i = 0; i < events[0].size(); ++i) {
    const LiveEvent& told = events[0][i];
    const LiveEvent& aligned = events[1][i];
    EXPECT_TRUE(told.type == aligned.type);
    EXPECT_EQ(told.time, aligned.time);
    EXPECT_EQ(told.committed, aligned.committed);
    EXPECT_EQ(told.segment.text, aligned.segment.text);
    if (told.type != LiveEvent::Type::final) continue;
    for (const Word& word : aligned.segment.words) quiet_aligned += is_quiet(word.start);
    for (const Word& word : told.segment.words) {
      EXPECT_LE(word.end, kSeconds + 1e-9);
      quiet_told += is_quiet(word.start);
    }
  }
  EXPECT_LT(quiet_told, quiet_aligned);
}

SUSURRUS_TEST(steady_sound_is_not_decoded_and_speech_after_it_is) {
  // A window of this model is 0.74 s, too short to know a floor of noise.
  WhisperDimensions dimensions = kOddDimensions;
  dimensions.n_audio_ctx = 250;
  for (const float level : {0.0f, 0.01f}) {
    RandomModel random = random_model(dimensions, 21);
    auto model = make_model(random, default_kernels());
    ASSERT_TRUE(model != nullptr);
    auto live = WhisperLive::create(*model, live_options(CommitPolicyKind::attention, 1.2));
    ASSERT_TRUE(live.has_value());
    Random steady(5);
    std::vector<float> samples(20 * kSampleRate);
    for (float& sample : samples) sample = level * steady.bell();
    ASSERT_TRUE(feed(**live, samples, false));
    EXPECT_EQ((*live)->take_events().size(), 0u);
    ASSERT_TRUE(feed(**live, noise(3 * kSampleRate), false));
    (*live)->flush();
    ASSERT_TRUE(work(**live));
    const std::vector<LiveEvent> events = (*live)->take_events();
    EXPECT_TRUE(std::ranges::any_of(
        events, [](const LiveEvent& event) { return !event.segment.words.empty(); }));
    for (const LiveEvent& event : events) EXPECT_TRUE(event.time > 20);
  }
}

SUSURRUS_TEST(streams_whose_language_is_open_keep_their_promises_and_say_it_with_each_text) {
  for (uint64_t seed : {21, 24, 26}) {
    for (const bool is_per_utterance : {false, true}) {
      auto model = small_model(seed);
      ASSERT_TRUE(model != nullptr);
      WhisperLiveOptions options = live_options(CommitPolicyKind::attention, 0.2);
      options.transcribe.decode.language = "auto";
      options.transcribe.is_language_per_window = is_per_utterance;
      options.transcribe.min_language_probability = 0;
      only_letters(options.transcribe.decode, model->dimensions().n_vocab);
      auto live = WhisperLive::create(*model, options);
      ASSERT_TRUE(live.has_value());
      std::vector<LiveEvent> events;
      for (uint64_t utterance = 0; utterance < 6; ++utterance) {
        ASSERT_TRUE(feed(**live, noise(16000, 90 + utterance), true));
        (*live)->flush();
        ASSERT_TRUE(work(**live));
        std::ranges::move((*live)->take_events(), std::back_inserter(events));
      }
      expect_contract(events, 6);
      std::string_view told;
      for (const LiveEvent& event : events) {
        if (event.type == LiveEvent::Type::language) {
          told = event.segment.language.view();
          EXPECT_TRUE(event.probability > 0 && event.probability <= 1);
        } else if (event.type == LiveEvent::Type::final && !event.segment.words.empty()) {
          EXPECT_EQ(event.segment.language.view(), told);
        }
      }
      EXPECT_FALSE(told.empty());
    }
  }
}

SUSURRUS_TEST(an_utterance_is_heard_with_the_end_of_the_one_before_unless_each_stands_alone) {
  // Room for a context of 1.25 s.
  WhisperDimensions dimensions = kOddDimensions;
  dimensions.n_audio_ctx = 250;
  struct Heard {
    std::string text;   // of the last utterance
    size_t frames = 0;  // of its window
  };
  const auto hear = [&](bool is_conditioned, std::span<const uint64_t> seeds) {
    RandomModel random = random_model(dimensions, 21);
    auto model = make_model(random, default_kernels());
    WhisperLiveOptions options = live_options(CommitPolicyKind::attention, 1);
    options.transcribe.condition_on_previous_text = is_conditioned;
    only_letters(options.transcribe.decode, dimensions.n_vocab);
    auto live = WhisperLive::create(*model, options);
    std::vector<LiveEvent> events;
    Heard heard;
    for (const uint64_t seed : seeds) {
      EXPECT_TRUE(feed(**live, noise(24000, seed), false));
      (*live)->flush();
      EXPECT_TRUE(work(**live));
      heard.text.clear();
      for (LiveEvent& event : (*live)->take_events()) {
        if (event.type == LiveEvent::Type::final) heard.text += event.segment.text;
        events.push_back(std::move(event));
      }
    }
    expect_contract(events, 1.5 * static_cast<double>(seeds.size()));
    const std::span<const float> window = model->mel_window();
    const auto silence =
        std::find_if(window.rbegin(), window.rend(), [](float x) { return x != 0; });
    heard.frames = static_cast<size_t>(window.rend() - silence) / dimensions.n_mels;
    return heard;
  };
  const Heard alone = hear(false, std::array<uint64_t, 1>{62});
  EXPECT_FALSE(alone.text.empty());
  const Heard apart = hear(false, std::array<uint64_t, 2>{61, 62});
  EXPECT_EQ(apart.text, alone.text);
  EXPECT_EQ(apart.frames, alone.frames);
  const Heard together = hear(true, std::array<uint64_t, 2>{61, 62});
  EXPECT_NE(together.text, alone.text);
  // A word is shorter than a second.
  EXPECT_GT(together.frames, alone.frames + 25);
  EXPECT_LE(together.frames, alone.frames + 125);
}

SUSURRUS_TEST(no_text_of_an_utterance_that_is_over_ends_inside_a_character) {
  size_t final_count = 0;
  for (uint64_t seed = 21; seed < 29; ++seed) {
    auto model = small_model(seed);
    ASSERT_TRUE(model != nullptr);
    WhisperLiveOptions options = live_options(CommitPolicyKind::attention, 10);
    // The first byte of a character, a letter, and spaces.
    options.transcribe.decode.suppress_tokens.emplace();
    for (uint32_t id = 0; id < model->dimensions().n_vocab; ++id) {
      if (id != ' ' && id != 'a' && id != 0xe6)
        options.transcribe.decode.suppress_tokens->push_back(id);
    }
    auto live = WhisperLive::create(*model, options);
    ASSERT_TRUE(live.has_value());
    for (uint64_t utterance = 0; utterance < 4; ++utterance) {
      ASSERT_TRUE(feed(**live, noise(8000, 70 + utterance), true));
      (*live)->flush();
      ASSERT_TRUE(work(**live));
      const auto events = (*live)->take_events();
      for (const LiveEvent& event : events) {
        if (event.type != LiveEvent::Type::final || event.tokens.empty()) continue;
        ++final_count;
        std::string bytes;
        for (const LiveToken& token : event.tokens)
          bytes += model->tokenizer().decode_bytes(std::span(&token.id, 1));
        EXPECT_FALSE(ends_inside_character(bytes));
      }
    }
  }
  EXPECT_GT(final_count, 0u);
}

SUSURRUS_TEST(the_same_pieces_give_the_same_events) {
  const std::vector<float> samples = noise(30000);
  std::vector<std::string> texts[2];
  for (auto& told : texts) {
    auto model = small_model(22);
    auto live = WhisperLive::create(*model, live_options(CommitPolicyKind::attention, 0.2));
    ASSERT_TRUE(live.has_value());
    for (int utterance = 0; utterance < 2; ++utterance) {
      ASSERT_TRUE(feed(**live, samples, false));
      (*live)->flush();
      ASSERT_TRUE(work(**live));
    }
    for (const LiveEvent& event : (*live)->take_events()) told.push_back(event.segment.text);
  }
  EXPECT_TRUE(texts[0] == texts[1]);
}

SUSURRUS_TEST(a_flush_without_sound_tells_nothing_and_silence_is_told_once) {
  auto model = small_model(21);
  auto live = WhisperLive::create(*model, live_options(CommitPolicyKind::attention, 0.2));
  ASSERT_TRUE(live.has_value());
  (*live)->flush();
  ASSERT_TRUE(work(**live));
  (*live)->skip(64000);
  EXPECT_TRUE((*live)->take_events().empty());  // no speech yet
  ASSERT_TRUE(feed(**live, noise(8000), false));
  (*live)->flush();
  ASSERT_TRUE(work(**live));
  (*live)->take_events();
  (*live)->skip(16000);
  EXPECT_TRUE((*live)->take_events().empty());
  (*live)->skip(16000);
  (*live)->skip(16000);
  const auto events = (*live)->take_events();
  ASSERT_TRUE(EXPECT_EQ(events.size(), 1u));
  EXPECT_TRUE(events[0].type == LiveEvent::Type::silence);
}

SUSURRUS_TEST(memory_of_a_stream_does_not_grow) {
  auto model = small_model(23);
  auto live = WhisperLive::create(*model, live_options(CommitPolicyKind::agreement, 0.3));
  ASSERT_TRUE(live.has_value());
  const std::vector<float> samples = noise(16000);
  uint64_t bytes = 0;
  for (int second = 0; second < 20; ++second) {
    ASSERT_TRUE(feed(**live, samples, true));
    (*live)->take_events();
    if (second == 5) bytes = (*live)->byte_count();
  }
  EXPECT_EQ((*live)->byte_count(), bytes);
}

SUSURRUS_TEST(options_that_do_not_fit_the_model_are_refused_before_any_sound) {
  auto model = small_model(21);
  WhisperLiveOptions options = live_options(CommitPolicyKind::attention, 1);
  options.transcribe.decode.language = FixedString<16>("xx");
  auto refused = WhisperLive::create(*model, options);
  ASSERT_TRUE(!refused);
  EXPECT_EQ(refused.error().subject.view(), "language");
}

}  // namespace susurrus::testing::whisper_live_test
