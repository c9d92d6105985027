// The language of a window where detection is unsure: that of the most probable text.
#include "session/language_choice.h"

#include <cmath>

#include "session/recording_run.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::language_choice_test {
namespace {

/// Never sure, and the text alone counts.
constexpr LanguageRule kAlwaysDecodes = {
    .sure = 2, .least_share = 0, .most = 5, .detection_weight = 0, .least_logprob = -100};

struct Chosen {
  std::string language;
  float probability = 0;
  size_t languages = 0;
  size_t steps = 0;
};

Chosen choose(WhisperModel& model, const DecodeOptions& options, const LanguageRule& rule,
              std::vector<uint32_t> allowed = {}) {
  model.begin_encode(model.dimensions().n_audio_ctx);
  LanguageChoice choice(model, options, std::move(allowed), rule);
  Chosen outcome;
  for (bool is_done = false; !is_done; ++outcome.steps) {
    auto step = choice.step();
    if (!EXPECT_TRUE(step.has_value())) return outcome;
    is_done = *step;
  }
  const auto& found = choice.probabilities();
  outcome.languages = found.size();
  if (found.empty()) return outcome;
  outcome.language = model.special_tokens().language_code(found[0].token);
  outcome.probability = found[0].probability;
  return outcome;
}

WindowResult decode(WhisperModel& model, DecodeOptions options, std::string_view language) {
  options.language = language;
  auto decoder = WindowDecoder::create(model, options);
  if (!EXPECT_TRUE(decoder.has_value())) return {};
  for (;;) {
    auto step = (*decoder)->step();
    if (!EXPECT_TRUE(step.has_value()) || *step) return (*decoder)->result();
  }
}

/// Every token but those that `is_wanted` is suppressed.
template <typename IsWanted>
DecodeOptions only(const WhisperModel& model, uint32_t length, IsWanted is_wanted) {
  DecodeOptions options;
  options.sample_length = length;
  options.timestamps = false;
  options.suppress_blank = false;
  options.suppress_tokens.emplace();
  for (uint32_t id = 0; id < model.dimensions().n_vocab; ++id) {
    if (!is_wanted(id)) options.suppress_tokens->push_back(id);
  }
  return options;
}

/// Three letters: what else random weights write is no words, and has no end.
DecodeOptions words(const WhisperModel& model) {
  return only(model, 3, [](uint32_t id) { return id >= 'a' && id <= 'z'; });
}

/// A random model whose window says `seed`.
std::unique_ptr<WhisperModel> hearing_model(uint64_t seed) {
  auto model = small_model(seed);
  if (model) fill_mel(*model, seed);
  return model;
}

/// Calls `check` for random models whose most probable text is in another language than detection finds.
template <typename Check>
void where_text_overrules(Check check) {
  size_t overruled = 0;
  for (uint64_t seed = 1; seed < 12; ++seed) {
    auto model = hearing_model(seed);
    ASSERT_TRUE(model != nullptr);
    const DecodeOptions options = words(*model);
    const std::string detected = choose(*model, options, kDetectionAlone).language;
    const Chosen chosen = choose(*model, options, kAlwaysDecodes);
    if (chosen.language == detected) continue;
    ++overruled;
    check(*model, options, detected, chosen);
  }
  EXPECT_LT(0u, overruled);
}

}  // namespace

SUSURRUS_TEST(where_detection_is_unsure_the_most_probable_text_decides) {
  size_t overruled = 0;
  size_t confirmed = 0;
  for (uint64_t seed = 1; seed < 12; ++seed) {
    auto model = hearing_model(seed);
    ASSERT_TRUE(model != nullptr);
    const DecodeOptions options = words(*model);
    const std::string detected = choose(*model, options, kDetectionAlone).language;
    const WindowResult en = decode(*model, options, "en");
    const WindowResult de = decode(*model, options, "de");
    const Chosen chosen = choose(*model, options, kAlwaysDecodes);
    EXPECT_EQ(chosen.languages, 2u);
    EXPECT_EQ(chosen.language, en.avg_logprob > de.avg_logprob ? "en" : "de");
    // It says how probable detection found the language, whatever the text says.
    EXPECT_EQ(chosen.probability < 0.5f, chosen.language != detected);
    ++(chosen.language == detected ? confirmed : overruled);
  }
  EXPECT_LT(0u, overruled);
  EXPECT_LT(0u, confirmed);
}

SUSURRUS_TEST(sure_detection_costs_nothing_more) {
  auto model = hearing_model(3);
  ASSERT_TRUE(model != nullptr);
  const DecodeOptions options = words(*model);
  const Chosen detected = choose(*model, options, kDetectionAlone);
  const float best = detected.probability;
  const float share = (1 - best) / best;
  const auto steps = [&](const LanguageRule& rule, std::vector<uint32_t> allowed = {}) {
    return choose(*model, options, rule, std::move(allowed)).steps;
  };
  EXPECT_EQ(steps({.sure = best, .least_share = 0, .most = 5}), detected.steps);
  // Nothing else is probable enough, or asked for.
  EXPECT_EQ(steps({.sure = 2, .least_share = share + 0.01f, .most = 5}), detected.steps);
  EXPECT_EQ(steps({.sure = 2, .least_share = 0, .most = 1}), detected.steps);
  EXPECT_EQ(steps(kAlwaysDecodes, {model->special_tokens().languages[0].token}), detected.steps);
  EXPECT_LT(detected.steps, steps({.sure = 2, .least_share = share - 0.01f, .most = 5}));
}

SUSURRUS_TEST(detection_counts_too_and_an_improbable_text_does_not) {
  where_text_overrules([](WhisperModel& model, const DecodeOptions& options,
                          const std::string& detected, const Chosen& chosen) {
    LanguageRule rule = kAlwaysDecodes;
    const float least = decode(model, options, chosen.language).avg_logprob;
    const float margin = least - decode(model, options, detected).avg_logprob;
    const float ratio = std::log((1 - chosen.probability) / chosen.probability);
    rule.detection_weight = 0.9f * margin / ratio;
    EXPECT_EQ(choose(model, options, rule).language, chosen.language);
    rule.detection_weight = 1.1f * margin / ratio;
    EXPECT_EQ(choose(model, options, rule).language, detected);
    rule = kAlwaysDecodes;
    rule.least_logprob = least - 0.001f;
    EXPECT_EQ(choose(model, options, rule).language, chosen.language);
    rule.least_logprob = least + 0.001f;
    EXPECT_EQ(choose(model, options, rule).language, detected);
  });
}

SUSURRUS_TEST(a_language_of_just_before_is_compared_with_the_probability_that_it_had) {
  where_text_overrules([](WhisperModel& model, const DecodeOptions& options,
                          const std::string& detected, const Chosen& chosen) {
    const auto token = model.special_tokens().language_token(chosen.language);
    ASSERT_TRUE(token.has_value());
    // Detection leaves the other one out.
    LanguageRule rule = kAlwaysDecodes;
    rule.most = 1;
    EXPECT_EQ(choose(model, options, rule).language, detected);
    std::vector<LanguageProbability> lately = {{*token, 1}};
    rule.lately = lately;
    EXPECT_EQ(choose(model, options, rule).language, chosen.language);
    // As probable then as the detected one is now: whatever detection weighs, its text decides.
    rule.detection_weight = 100;
    lately[0].probability = 1 - chosen.probability;
    EXPECT_EQ(choose(model, options, rule).language, chosen.language);
    lately[0].probability = chosen.probability;
    EXPECT_EQ(choose(model, options, rule).language, detected);
    // Improbable then as well.
    rule.detection_weight = 0;
    rule.least_share = 0.1f;
    lately[0].probability = 0.04f;
    EXPECT_EQ(choose(model, options, rule).language, detected);
  });
}

SUSURRUS_TEST(no_words_and_text_in_circles_say_nothing_about_a_language) {
  size_t overruled = 0;
  for (uint64_t seed = 1; seed < 12; ++seed) {
    auto model = hearing_model(seed);
    ASSERT_TRUE(model != nullptr);
    const std::string detected = choose(*model, words(*model), kDetectionAlone).language;
    const auto choose_by = [&](uint32_t length, uint32_t token) {
      const DecodeOptions options = only(*model, length, [&](uint32_t id) { return id == token; });
      return choose(*model, options, kAlwaysDecodes).language;
    };
    EXPECT_EQ(choose_by(3, model->special_tokens().end_of_text), detected);
    EXPECT_EQ(choose_by(3, '.'), detected);
    EXPECT_EQ(choose_by(30, 'a'), detected);
    overruled += choose(*model, words(*model), kAlwaysDecodes).language != detected;
  }
  // Words would be in another language now and then.
  EXPECT_LT(0u, overruled);
}

SUSURRUS_TEST(another_language_than_the_one_before_is_never_taken_by_detection_alone) {
  size_t kept = 0;
  for (uint64_t seed = 1; seed < 12; ++seed) {
    auto model = hearing_model(seed);
    ASSERT_TRUE(model != nullptr);
    const DecodeOptions options = words(*model);
    const Chosen detected = choose(*model, options, kDetectionAlone);
    const std::string by_text = choose(*model, options, kAlwaysDecodes).language;
    LanguageRule rule = kAlwaysDecodes;
    rule.sure = 0;
    rule.most = 1;
    rule.before = detected.language;
    EXPECT_EQ(choose(*model, options, rule).steps, detected.steps);
    rule.before = detected.language == "en" ? "de" : "en";
    EXPECT_EQ(choose(*model, options, rule).language, by_text);
    kept += by_text == rule.before;
    // A language that was not to be chosen is not.
    const uint32_t only_one = *model->special_tokens().language_token(detected.language);
    EXPECT_EQ(choose(*model, options, rule, {only_one}).language, detected.language);
  }
  EXPECT_LT(0u, kept);
}

SUSURRUS_TEST(what_a_caller_expects_to_hear_and_how_it_is_decoded_do_not_choose_a_language) {
  for (uint64_t seed = 1; seed < 8; ++seed) {
    auto model = hearing_model(seed);
    ASSERT_TRUE(model != nullptr);
    const DecodeOptions plain = words(*model);
    DecodeOptions options = plain;
    options.prompt = {'a', 'b'};
    options.hotwords = {{"wort", 9}};
    options.allowed = {"ein wort"};
    options.task = Task::translate;
    options.beam_size = 3;
    options.break_loops = false;
    const Chosen expected = choose(*model, plain, kAlwaysDecodes);
    const Chosen outcome = choose(*model, options, kAlwaysDecodes);
    EXPECT_EQ(outcome.language, expected.language);
    EXPECT_EQ(outcome.steps, expected.steps);
  }
}

SUSURRUS_TEST(a_recording_is_in_the_language_that_is_chosen_unless_the_reference_is_asked_for) {
  size_t overruled = 0;
  for (uint64_t seed = 1; seed < 30; ++seed) {
    auto model = small_model(seed);
    ASSERT_TRUE(model != nullptr);
    TranscribeOptions options = plain_options("auto", false);
    // One letter of two: probable enough.
    options.decode = only(*model, 1, [](uint32_t id) { return id == 'a' || id == 'b'; });
    const std::vector<float> samples = noise(11840);
    options.is_openai_compatible = true;
    const auto reference = transcribe(*model, options, samples);
    options.is_openai_compatible = false;
    const auto chosen = transcribe(*model, options, samples);
    if (chosen.language == reference.language) continue;
    ++overruled;
    for (const Segment& segment : chosen.segments) {
      EXPECT_EQ(segment.language.view(), chosen.language);
    }
    // Neither a wish for one language nor windows that have their own change with it.
    options.decode.allowed_languages = {FixedString<16>(reference.language)};
    EXPECT_EQ(transcribe(*model, options, samples).language, reference.language);
    options.decode.allowed_languages.clear();
    options.is_language_per_window = true;
    EXPECT_EQ(transcribe(*model, options, samples).language, reference.language);
  }
  EXPECT_LT(0u, overruled);
}

}  // namespace susurrus::testing::language_choice_test
