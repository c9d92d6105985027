#include "families/acoustic/token_decoding.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr std::string_view kBlank = "#";
constexpr std::string_view kSilence = "|";
constexpr std::string_view kEndOfSentence = "$";
constexpr uint32_t kNotListed = ~uint32_t{0};

uint32_t find(const std::vector<std::string>& names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<uint32_t>(i);
  }
  return kNotListed;
}

/// What training puts after the listed tokens, in its order.
std::vector<std::string> appended(const std::vector<std::string>& listed,
                                  const TokenSettings& settings, bool with_replabels,
                                  bool with_eos) {
  std::vector<std::string> names;
  for (uint64_t i = 1; with_replabels && i <= settings.replabel; ++i)
    names.push_back(std::to_string(i));
  if (!settings.is_asg && find(listed, kBlank) == kNotListed) names.emplace_back(kBlank);
  if (with_eos && settings.has_eos) names.emplace_back(kEndOfSentence);
  return names;
}

}  // namespace

uint64_t AcousticTokens::label_count(const std::vector<std::string>& listed,
                                     const TokenSettings& settings) {
  const uint64_t replabels = find(listed, "1") == kNotListed ? settings.replabel : 0;
  const uint64_t blank = !settings.is_asg && find(listed, kBlank) == kNotListed ? 1 : 0;
  const uint64_t eos = settings.has_eos && find(listed, kEndOfSentence) == kNotListed ? 1 : 0;
  return listed.size() + replabels + blank + eos;
}

Result<AcousticTokens> AcousticTokens::make(std::vector<std::string> listed,
                                            const TokenSettings& settings, uint64_t output_count) {
  AcousticTokens tokens;
  tokens.settings_ = settings;
  const uint64_t missing = output_count - std::min<uint64_t>(output_count, listed.size());
  bool fits = false;
  // Replabels and the end of a sentence may be listed; what fits the network decides.
  for (const bool with_replabels : {false, true}) {
    for (const bool with_eos : {false, true}) {
      // Sizes first: replabels come from the file.
      if (fits || (with_replabels && settings.replabel > missing)) continue;
      const auto more = appended(listed, settings, with_replabels, with_eos);
      if (listed.size() + more.size() != output_count) continue;
      const bool is_double = std::ranges::any_of(
          more, [&](const std::string& name) { return find(listed, name) != kNotListed; });
      if (is_double) continue;
      listed.insert(listed.end(), more.begin(), more.end());
      fits = true;
    }
  }
  if (!fits) {
    return make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
        .with_subject("tokens")
        .with_expected(std::to_string(output_count) + ", the outputs of the network")
        .with_got(label_count(listed, settings));
  }
  tokens.names_ = std::move(listed);
  if (!settings.is_asg) tokens.blank_ = find(tokens.names_, kBlank);
  return tokens;
}

uint32_t AcousticTokens::replabel_of(uint32_t token) const {
  const std::string& name = names_[token];
  uint64_t number = 0;
  if (name.empty() || name[0] == '0' || name.size() > 9) return 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return 0;
    number = 10 * number + static_cast<uint64_t>(c - '0');
  }
  return number <= settings_.replabel ? static_cast<uint32_t>(number) : 0;
}

void AcousticTokens::trim(std::vector<DecodedToken>& tokens, std::string_view name) const {
  if (name.empty()) return;
  if (!tokens.empty() && names_[tokens.front().token] == name) tokens.erase(tokens.begin());
  if (!tokens.empty() && names_[tokens.back().token] == name) tokens.pop_back();
}

std::vector<DecodedToken> AcousticTokens::tokens_of(std::span<const uint32_t> path) const {
  std::vector<DecodedToken> runs;
  for (uint32_t t = 0; t < path.size(); ++t) {
    const bool goes_on = t > 0 && path[t] == path[t - 1];
    if (path[t] == blank_) continue;
    if (goes_on) {
      runs.back().last_frame = t;
    } else {
      runs.push_back({path[t], t, t});
    }
  }
  while (settings_.has_eos && !runs.empty() && names_[runs.back().token] == kEndOfSentence) {
    runs.pop_back();
  }
  std::vector<DecodedToken> tokens;
  bool can_repeat = false;
  for (const DecodedToken& run : runs) {
    const uint32_t copies = replabel_of(run.token);
    if (copies == 0) {
      tokens.push_back(run);
    } else if (can_repeat) {
      // The replabel stands for copies of the letter before it.
      tokens.insert(tokens.end(), copies, {tokens.back().token, run.first_frame, run.last_frame});
    }
    can_repeat = copies == 0;
  }
  trim(tokens, kSilence);
  trim(tokens, settings_.surround);
  return tokens;
}

std::vector<DecodedWord> AcousticTokens::words_of(std::span<const DecodedToken> tokens) const {
  std::vector<DecodedWord> words;
  bool begins = true;
  const auto add = [&](std::string_view text, const DecodedToken& token) {
    if (text.empty()) return;
    if (begins) words.push_back({{}, token.first_frame, token.last_frame});
    begins = false;
    words.back().text.append(text);
    words.back().last_frame = token.last_frame;
  };
  const std::string_view separator = settings_.separator;
  for (const DecodedToken& token : tokens) {
    std::string_view text = names_[token.token];
    if (separator.empty()) {
      for (const std::string_view mark : {std::string_view("_"), std::string_view("▁"), kSilence}) {
        if (!text.starts_with(mark)) continue;
        begins = true;
        text.remove_prefix(mark.size());
        break;
      }
      add(text, token);
    } else if (text == separator) {
      begins = true;
    } else if (settings_.uses_word_pieces) {
      for (size_t at; (at = text.find(separator)) != std::string_view::npos;) {
        add(text.substr(0, at), token);
        begins = true;
        text.remove_prefix(at + separator.size());
      }
      add(text, token);
    } else {
      add(text, token);
    }
  }
  return words;
}

size_t AcousticTokens::final_word_count(std::span<const DecodedWord> words,
                                        std::span<const uint32_t> path, size_t final_frames) const {
  size_t count = 0;
  while (count + 1 < words.size() && words[count + 1].first_frame < final_frames) ++count;
  if (count + 1 != words.size()) return count;
  // What surrounds or ends a sentence is taken from its last word only.
  if (settings_.has_eos || !settings_.surround.empty()) return count;
  const auto rest =
      path.first(final_frames).subspan(std::min<size_t>(words.back().last_frame + 1, final_frames));
  const bool is_followed = std::ranges::any_of(
      rest, [this](uint32_t token) { return names_[token] == settings_.separator; });
  return is_followed ? count + 1 : count;
}

std::string text_of(std::span<const DecodedWord> words) {
  std::string text;
  for (const DecodedWord& word : words) {
    if (!text.empty()) text += ' ';
    text += word.text;
  }
  return text;
}

}  // namespace susurrus
