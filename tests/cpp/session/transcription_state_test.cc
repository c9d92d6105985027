// A transcription that goes on later from what was kept of it: as if it had never stopped.
#include "session/transcription_state.h"

#include "session/recording_run.h"
#include "whisper/random_model.h"

namespace susurrus::testing::transcription_state_test {
namespace {

void expect_same(const Outcome& resumed, const Outcome& whole) {
  EXPECT_TRUE(resumed.is_done);
  EXPECT_EQ(resumed.text, whole.text);
  EXPECT_EQ(resumed.language, whole.language);
  EXPECT_EQ(resumed.languages, whole.languages);
  if (!EXPECT_EQ(resumed.segments.size(), whole.segments.size())) return;
  if (!EXPECT_EQ(resumed.rejected.size(), whole.rejected.size())) return;
  for (size_t i = 0; i < whole.segments.size(); ++i) {
    const Segment& a = resumed.segments[i];
    const Segment& b = whole.segments[i];
    EXPECT_EQ(a.seek, b.seek);
    EXPECT_EQ(a.start, b.start);
    EXPECT_EQ(a.end, b.end);
    EXPECT_EQ(a.temperature, b.temperature);
    EXPECT_EQ(a.avg_logprob, b.avg_logprob);
    EXPECT_EQ(a.language.view(), b.language.view());
    EXPECT_TRUE(a.tokens == b.tokens);
    if (!EXPECT_EQ(a.words.size(), b.words.size())) continue;
    for (size_t w = 0; w < a.words.size(); ++w) {
      EXPECT_EQ(a.words[w].start, b.words[w].start);
      EXPECT_EQ(a.words[w].end, b.words[w].end);
    }
  }
  for (size_t i = 0; i < whole.rejected.size(); ++i) {
    EXPECT_TRUE(resumed.rejected[i].decision == whole.rejected[i].decision);
    EXPECT_EQ(resumed.rejected[i].start, whole.rejected[i].start);
  }
}

/// Runs to the end, and again from every state on the way, or from one in kOneIn.
size_t expect_resumable(uint64_t seed, const TranscribeOptions& options, Feed feed) {
  auto model = small_model(seed);
  if (!EXPECT_TRUE(model != nullptr)) return 0;
  std::vector<float> samples = noise(60'000);
  // Silence in between, which counts as quiet by what came before.
  std::fill(samples.begin() + 20'000, samples.begin() + 36'000, 0.0f);
  const Outcome whole = transcribe(*model, options, samples, feed);
  for (size_t i = seed % kOneIn; i < whole.states.size(); i += kOneIn) {
    expect_same(resume(*model, options, samples, feed, whole, whole.states[i]), whole);
  }
  return whole.states.size();
}

Result<TranscriptionState> parsed(std::string_view json) {
  auto document = JsonDocument::parse(json, JsonOrigin{});
  if (!EXPECT_TRUE(document.has_value())) return document.error();
  return parse_transcription_state(document->root());
}

}  // namespace

SUSURRUS_TEST(a_transcription_goes_on_from_every_state_as_if_it_had_not_stopped) {
  using Change = void (*)(TranscribeOptions&);
  constexpr Change changes[] = {
      [](TranscribeOptions&) {},
      [](TranscribeOptions& options) { options.normalization = Normalization::window; },
      [](TranscribeOptions& options) { options.is_openai_compatible = true; },
      [](TranscribeOptions& options) { options.word_timestamps = true; },
      [](TranscribeOptions& options) { options.condition_on_previous_text = false; },
      [](TranscribeOptions& options) {
        options.is_language_per_window = true;
        options.min_language_probability = 0.2f;
      },
      [](TranscribeOptions& options) {
        options.decode.prompt = {'a', 'b'};
        options.carry_initial_prompt = true;
      },
      [](TranscribeOptions& options) { options.clip_timestamps = {0.2, 1.5, 2.0, 3.5}; },
      // Drawn at random, and thresholds that drop and retry.
      [](TranscribeOptions& options) {
        options.decode.seed = 7;
        options.fallback = {{0.2, 0.8}, 2.4, -5.0, 0.001};
      },
  };
  size_t states = 0;
  for (uint64_t seed : {21, 22}) {
    for (const Change change : changes) {
      TranscribeOptions options = plain_options("auto");
      change(options);
      states += expect_resumable(seed, options, Feed::whole);
      if (options.is_openai_compatible) continue;
      options.normalization = Normalization::window;
      states += expect_resumable(seed, options, Feed::stream);
    }
  }
  EXPECT_LT(100u, states);
}

SUSURRUS_TEST(a_state_that_no_transcription_has_is_refused) {
  const std::string whole =
      R"({"seek":74,"clip":0,"segmentCount":1,"rejectedCount":0,"promptBegin":0,"language":"en",)"
      R"("lastSpeechEnd":0.5,"textEnd":0.5,"countedEnd":0,"shares":[{"language":"en","seconds":0.5}],)"
      R"("levels":[],"tokens":[1,2]})";
  // Earlier versions kept no probabilities.
  ASSERT_TRUE(parsed(whole).has_value());
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string json = whole;
    json.replace(json.find(from), from.size(), to);
    return json;
  };
  const struct {
    std::string json;
    std::string_view subject;
  } bad[] = {
      {"{}", "seek"},
      {"[]", "seek"},
      {with("74", "-1"), "seek"},
      {with("74", "1e300"), "seek"},
      {with("74", "1099511627777"), "seek"},
      {with("\"segmentCount\":1", "\"segmentCount\":4294967296"), "segmentCount"},
      {with("\"textEnd\":0.5", "\"textEnd\":-1"), "textEnd"},
      {with("\"textEnd\":0.5", "\"textEnd\":\"x\""), "textEnd"},
      {with("\"language\":\"en\",\"last", "\"language\":3,\"last"), "language"},
      {with("[]", "[[1]]"), "levels"},
      {with("[]", "[[1,2,3]]"), "levels"},
      {with("[]", "5"), "levels"},
      {with("[1,2]", "[1,-2]"), "tokens"},
      {with("[1,2]", "null"), "tokens"},
      {with("\"seconds\":0.5", "\"seconds\":null"), "seconds"},
      {with("\"clip\"", "\"languageProbability\":1.5,\"clip\""), "languageProbability"},
      {with("\"seconds\"", "\"probability\":\"x\",\"seconds\""), "probability"},
  };
  for (const auto& [json, subject] : bad) {
    auto state = parsed(json);
    if (!EXPECT_FALSE(state.has_value())) continue;
    EXPECT_TRUE(state.error().code == ErrorCode::invalid_argument);
    EXPECT_EQ(state.error().subject.view(), subject);
  }

  auto model = small_model(21);
  ASSERT_TRUE(model != nullptr);
  const struct {
    void (*change)(TranscriptionState&);
    std::string_view subject;
  } unfit[] = {
      {[](TranscriptionState& state) { state.tokens = {1'000'000}; }, "tokens"},
      {[](TranscriptionState& state) { state.prompt_begin = 3; }, "promptBegin"},
      {[](TranscriptionState& state) { state.language = "tlh"; }, "language"},
      {[](TranscriptionState& state) { state.language = ""; }, "language"},
      {[](TranscriptionState& state) { state.shares = {{"tlh", 1}}; }, "shares"},
      {[](TranscriptionState& state) { state.quiet = {{{5, 1}, {5, 1}}, 9}; }, "levels"},
      {[](TranscriptionState& state) { state.quiet = {{{9999, 1}}, 9}; }, "levels"},
      {[](TranscriptionState& state) { state.quiet = {{{5, 10}}, 9}; }, "levels"},
  };
  TranscribeOptions options = plain_options("auto");
  options.normalization = Normalization::window;
  for (const auto& [change, subject] : unfit) {
    TranscriptionState state = parsed(whole).value();
    change(state);
    auto refused = Transcriber::create(*model, options, 60'000, std::move(state));
    if (!EXPECT_FALSE(refused.has_value())) continue;
    EXPECT_TRUE(refused.error().code == ErrorCode::invalid_argument);
    EXPECT_EQ(refused.error().subject.view(), subject);
  }
}

}  // namespace susurrus::testing::transcription_state_test
