#include "session/session_json.h"

#include <cmath>

#include "base/decimal.h"
#include "base/json_writer.h"
#include "text/utf8.h"

namespace susurrus {
namespace {

// ---------------------------------------------------------------------------------------------------------------------
// Options

constexpr float kHotwordWeight = 5.0f;

/// One member of the options, and what it is read into.
struct Member {
  std::string_view name;
  JsonValue value;
  TranscribeOptions& options;
  const Tokenizer& tokenizer;

  Error wrong(std::string_view expected) const {
    Error error = option_error(name, expected);
    if (auto text = value.text()) return std::move(error).having(*text);
    if (value.is_null()) return std::move(error).having("null");
    if (auto number = value.number()) {
      return std::move(error).having(decimal_text(*number, 15));
    }
    return error;
  }
  Member item(JsonValue part) const { return {name, part, options, tokenizer}; }

  Status read(bool& target) const {
    auto truth = value.boolean();
    if (!truth) return wrong("true or false");
    target = *truth;
    return ok_status();
  }
  Status read(double& target, const NumberRange& range) const {
    auto number = value.number();
    if (!number || !range.holds(*number)) return wrong(range.text);
    target = *number;
    return ok_status();
  }
  Status read(float& target, const NumberRange& range) const {
    double number = 0;
    SUSURRUS_TRY(read(number, range));
    target = static_cast<float>(number);
    return ok_status();
  }
  /// Whole numbers; the range fits T.
  template <typename T>
    requires std::is_integral_v<T>
  Status read(T& target, const NumberRange& range) const {
    double number = 0;
    SUSURRUS_TRY(read(number, range));
    if (number != std::floor(number)) return wrong(range.text);
    target = static_cast<T>(number);
    return ok_status();
  }
  /// null is nullopt.
  template <typename T>
  Status read(std::optional<T>& target, const NumberRange& range) const {
    target.reset();
    if (value.is_null()) return ok_status();
    return read(target.emplace(), range);
  }
  template <typename T>
  Status read_list(std::vector<T>& target, const NumberRange& range) const {
    if (!value.is_array()) return wrong("a list");
    target.clear();
    for (JsonValue part : value.items())
      SUSURRUS_TRY(item(part).read(target.emplace_back(), range));
    return ok_status();
  }
  template <typename T>
  Status read_texts(std::vector<T>& target) const {
    if (!value.is_array()) return wrong("a list of texts");
    target.clear();
    for (JsonValue part : value.items()) {
      auto text = part.text();
      if (!text) return item(part).wrong("a list of texts");
      target.emplace_back(*text);
    }
    return ok_status();
  }
  Status read(std::string& target) const {
    auto text = value.text();
    if (!text) return wrong("text");
    target = *text;
    return ok_status();
  }
  /// Text, or token ids.
  Status read_tokens(std::vector<uint32_t>& target) const {
    constexpr NumberRange kIds{0, 4294967295.0, "text or token ids"};
    auto text = value.text();
    if (!text) {
      if (!value.is_array()) return wrong(kIds.text);
      return read_list(target, kIds);
    }
    target.clear();
    if (text->empty()) return ok_status();
    std::string spoken = " ";
    spoken += strip_white_space(*text);
    target = tokenizer.encode(spoken);
    return ok_status();
  }
};

Status read_language(const Member& member) {
  auto text = member.value.text();
  if (!text) return member.wrong("a language, or auto");
  member.options.is_language_per_window = *text == "per-window";
  member.options.decode.language = member.options.is_language_per_window ? "auto" : *text;
  return ok_status();
}

Status read_task(const Member& member) {
  const std::string_view task = member.value.text().value_or("");
  if (task != "transcribe" && task != "translate") return member.wrong("transcribe or translate");
  member.options.decode.task = task == "translate" ? Task::translate : Task::transcribe;
  return ok_status();
}

Status read_timestamps(const Member& member) {
  const std::string_view kind = member.value.text().value_or("");
  if (kind != "none" && kind != "segment" && kind != "word") {
    return member.wrong("none, segment or word");
  }
  member.options.decode.timestamps = kind != "none";
  member.options.word_timestamps = kind == "word";
  return ok_status();
}

Status read_temperature(const Member& member) {
  std::vector<double>& temperatures = member.options.fallback.temperatures;
  if (member.value.is_array()) return member.read_list(temperatures, ranges::kTemperature);
  temperatures.assign(1, 0);
  return member.read(temperatures[0], ranges::kTemperature);
}

Status read_best_of(const Member& member) {
  std::optional<uint32_t> best_of;
  SUSURRUS_TRY(member.read(best_of, ranges::kSequences));
  member.options.decode.best_of = best_of.value_or(1);
  return ok_status();
}

Status read_suppress_tokens(const Member& member) {
  constexpr NumberRange kIds{-1, 4294967295.0, "token ids, -1 or null"};
  std::vector<int64_t>& tokens = member.options.decode.suppress_tokens.emplace();
  if (member.value.is_null()) return ok_status();
  if (member.value.is_array()) return member.read_list(tokens, kIds);
  return member.read(tokens.emplace_back(), {-1, -1, kIds.text});
}

Status read_max_initial_timestamp(const Member& member) {
  DecodeOptions& decode = member.options.decode;
  SUSURRUS_TRY(member.read(decode.max_initial_timestamp, ranges::kSeconds));
  decode.has_no_max_initial_timestamp = !decode.max_initial_timestamp;
  return ok_status();
}

Status read_hotwords(const Member& member) {
  if (!member.value.is_array()) return member.wrong("a list of {text, weight}");
  std::vector<Hotword>& hotwords = member.options.decode.hotwords;
  hotwords.clear();
  for (JsonValue item : member.value.items()) {
    Hotword& hotword = hotwords.emplace_back(Hotword{{}, kHotwordWeight});
    SUSURRUS_TRY(member.item(item["text"]).read(hotword.text));
    if (!item["weight"].exists()) continue;
    SUSURRUS_TRY(member.item(item["weight"]).read(hotword.weight, ranges::kHotwordWeight));
  }
  return ok_status();
}

Status read_compatibility(const Member& member) {
  if (member.value.text().value_or("") != "openai") return member.wrong("openai");
  member.options.is_openai_compatible = true;
  return ok_status();
}

Status read_audio_context(const Member& member) {
  constexpr NumberRange kPositions{1, 65535, "full, auto, or a number of positions"};
  AudioContext& context = member.options.decode.audio_context;
  context = {};
  const auto text = member.value.text();
  if (!text) return member.read(context.positions, kPositions);
  if (*text != "full" && *text != "auto") return member.wrong(kPositions.text);
  context.is_automatic = *text == "auto";
  return ok_status();
}

Status read_normalisation(const Member& member) {
  const std::string_view kind = member.value.text().value_or("");
  if (kind != "file" && kind != "window") return member.wrong("file or window");
  member.options.normalisation = kind == "window" ? Normalisation::window : Normalisation::file;
  return ok_status();
}

struct Option {
  std::string_view name;
  Status (*read)(const Member& member);
};

// What concerns a window.
constexpr Option kWindowOptions[] = {
    {"language", read_language},
    {"languages", [](const Member& m) { return m.read_texts(m.options.decode.allowed_languages); }},
    {"task", read_task},
    {"timestamps", read_timestamps},
    {"temperature", read_temperature},
    {"bestOf", read_best_of},
    {"beamSize",
     [](const Member& m) { return m.read(m.options.decode.beam_size, ranges::kSequences); }},
    {"patience",
     [](const Member& m) { return m.read(m.options.decode.patience, ranges::kPatience); }},
    {"lengthPenalty",
     [](const Member& m) {
       return m.read(m.options.decode.length_penalty, ranges::kLengthPenalty);
     }},
    {"suppressTokens", read_suppress_tokens},
    {"suppressBlank", [](const Member& m) { return m.read(m.options.decode.suppress_blank); }},
    {"maxInitialTimestamp", read_max_initial_timestamp},
    {"initialPrompt", [](const Member& m) { return m.read_tokens(m.options.decode.prompt); }},
    {"prefix", [](const Member& m) { return m.read_tokens(m.options.decode.prefix); }},
    {"sampleLength",
     [](const Member& m) { return m.read(m.options.decode.sample_length, ranges::kSampleLength); }},
    {"compressionRatioThreshold",
     [](const Member& m) {
       return m.read(m.options.fallback.compression_ratio_threshold, ranges::kThreshold);
     }},
    {"logprobThreshold",
     [](const Member& m) {
       return m.read(m.options.fallback.logprob_threshold, ranges::kThreshold);
     }},
    {"noSpeechThreshold",
     [](const Member& m) {
       return m.read(m.options.fallback.no_speech_threshold, ranges::kThreshold);
     }},
    {"seed", [](const Member& m) { return m.read(m.options.decode.seed, ranges::kSeed); }},
    {"hotwords", read_hotwords},
    {"allowed", [](const Member& m) { return m.read_texts(m.options.decode.allowed); }},
    {"breakLoops", [](const Member& m) { return m.read(m.options.decode.break_loops); }},
    {"compatibility", read_compatibility},
    {"audioContext", read_audio_context},
    {"prependPunctuations", [](const Member& m) { return m.read(m.options.prepend_punctuations); }},
    {"appendPunctuations", [](const Member& m) { return m.read(m.options.append_punctuations); }},
};

// What concerns recordings alone.
constexpr Option kRecordingOptions[] = {
    {"minLanguageProbability",
     [](const Member& m) {
       return m.read(m.options.min_language_probability, ranges::kProbability);
     }},
    {"conditionOnPreviousText",
     [](const Member& m) { return m.read(m.options.condition_on_previous_text); }},
    {"carryInitialPrompt", [](const Member& m) { return m.read(m.options.carry_initial_prompt); }},
    {"clipTimestamps",
     [](const Member& m) { return m.read_list(m.options.clip_timestamps, ranges::kTime); }},
    {"hallucinationSilenceThreshold",
     [](const Member& m) {
       return m.read(m.options.hallucination_silence_threshold, ranges::kTime);
     }},
    {"normalisation", read_normalisation},
};

const Option* find(std::span<const Option> options, std::string_view name) {
  for (const Option& option : options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

Result<TranscribeOptions> parse(JsonValue json, const Tokenizer& tokenizer, bool is_window) {
  TranscribeOptions options;
  if (is_window) options.fallback.temperatures = {0};
  if (json.exists() && !json.is_object()) return option_error("options", "an object");
  for (auto [name, value] : json.members()) {
    const Option* option = find(kWindowOptions, name);
    if (option == nullptr && !is_window) option = find(kRecordingOptions, name);
    const Member member{name, value, options, tokenizer};
    if (option == nullptr) {
      return option_error(name, find(kRecordingOptions, name) ? "an option of one window"
                                                              : "the name of an option");
    }
    SUSURRUS_TRY(option->read(member));
  }
  if (is_window && options.is_language_per_window) {
    return option_error("language", "a language, or auto").having("per-window");
  }
  if (options.is_openai_compatible) {
    options.decode.break_loops = false;
    options.decode.allowed_languages.clear();
    options.is_language_per_window = false;
  }
  SUSURRUS_TRY(check_options(options));
  return options;
}

// ---------------------------------------------------------------------------------------------------------------------
// Results

void write(std::span<const Attempt> attempts, JsonWriter& json) {
  json.key("attempts").begin_array();
  for (const Attempt& attempt : attempts) {
    json.begin_object()
        .field("temperature", attempt.temperature)
        .field("avgLogprob", attempt.avg_logprob)
        .field("noSpeechProb", attempt.no_speech_prob)
        .field("compressionRatio", attempt.compression_ratio)
        .field("audioContext", attempt.audio_context)
        .field("decision", decision_name(attempt.decision))
        .field("text", std::string_view(attempt.text))
        .end_object();
  }
  json.end_array();
}

void write(std::span<const Word> words, JsonWriter& json) {
  json.begin_array();
  for (const Word& word : words) {
    json.begin_object()
        .field("word", std::string_view(word.word))
        .field("start", word.start)
        .field("end", word.end)
        .field("probability", word.probability)
        .end_object();
  }
  json.end_array();
}

}  // namespace

Result<TranscribeOptions> parse_transcribe_options(JsonValue options, const Tokenizer& tokenizer) {
  return parse(options, tokenizer, false);
}

Result<TranscribeOptions> parse_window_options(JsonValue options, const Tokenizer& tokenizer) {
  return parse(options, tokenizer, true);
}

std::string to_json(const Segment& segment, bool has_words) {
  JsonWriter json;
  json.begin_object()
      .field("id", segment.id)
      .field("seek", segment.seek)
      .field("start", segment.start)
      .field("end", segment.end)
      .field("text", std::string_view(segment.text))
      .field("tokens", std::span<const uint32_t>(segment.tokens))
      .field("tokenProbabilities", std::span<const float>(segment.token_probabilities))
      .field("temperature", segment.temperature)
      .field("avgLogprob", segment.avg_logprob)
      .field("compressionRatio", segment.compression_ratio)
      .field("noSpeechProb", segment.no_speech_prob)
      .field("audioContext", segment.audio_context)
      .field("language", segment.language.view())
      .field("decision", decision_name(segment.decision));
  write(segment.attempts, json);
  if (has_words) write(segment.words, json.key("words"));
  return std::move(json.end_object()).text();
}

std::string to_json(const WindowAttempts& window, const std::vector<Word>* words) {
  const WindowResult& result = window.result();
  const Decision decision = window.is_silence() ? Decision::dropped_no_speech : window.decision();
  std::vector<float> probabilities;
  for (float logprob : result.token_logprobs) probabilities.push_back(std::exp(logprob));
  JsonWriter json;
  json.begin_object()
      .field("tokens", std::span<const uint32_t>(result.tokens))
      .field("tokenProbabilities", std::span<const float>(probabilities))
      .field("text", std::string_view(result.text))
      .field("temperature", result.temperature)
      .field("avgLogprob", result.avg_logprob)
      .field("noSpeechProb", result.no_speech_prob)
      .field("compressionRatio", result.compression_ratio)
      .field("audioContext", result.audio_context)
      .field("language", result.language.view())
      .field("decision", decision_name(decision));
  write(window.attempts(), json);
  if (words != nullptr) write(*words, json.key("words"));
  return std::move(json.end_object()).text();
}

std::string to_json(std::span<const Word> words) {
  JsonWriter json;
  write(words, json);
  return std::move(json).text();
}

std::string to_json(std::span<const CandidateScore> scores) {
  JsonWriter json;
  json.begin_array();
  for (const CandidateScore& score : scores) {
    json.begin_object()
        .field("text", std::string_view(score.text))
        .field("tokens", std::span<const uint32_t>(score.tokens))
        .field("logprob", score.logprob)
        .field("avgLogprob", score.avg_logprob)
        .end_object();
  }
  return std::move(json.end_array()).text();
}

std::string to_json(std::span<const LanguageProbability> languages, const SpecialTokens& special) {
  JsonWriter json;
  json.begin_array();
  for (const LanguageProbability& each : languages) {
    json.begin_object()
        .field("language", special.language_code(each.token))
        .field("probability", each.probability)
        .end_object();
  }
  return std::move(json.end_array()).text();
}

}  // namespace susurrus
