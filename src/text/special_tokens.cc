#include "text/special_tokens.h"

#include <algorithm>

#include "facts/whisper.h"

namespace susurrus {
namespace {

// In id order; the 100th exists from large-v3 on.
constexpr const char* kLanguages[] = {
#define SUSURRUS_LANGUAGE(code) code,
#include "facts/languages.inc"
#undef SUSURRUS_LANGUAGE
};
constexpr uint32_t kLanguageCount = std::size(kLanguages);

/// What the official rules say of a vocabulary of `n_vocab` ids: where the control tokens begin, and how many languages.
struct Rules {
  uint32_t end_of_text = 0;
  uint32_t language_count = 0;
};
Rules official_rules(uint32_t table_count, uint32_t n_vocab, bool is_multilingual) {
  if (n_vocab >= kEnglishVocabulary) {
    uint32_t languages = n_vocab - 51765 - (is_multilingual ? 1 : 0);
    return {is_multilingual ? kMultilingualTextTokens : kEnglishTextTokens,
            std::clamp(languages, 99u, kLanguageCount)};
  }
  // A smaller model: its control tokens follow its table.
  uint32_t rest = n_vocab > table_count ? n_vocab - table_count : 0;
  uint32_t others = kControlTokenCount + kTimestampCount;
  return {table_count, rest > others ? std::min(rest - others, kLanguageCount) : 0};
}

std::optional<std::string_view> name_between_bars(std::string_view text) {
  if (text.size() < 5 || !text.starts_with("<|") || !text.ends_with("|>")) return std::nullopt;
  return text.substr(2, text.size() - 4);
}

/// The languages lie between <|startoftranscript|> and <|translate|>, and have codes of two or three letters.
std::vector<SpecialTokens::Language> find_languages(const Vocabulary& vocabulary, uint32_t first,
                                                    uint32_t end) {
  std::vector<SpecialTokens::Language> languages;
  for (uint32_t id = first; id < end && id - first < 2 * kLanguageCount; ++id) {
    ByteSpan token = vocabulary.token(id);
    std::string_view code;
    if (token.empty()) {
      if (id - first < kLanguageCount) code = kLanguages[id - first];
    } else if (auto name = name_between_bars(as_text(token))) {
      code = *name == "iw" ? "he" : *name;  // early files have Hebrew's old code
    }
    if (code.size() == 2 || code.size() == 3) languages.push_back({code, id});
  }
  return languages;
}

}  // namespace

SpecialTokens SpecialTokens::locate(const Vocabulary& vocabulary, uint32_t n_vocab,
                                    std::optional<bool> is_multilingual) {
  SpecialTokens tokens;
  bool by_size = n_vocab > kEnglishVocabulary;
  Rules rules =
      official_rules(vocabulary.token_count(), n_vocab, is_multilingual.value_or(by_size));
  auto locate_one = [&](std::string_view name, uint32_t by_rule) {
    return vocabulary.find(name).value_or(by_rule);
  };
  // Each rule builds on what was found before it, so that names and rules may be mixed.
  tokens.end_of_text = locate_one("<|endoftext|>", rules.end_of_text);
  tokens.start_of_transcript = locate_one("<|startoftranscript|>", tokens.end_of_text + 1);
  tokens.translate =
      locate_one("<|translate|>", tokens.start_of_transcript + 1 + rules.language_count);
  tokens.transcribe = locate_one("<|transcribe|>", tokens.translate + 1);
  tokens.start_of_lm = locate_one("<|startoflm|>", tokens.transcribe + 1);
  tokens.start_of_previous = locate_one("<|startofprev|>", tokens.start_of_lm + 1);
  tokens.no_speech =
      locate_one("<|nospeech|>", locate_one("<|nocaptions|>", tokens.start_of_previous + 1));
  tokens.no_timestamps = locate_one("<|notimestamps|>", tokens.no_speech + 1);
  tokens.timestamp_begin = locate_one("<|0.00|>", tokens.no_timestamps + 1);
  uint32_t room = n_vocab > tokens.timestamp_begin ? n_vocab - tokens.timestamp_begin : 0;
  tokens.timestamp_count = std::min(room, kTimestampCount);

  tokens.languages = find_languages(vocabulary, tokens.start_of_transcript + 1, tokens.translate);
  tokens.is_multilingual = is_multilingual.value_or(
      n_vocab >= kEnglishVocabulary ? by_size : tokens.languages.size() > 1);
  // Without a language to name, a prompt is that of an English-only model.
  if (tokens.languages.empty()) tokens.is_multilingual = false;
  return tokens;
}

std::optional<uint32_t> SpecialTokens::language_token(std::string_view code) const {
  for (const Language& language : languages) {
    if (language.code.view() == code) return language.token;
  }
  return std::nullopt;
}

std::string_view SpecialTokens::language_code(uint32_t token) const {
  for (const Language& language : languages) {
    if (language.token == token) return language.code.view();
  }
  return {};
}

uint32_t SpecialTokens::end() const {
  uint32_t last = std::max({end_of_text, start_of_transcript, translate, transcribe, start_of_lm,
                            start_of_previous, no_speech, no_timestamps});
  return std::max(last + 1, timestamp_begin + timestamp_count);
}

void SpecialTokens::append_name(uint32_t id, std::string& out) const {
  if (is_timestamp(id)) {
    uint32_t centiseconds = 2 * (id - timestamp_begin);
    out += "<|" + std::to_string(centiseconds / 100) + (centiseconds % 100 < 10 ? ".0" : ".") +
           std::to_string(centiseconds % 100) + "|>";
    return;
  }
  const std::pair<uint32_t, const char*> names[] = {
      {end_of_text, "endoftext"}, {start_of_transcript, "startoftranscript"},
      {translate, "translate"},   {transcribe, "transcribe"},
      {start_of_lm, "startoflm"}, {start_of_previous, "startofprev"},
      {no_speech, "nospeech"},    {no_timestamps, "notimestamps"}};
  std::string_view name = language_code(id);
  for (const auto& [token, text] : names) {
    if (token == id) name = text;
  }
  if (name.empty()) return;
  out += "<|";
  out += name;
  out += "|>";
}

}  // namespace susurrus
