// Options as JSON: what they are read into, and how a wrong one is rejected.
#include <string>

#include "harness.h"
#include "session/options_json.h"
#include "session/results_json.h"
#include "text/small_vocabulary.h"

namespace susurrus::testing::window_options_test {
namespace {

using Parse = decltype(parse_window_options)*;

Tokenizer byte_tokenizer() { return tokenizer_of(byte_tokens(), 256 + 9 + 1501); }

Result<TranscribeOptions> parse(Parse parse_options, std::string_view text) {
  auto json = JsonDocument::parse(text, {0, ErrorReason::option, "options"});
  if (!json) return json.error();
  return parse_options(json->root(), byte_tokenizer());
}

TranscribeOptions parsed(std::string_view text, Parse parse_options = parse_transcribe_options) {
  auto options = parse(parse_options, text);
  if (!options) {
    report_failure(__FILE__, __LINE__, std::string(options.error().subject.view()));
    return {};
  }
  return std::move(options).value();
}

void expect_refused(std::string_view text, std::string_view subject, std::string_view expected,
                    Parse parse_options = parse_transcribe_options) {
  auto options = parse(parse_options, text);
  if (!EXPECT_FALSE(options.has_value())) return;
  EXPECT_EQ(options.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(options.error().reason, ErrorReason::option);
  EXPECT_EQ(options.error().subject.view(), subject);
  EXPECT_EQ(options.error().expected.view(), expected);
}

}  // namespace

SUSURRUS_TEST(options_left_out_are_those_of_the_reference) {
  const TranscribeOptions options = parsed("{}");
  EXPECT_EQ(options.decode.language.view(), "auto");
  EXPECT_TRUE(options.decode.timestamps);
  EXPECT_EQ(options.fallback.temperatures.size(), 6u);
  EXPECT_EQ(*options.fallback.compression_ratio_threshold, 2.4);
  EXPECT_EQ(*options.fallback.logprob_threshold, -1.0);
  EXPECT_EQ(*options.fallback.no_speech_threshold, 0.6);
  EXPECT_TRUE(options.condition_on_previous_text);
  EXPECT_TRUE(options.decode.break_loops);
  EXPECT_FALSE(options.decode.suppress_tokens.has_value());
  // One window is decoded at one temperature.
  const TranscribeOptions window = parsed("{}", parse_window_options);
  ASSERT_EQ(window.fallback.temperatures.size(), 1u);
  EXPECT_EQ(window.fallback.temperatures[0], 0.0);
}

SUSURRUS_TEST(options_are_read_by_the_names_of_the_api) {
  const TranscribeOptions options = parsed(R"json({
      "language": "de", "languages": ["de", "en"], "task": "translate", "timestamps": "word",
      "temperature": [0, 0.5], "bestOf": 3, "beamSize": 4, "patience": 1.5, "lengthPenalty": 0.25,
      "suppressTokens": [-1, 7], "suppressBlank": false, "maxInitialTimestamp": 2.5,
      "initialPrompt": [1, 2], "prefix": [3], "sampleLength": 40, "compressionRatioThreshold": 3,
      "logprobThreshold": -2, "noSpeechThreshold": 0.75, "seed": 9007199254740991,
      "hotwords": [{"text": "Ann"}, {"text": "Bo", "weight": -3}], "allowed": ["yes", "no"],
      "breakLoops": false, "prependPunctuations": "(", "appendPunctuations": ")",
      "minLanguageProbability": 0.25, "conditionOnPreviousText": false,
      "carryInitialPrompt": true, "clipTimestamps": [1, 2.5, 4],
      "hallucinationSilenceThreshold": 2, "normalization": "window"})json");
  const DecodeOptions& decode = options.decode;
  EXPECT_EQ(decode.language.view(), "de");
  ASSERT_EQ(decode.allowed_languages.size(), 2u);
  EXPECT_EQ(decode.allowed_languages[1].view(), "en");
  EXPECT_TRUE(decode.task == Task::translate);
  EXPECT_TRUE(decode.timestamps && options.word_timestamps);
  EXPECT_TRUE(options.fallback.temperatures == std::vector<double>({0, 0.5}));
  EXPECT_EQ(decode.best_of, 3u);
  EXPECT_EQ(*decode.beam_size, 4u);
  EXPECT_EQ(*decode.patience, 1.5);
  EXPECT_EQ(*decode.length_penalty, 0.25);
  EXPECT_TRUE(*decode.suppress_tokens == std::vector<int64_t>({-1, 7}));
  EXPECT_FALSE(decode.suppress_blank);
  EXPECT_EQ(*decode.max_initial_timestamp, 2.5);
  EXPECT_TRUE(decode.prompt == std::vector<uint32_t>({1, 2}));
  EXPECT_TRUE(decode.prefix == std::vector<uint32_t>({3}));
  EXPECT_EQ(*decode.sample_length, 40u);
  EXPECT_EQ(*options.fallback.compression_ratio_threshold, 3.0);
  EXPECT_EQ(*options.fallback.logprob_threshold, -2.0);
  EXPECT_EQ(*options.fallback.no_speech_threshold, 0.75);
  EXPECT_EQ(decode.seed, 9007199254740991u);
  ASSERT_EQ(decode.hotwords.size(), 2u);
  EXPECT_EQ(decode.hotwords[0].weight, 5.0f);
  EXPECT_EQ(decode.hotwords[1].text, "Bo");
  EXPECT_EQ(decode.hotwords[1].weight, -3.0f);
  EXPECT_TRUE(decode.allowed == std::vector<std::string>({"yes", "no"}));
  EXPECT_FALSE(decode.break_loops);
  EXPECT_EQ(options.prepend_punctuations, "(");
  EXPECT_EQ(options.append_punctuations, ")");
  EXPECT_EQ(options.min_language_probability, 0.25f);
  EXPECT_FALSE(options.condition_on_previous_text);
  EXPECT_TRUE(options.carry_initial_prompt);
  EXPECT_TRUE(options.clip_timestamps == std::vector<double>({1, 2.5, 4}));
  EXPECT_EQ(*options.hallucination_silence_threshold, 2.0);
  EXPECT_TRUE(options.normalization == Normalization::window);
  EXPECT_FALSE(options.is_openai_compatible);
}

SUSURRUS_TEST(null_switches_a_threshold_or_limit_off) {
  const TranscribeOptions options = parsed(R"({
      "bestOf": null, "beamSize": null, "patience": null, "lengthPenalty": null,
      "suppressTokens": null, "maxInitialTimestamp": null, "sampleLength": null,
      "compressionRatioThreshold": null, "logprobThreshold": null, "noSpeechThreshold": null,
      "hallucinationSilenceThreshold": null})");
  EXPECT_EQ(options.decode.best_of, 1u);
  EXPECT_FALSE(options.decode.beam_size || options.decode.patience ||
               options.decode.length_penalty || options.decode.sample_length);
  EXPECT_TRUE(options.decode.suppress_tokens && options.decode.suppress_tokens->empty());
  EXPECT_TRUE(options.decode.has_no_max_initial_timestamp);
  EXPECT_FALSE(options.fallback.compression_ratio_threshold || options.fallback.logprob_threshold ||
               options.fallback.no_speech_threshold);
  EXPECT_FALSE(options.hallucination_silence_threshold.has_value());
}

SUSURRUS_TEST(prompts_may_be_text) {
  // A space in front, and none around: as the reference has it.
  EXPECT_TRUE(parsed(R"({"initialPrompt": "  ab\n"})").decode.prompt ==
              std::vector<uint32_t>({' ', 'a', 'b'}));
  EXPECT_TRUE(parsed(R"({"prefix": "c"})").decode.prefix == std::vector<uint32_t>({' ', 'c'}));
  EXPECT_TRUE(parsed(R"({"initialPrompt": ""})").decode.prompt.empty());
  // The reference's transcribe() makes a space of it, which its decode() does not.
  constexpr std::string_view kEmptyAsReference =
      R"({"initialPrompt": "", "compatibility": "openai"})";
  EXPECT_EQ(parsed(kEmptyAsReference).decode.prompt.size(), 1u);
  EXPECT_TRUE(parsed(kEmptyAsReference, parse_window_options).decode.prompt.empty());
}

SUSURRUS_TEST(compatibility_switches_off_what_goes_beyond_the_reference) {
  // Members may come in any order.
  for (const char* text :
       {R"({"compatibility": "openai", "breakLoops": true, "language": "per-window"})",
        R"({"language": "per-window", "breakLoops": true, "compatibility": "openai"})"}) {
    const TranscribeOptions options = parsed(text);
    EXPECT_TRUE(options.is_openai_compatible);
    EXPECT_FALSE(options.decode.break_loops);
    EXPECT_FALSE(options.is_language_per_window);
    EXPECT_EQ(options.decode.language.view(), "auto");
  }
  EXPECT_TRUE(parsed(R"({"language": "per-window"})").is_language_per_window);
}

SUSURRUS_TEST(a_wrong_option_is_refused_by_name_and_range) {
  expect_refused(R"({"beamSize": 0})", "beamSize", "1 to 16");
  expect_refused(R"({"beamSize": 17})", "beamSize", "1 to 16");
  expect_refused(R"({"beamSize": 1.5})", "beamSize", "1 to 16");
  expect_refused(R"({"beamSize": "5"})", "beamSize", "1 to 16");
  expect_refused(R"({"bestOf": 17})", "bestOf", "1 to 16");
  expect_refused(R"({"temperature": 1.01})", "temperature", "0 to 1");
  expect_refused(R"({"temperature": -0.1})", "temperature", "0 to 1");
  expect_refused(R"({"temperature": null})", "temperature", "0 to 1");
  expect_refused(R"({"temperature": []})", "temperature", "one at least");
  expect_refused(R"({"temperature": [0, 0.5, 0.5]})", "temperature", "a rising list");
  expect_refused(R"({"patience": 2})", "patience", "none without beamSize");
  expect_refused(R"({"patience": 0, "beamSize": 2})", "patience", "0.001 to 16");
  expect_refused(R"({"patience": 0.1, "beamSize": 2})", "patience",
                 "beamSize x patience to be 1 or more");
  expect_refused(R"({"lengthPenalty": 1.5})", "lengthPenalty", "0 to 1");
  expect_refused(R"({"suppressTokens": 5})", "suppressTokens", "token ids, -1 or null");
  expect_refused(R"({"suppressTokens": [-2]})", "suppressTokens", "token ids, -1 or null");
  expect_refused(R"({"suppressBlank": 1})", "suppressBlank", "true or false");
  expect_refused(R"({"maxInitialTimestamp": 31})", "maxInitialTimestamp", "0 to 30");
  expect_refused(R"({"initialPrompt": 5})", "initialPrompt", "text or token ids");
  expect_refused(R"({"prefix": ["a"]})", "prefix", "text or token ids");
  expect_refused(R"({"sampleLength": 0})", "sampleLength", "1 to 65535");
  expect_refused(R"({"seed": -1})", "seed", "0 to 9007199254740991");
  expect_refused(R"({"hotwords": [{"text": "a", "weight": 21}]})", "hotwords", "-20 to 20");
  expect_refused(R"({"hotwords": [{"weight": 1}]})", "hotwords", "text");
  expect_refused(R"({"hotwords": [{"text": " "}]})", "hotwords", "text that is not empty");
  expect_refused(R"({"allowed": ["yes", " "]})", "allowed", "phrases that are not empty");
  expect_refused(R"({"allowed": "yes"})", "allowed", "a list of texts");
  expect_refused(R"({"language": 3})", "language", "a language, or auto");
  expect_refused(R"({"task": "sing"})", "task", "transcribe or translate");
  expect_refused(R"({"timestamps": true})", "timestamps", "none, segment or word");
  expect_refused(R"({"compatibility": "all"})", "compatibility", "openai");
  for (const char* wrong : {R"("all")", "0", "1.5", "65536", "null", "[500]"}) {
    expect_refused("{\"encoderContext\": " + std::string(wrong) + "}", "encoderContext",
                   "full, auto, or a number of positions");
  }
  expect_refused(R"({"clipTimestamps": [-1]})", "clipTimestamps", "0 to 1000000000");
  expect_refused(R"({"minLanguageProbability": 2})", "minLanguageProbability", "0 to 1");
  expect_refused(R"({"normalization": "none"})", "normalization", "recording or window");
  expect_refused(R"({"beamsize": 5})", "beamsize", "the name of an option");
  expect_refused(R"({"clipTimestamps": [0]})", "clipTimestamps", "an option of one window",
                 parse_window_options);
  expect_refused(R"({"language": "per-window"})", "language", "a language, or auto",
                 parse_window_options);
  expect_refused("[]", "options", "an object");
}

SUSURRUS_TEST(every_number_is_refused_beyond_its_range) {
  struct Row {
    std::string name;
    NumberRange range;
  };
  const Row rows[] = {
#define SUSURRUS_OPTION_NUMBER(name, field, range) {name, range},
#include "facts/decode_options.inc"
#define SUSURRUS_OPTION_NUMBER(name, field, range) {name, range},
#include "facts/fallback_options.inc"
#define SUSURRUS_OPTION_NUMBER(name, field, range) {name, range},
#include "facts/recording_options.inc"
  };
  for (const Row& row : rows) {
    for (double wrong : {row.range.least - 1, row.range.most + 1}) {
      expect_refused("{\"" + row.name + "\": " + std::to_string(wrong) + "}", row.name,
                     row.range.text);
    }
  }
}

SUSURRUS_TEST(an_encoder_context_is_a_word_or_a_number) {
  for (auto parse_options : {parse_transcribe_options, parse_window_options}) {
    auto context = [&](std::string_view text) {
      return parsed(text, parse_options).decode.encoder_context;
    };
    for (const char* full :
         {"{}", R"({"encoderContext": "full"})", R"({"compatibility": "openai"})"}) {
      EXPECT_EQ(context(full).positions, 0u);
      EXPECT_FALSE(context(full).is_automatic);
    }
    EXPECT_TRUE(context(R"({"encoderContext": "auto"})").is_automatic);
    EXPECT_EQ(context(R"({"encoderContext": 500})").positions, 500u);
    EXPECT_FALSE(context(R"({"encoderContext": 500})").is_automatic);
  }
}

SUSURRUS_TEST(results_are_written_by_the_names_of_the_api) {
  Segment segment;
  segment.id = 3;
  segment.start = 0.1;
  segment.end = 1.0;
  segment.text = " a";
  segment.tokens = {7};
  segment.token_probabilities = {0.5f};
  segment.encoder_context = 1500;
  segment.language = "en";
  segment.decision = Decision::retried_repetition;
  segment.attempts = {{0, -0.5f, 0.25f, 1.5f, 500, Decision::retried_repetition, "a a"}};
  segment.words = {{" a", 0.1, 1.0, 0.75f}};
  EXPECT_EQ(
      to_json(segment, true),
      R"({"id":3,"seek":0,"start":0.10000000000000001,"end":1,"text":" a","tokens":[7],)"
      R"("tokenProbabilities":[0.5],"temperature":0,"avgLogprob":0,"compressionRatio":0,)"
      R"("noSpeechProb":0,"encoderContext":1500,"language":"en","decision":"retried:repetition",)"
      R"("attempts":[{"temperature":0,"avgLogprob":-0.5,"noSpeechProb":0.25,)"
      R"("compressionRatio":1.5,"encoderContext":500,"decision":"retried:repetition","text":"a a"}],)"
      R"("words":[{"word":" a","start":0.10000000000000001,"end":1,"probability":0.75}]})");
  EXPECT_TRUE(to_json(segment, false).find("words") == std::string::npos);
}

}  // namespace susurrus::testing::window_options_test
