#pragma once
#include <span>
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
  /// What a window was found to be, most probable first. True when the language has changed to another one.
  bool detected(std::span<const LanguageProbability> found, const SpecialTokens& special);

  /// `seconds` of text in the current language.
  void add_time(double seconds);
  /// The language of most time so far; the current one before any.
  std::string_view main() const;

  using Share = TranscriptionState::LanguageShare;
  const std::vector<Share>& shares() const { return shares_; }
  /// Goes on from there.
  void resume(std::string_view current, std::vector<Share> shares) {
    current_ = current;
    shares_ = std::move(shares);
  }

 private:
  FixedString<16> current_;
  float min_probability_;
  std::vector<Share> shares_;
};

}  // namespace susurrus
