#include "session/options_json.h"

#include <span>

#include "text/white_space.h"

namespace susurrus {
namespace {

/// One member of the options, and what it is read into.
struct Member : JsonOption {
  TranscribeOptions& options;
  const Tokenizer& tokenizer;

  Member item(JsonValue part) const { return {{name, part}, options, tokenizer}; }

  template <typename T>
  Status read_list(std::vector<T>& target, const NumberRange& range) const {
    if (!value.is_array()) return wrong("a list");
    target.clear();
    for (JsonValue part : value.items())
      SUSURRUS_RETURN_IF_ERROR(item(part).read(target.emplace_back(), range));
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
  SUSURRUS_RETURN_IF_ERROR(member.read(best_of, ranges::kBestOf));
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
  SUSURRUS_RETURN_IF_ERROR(member.read(decode.max_initial_timestamp, ranges::kMaxInitialTimestamp));
  decode.has_no_max_initial_timestamp = !decode.max_initial_timestamp;
  return ok_status();
}

Status read_hotwords(const Member& member) {
  if (!member.value.is_array()) return member.wrong("a list of {text, weight}");
  std::vector<Hotword>& hotwords = member.options.decode.hotwords;
  hotwords.clear();
  for (JsonValue item : member.value.items()) {
    Hotword& hotword = hotwords.emplace_back(Hotword{{}, kDefaultHotwordWeight});
    SUSURRUS_RETURN_IF_ERROR(member.item(item["text"]).read(hotword.text));
    if (!item["weight"].exists()) continue;
    SUSURRUS_RETURN_IF_ERROR(
        member.item(item["weight"]).read(hotword.weight, ranges::kHotwordWeight));
  }
  return ok_status();
}

Status read_compatibility(const Member& member) {
  if (member.value.text().value_or("") != "openai") return member.wrong("openai");
  member.options.is_openai_compatible = true;
  return ok_status();
}

Status read_encoder_context(const Member& member) {
  constexpr NumberRange kPositions{ranges::kEncoderContext.least, ranges::kEncoderContext.most,
                                   "full, auto, or a number of positions"};
  EncoderContext& context = member.options.decode.encoder_context;
  context = {};
  const auto text = member.value.text();
  if (!text) return member.read(context.positions, kPositions);
  if (*text != "full" && *text != "auto") return member.wrong(kPositions.text);
  context.is_automatic = *text == "auto";
  return ok_status();
}

Status read_normalization(const Member& member) {
  const std::string_view kind = member.value.text().value_or("");
  if (kind != "recording" && kind != "window") return member.wrong("recording or window");
  member.options.normalization =
      kind == "window" ? Normalization::window : Normalization::recording;
  return ok_status();
}

Status read_loudness_samples(const Member& member) {
  constexpr NumberRange kSamples{0, 9007199254740991.0, "a number of samples"};
  return member.read(member.options.loudness_samples, kSamples);
}

Status read_languages(const Member& member) {
  return member.read_texts(member.options.decode.allowed_languages);
}

Status read_allowed(const Member& member) {
  return member.read_texts(member.options.decode.allowed);
}

Status read_initial_prompt(const Member& member) {
  return member.read_tokens(member.options.decode.prompt);
}

Status read_prefix(const Member& member) {
  return member.read_tokens(member.options.decode.prefix);
}

Status read_clip_timestamps(const Member& member) {
  return member.read_list(member.options.clip_timestamps, ranges::kClipTimestamps);
}

struct Option {
  std::string_view name;
  Status (*read)(const Member& member);
};

// What concerns a window.
constexpr Option kWindowOptions[] = {
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  {name, [](const Member& m) { return m.read(m.options.decode.field, range); }},
#define SUSURRUS_OPTION_VALUE(name, field) \
  {name, [](const Member& m) { return m.read(m.options.decode.field); }},
#define SUSURRUS_OPTION_SPECIAL(name, reader) {name, reader},
#include "facts/decode_options.inc"
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  {name, [](const Member& m) { return m.read(m.options.fallback.field, range); }},
#include "facts/fallback_options.inc"
#define SUSURRUS_OPTION_VALUE(name, field) \
  {name, [](const Member& m) { return m.read(m.options.field); }},
#include "facts/window_options.inc"
};

// What concerns recordings alone.
constexpr Option kRecordingOptions[] = {
    // Not options of callers: how the package feeds what a voice detector leaves of a recording, and the second hearing of
    // streams.
    {"loudnessSamples", read_loudness_samples},
    {"heardAgain", [](const Member& m) { return m.read(m.options.is_heard_again); }},
#define SUSURRUS_OPTION_NUMBER(name, field, range) \
  {name, [](const Member& m) { return m.read(m.options.field, range); }},
#define SUSURRUS_OPTION_VALUE(name, field) \
  {name, [](const Member& m) { return m.read(m.options.field); }},
#define SUSURRUS_OPTION_SPECIAL(name, reader) {name, reader},
#include "facts/recording_options.inc"
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
    const Member member{{name, value}, options, tokenizer};
    if (option == nullptr) {
      return option_error(name, find(kRecordingOptions, name) ? "an option of one window"
                                                              : "the name of an option");
    }
    SUSURRUS_RETURN_IF_ERROR(option->read(member));
  }
  if (is_window && options.is_language_per_window) {
    return option_error("language", "a language, or auto").with_got("per-window");
  }
  if (options.is_openai_compatible) {
    options.decode.break_loops = false;
    options.decode.allowed_languages.clear();
    options.is_language_per_window = false;
    // The reference's transcribe() prompts with a space where the text is empty; its decode() has no prompt then.
    if (!is_window && json["initialPrompt"].text() == "") {
      options.decode.prompt = tokenizer.encode(" ");
    }
  }
  SUSURRUS_RETURN_IF_ERROR(check_options(options));
  return options;
}

}  // namespace

Result<TranscribeOptions> parse_transcribe_options(JsonValue options, const Tokenizer& tokenizer) {
  return parse(options, tokenizer, false);
}

Result<TranscribeOptions> parse_window_options(JsonValue options, const Tokenizer& tokenizer) {
  return parse(options, tokenizer, true);
}

}  // namespace susurrus
