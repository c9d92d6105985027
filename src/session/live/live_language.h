#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/fixed_string.h"
#include "decode/language_detection.h"
#include "session/language_choice.h"

namespace susurrus {

/// The language of a stream, from what detection says of its windows.
///
/// One language for the whole stream: a window of two or three seconds can be wrong at any probability, so windows vote, each
/// with its seconds. The vote stays open until it is sure. Where detection is unsure texts are compared, those of languages that were
/// probable before as well. A clear vote changes the language at once, any other with the next utterance. A language for
/// each utterance: another one takes over when it is at least `min_probability` likely, or its text is the more probable one.
class LiveLanguage {
 public:
  enum class Scope : uint8_t { stream, utterance };

  /// `fixed`: the code of the language that need not be detected; else empty.
  LiveLanguage(std::string_view fixed, Scope scope, float min_probability)
      : current_(fixed),
        is_fixed_(!fixed.empty()),
        scope_(scope),
        min_probability_(min_probability) {}

  /// The next window, of `seconds`, shall be listened to for its language. `is_last`: no more follows.
  bool wants_detection(double seconds, bool is_last) const;
  /// Where detection of such a window is unsure, texts decide.
  LanguageRule rule(double seconds) const;
  /// The answer for a window of `seconds`, the chosen language first, `is_by_text` or by detection; it replaces the answer for less of
  /// the same sound. True when the language has changed to another one: earlier text must not prompt what follows.
  bool detected(std::span<const LanguageProbability> found, bool is_by_text, double seconds,
                const SpecialTokens& special);
  /// Words of the utterance are committed in this language.
  void settle();
  /// So many seconds of sound after the committed words shall be listened to: another language may have begun.
  bool wants_check(double seconds) const;
  /// What that sound was found to be. True if it is in another language: detection is wanted again, without the sound before.
  bool is_left(std::span<const LanguageProbability> found, const SpecialTokens& special);
  /// What follows is other sound.
  void end_window();
  /// Ends the window, too.
  void end_utterance();

  /// A code; empty before the first detection.
  std::string_view current() const { return current_.view(); }
  /// The current language's share of the votes, or what detection gave the utterance. 0 for a fixed one.
  float probability() const { return probability_; }
  /// The vote is over.
  bool is_sure() const { return is_sure_; }

 private:
  struct Vote {
    uint32_t token = 0;
    double seconds = 0;
  };

  bool is_per_utterance() const { return scope_ == Scope::utterance; }
  static void add(std::span<const Vote> votes, std::vector<Vote>& sums);
  bool take(std::string_view code, float probability);
  void remember(std::span<const LanguageProbability> found);

  FixedString<16> current_;
  FixedString<16> said_;  // that of the last committed words
  bool is_fixed_;
  Scope scope_;
  float min_probability_;
  float probability_ = 0;
  bool is_settled_ = false;
  bool is_sure_ = false;
  std::vector<Vote> votes_;  // of the windows before
  double voted_seconds_ = 0;
  std::vector<Vote> window_;  // of the one under way
  double window_seconds_ = 0;
  /// Each with the highest probability that it had, the most probable first.
  std::vector<LanguageProbability> lately_;
};

}  // namespace susurrus
