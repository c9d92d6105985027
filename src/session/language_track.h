#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fixed_string.h"
#include "decode/language_detection.h"
#include "session/transcription_state.h"

namespace susurrus {

/// The language from window to window, and that of most of the recording.
class LanguageTrack {
 public:
  /// `fixed` is empty where the language has to be detected. Once one is known, another takes over only when it is at
  /// least `min_probability` likely.
  LanguageTrack(std::string_view fixed, float min_probability)
      : current_(fixed), min_probability_(min_probability) {}

  /// The language for the next window; empty before the first detection.
  std::string_view current() const { return current_.view(); }
  /// How sure that was when it was found; 0 where it was not.
  double current_probability() const { return probability_; }
  /// What a window was found to be, the best first. True when the language has changed to another one.
  bool detected(std::span<const LanguageProbability> found, const SpecialTokens& special);

  /// `seconds` of text in the current language.
  void add_time(double seconds);
  /// The language of most time so far; the current one before any.
  std::string_view main() const;
  /// How sure that one was in the window where it was surest; 0 where the caller named it.
  double main_probability() const;

  using Share = TranscriptionState::LanguageShare;
  const std::vector<Share>& shares() const { return shares_; }
  /// Goes on from there.
  void resume(std::string_view current, double probability, std::vector<Share> shares) {
    current_ = current;
    probability_ = probability;
    shares_ = std::move(shares);
  }

 private:
  const Share* main_share() const;

  FixedString<16> current_;
  double probability_ = 0;
  float min_probability_;
  std::vector<Share> shares_;
};

/// The main language's probability and the seconds of text by language, with the API's names.
std::string to_json(const LanguageTrack& languages);

}  // namespace susurrus
