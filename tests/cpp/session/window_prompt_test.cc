// What stands in front of a window's own tokens.
#include <numeric>

#include "session/prompt.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::window_prompt_test {
namespace {

// Half of the random model's 150 text positions.
constexpr size_t kHalf = 75;

std::unique_ptr<WhisperModel> small_model(bool is_multilingual = true) {
  RandomModel random = random_model(kOddDimensions, 41, Dtype::f32, Dtype::f32, is_multilingual);
  return make_model(random, default_kernels());
}

std::vector<uint32_t> count_to(size_t count) {
  std::vector<uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

std::vector<uint32_t> prompt_of(const WhisperModel& model, const DecodeOptions& options,
                                std::string_view language = "de") {
  auto prompt = make_prompt(model, options, language);
  if (!EXPECT_TRUE(prompt.has_value())) return {};
  return prompt->tokens;
}

void expect_refused(const Result<Prompt>& prompt, std::string_view subject,
                    std::string_view expected) {
  if (!EXPECT_FALSE(prompt.has_value())) return;
  EXPECT_EQ(prompt.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(prompt.error().subject.view(), subject);
  EXPECT_EQ(prompt.error().expected.view(), expected);
}

}  // namespace

SUSURRUS_TEST(a_prompt_names_language_task_and_timestamps) {
  auto model = small_model();
  ASSERT_TRUE(model != nullptr);
  const SpecialTokens& special = model->special_tokens();
  const uint32_t de = *special.language_token("de");
  DecodeOptions options;
  EXPECT_TRUE(prompt_of(*model, options) ==
              std::vector<uint32_t>({special.start_of_transcript, de, special.transcribe}));
  options.task = Task::translate;
  options.timestamps = false;
  EXPECT_TRUE(prompt_of(*model, options) ==
              std::vector<uint32_t>(
                  {special.start_of_transcript, de, special.translate, special.no_timestamps}));
  // A language that is not known yet keeps its place.
  EXPECT_EQ(prompt_of(*model, options, "")[1], *special.language_token("en"));

  auto english = small_model(false);
  ASSERT_TRUE(english != nullptr);
  EXPECT_EQ(prompt_of(*english, {}).size(), 1u);
}

SUSURRUS_TEST(the_end_of_a_long_prompt_is_used) {
  auto model = small_model();
  ASSERT_TRUE(model != nullptr);
  const SpecialTokens& special = model->special_tokens();
  DecodeOptions options;
  options.prompt = count_to(200);
  auto prompt = make_prompt(*model, options, "de");
  ASSERT_TRUE(prompt.has_value());
  ASSERT_EQ(prompt->tokens.size(), 1 + (kHalf - 1) + 3);
  EXPECT_EQ(prompt->tokens[0], special.start_of_previous);
  EXPECT_EQ(prompt->tokens[1], 200 - (kHalf - 1));
  EXPECT_EQ(prompt->head_count, 1 + (kHalf - 1) + 1);
  EXPECT_EQ(prompt->tokens[prompt->head_count - 1], special.start_of_transcript);

  // The reference looks for <|startoftranscript|> from the front, and finds the prompt's own.
  options.prompt = {5, special.start_of_transcript, 6};
  auto other = make_prompt(*model, options, "de");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->head_count, 3u);
}

SUSURRUS_TEST(a_prefix_is_cut_by_the_sample_length_as_in_the_reference) {
  auto model = small_model();
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  options.prefix = count_to(20);
  auto prefix = [&](std::optional<uint32_t> sample_length) {
    options.sample_length = sample_length;
    std::vector<uint32_t> tokens = prompt_of(*model, options);
    tokens.erase(tokens.begin(), tokens.begin() + 3);
    return tokens;
  };
  // The last 75 - 65 tokens.
  std::vector<uint32_t> cut = prefix(kHalf - 10);
  ASSERT_EQ(cut.size(), 10u);
  EXPECT_EQ(cut[0], 10u);
  EXPECT_EQ(prefix(kHalf - 30).size(), 20u);
  // The last 0 tokens are all of them: [-0:].
  EXPECT_EQ(prefix(std::nullopt).size(), 20u);
  EXPECT_EQ(prefix(kHalf).size(), 20u);
  // The last -4 tokens are those after the first 4.
  cut = prefix(kHalf + 4);
  ASSERT_EQ(cut.size(), 16u);
  EXPECT_EQ(cut[0], 4u);
  EXPECT_TRUE(prefix(kHalf + 40).empty());
}

SUSURRUS_TEST(what_no_context_can_hold_is_refused) {
  auto model = small_model();
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  options.prompt = count_to(kHalf);
  options.prefix = count_to(73);
  expect_refused(make_prompt(*model, options, "de"), "prefix",
                 "at most 72 tokens beside this prompt");
  options.prefix.pop_back();
  EXPECT_EQ(prompt_of(*model, options).size(), 150u);
  options.prefix = {1790};
  expect_refused(make_prompt(*model, options, "de"), "prefix", "token ids below 1790");
  options.prefix.clear();
  options.prompt = {1790};
  expect_refused(make_prompt(*model, options, "de"), "initialPrompt", "token ids below 1790");
}

SUSURRUS_TEST(languages_are_given_by_code_or_name) {
  auto model = small_model();
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  auto fixed = [&](const WhisperModel& of, std::string_view language) {
    options.language = language;
    auto code = fixed_language(of, options);
    return code ? std::string(code->view()) : std::string(code.error().subject.view());
  };
  EXPECT_EQ(fixed(*model, "de"), "de");
  EXPECT_EQ(fixed(*model, "DE"), "de");
  EXPECT_EQ(fixed(*model, "German"), "de");
  EXPECT_EQ(fixed(*model, "auto"), "");
  // The reference knows French, this model does not.
  for (const char* unknown : {"french", "fr", "", "germanic"}) {
    EXPECT_EQ(fixed(*model, unknown), "language");
  }
  auto english = small_model(false);
  ASSERT_TRUE(english != nullptr);
  EXPECT_EQ(fixed(*english, "auto"), "en");
  EXPECT_EQ(fixed(*english, "english"), "en");
  EXPECT_EQ(fixed(*english, "de"), "language");

  options.allowed_languages = {"german", "EN"};
  auto allowed = allowed_languages(*model, options);
  ASSERT_TRUE(allowed.has_value());
  EXPECT_TRUE(*allowed == std::vector<uint32_t>({*model->special_tokens().language_token("de"),
                                                 *model->special_tokens().language_token("en")}));
  options.allowed_languages = {"fr"};
  EXPECT_FALSE(allowed_languages(*model, options).has_value());
}

SUSURRUS_TEST(the_latest_first_timestamp_is_rounded_to_steps_of_the_context) {
  auto model = small_model();
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  // Steps of 30 / 37 s.
  EXPECT_EQ(max_initial_timestamp_index(*model, options).value_or(99), 1u);
  options.max_initial_timestamp = 2.0;  // 2.47 steps
  EXPECT_EQ(max_initial_timestamp_index(*model, options).value_or(99), 2u);
  options.max_initial_timestamp = 2.1;  // 2.59
  EXPECT_EQ(max_initial_timestamp_index(*model, options).value_or(99), 3u);
  // 0 sets no limit in the reference.
  options.max_initial_timestamp = 0;
  EXPECT_FALSE(max_initial_timestamp_index(*model, options).has_value());
  options.max_initial_timestamp.reset();
  options.has_no_max_initial_timestamp = true;
  EXPECT_FALSE(max_initial_timestamp_index(*model, options).has_value());
}

}  // namespace susurrus::testing::window_prompt_test
