#pragma once
#include <optional>
#include <span>
#include <vector>

#include "session/mel_frames.h"
#include "session/quiet_frames.h"
#include "session/whisper_model.h"

namespace susurrus {

/// Log probabilities of languages second by second: [seconds, languages].
struct LanguageProfile {
  size_t language_count = 0;
  std::vector<float> log_probabilities;

  size_t seconds() const {
    return language_count == 0 ? 0 : log_probabilities.size() / language_count;
  }
};

/// The first second of another language on the most probable path of languages through the profile, on which each change has a price.
/// None within the first or the last two seconds.
std::optional<size_t> first_change(const LanguageProfile& profile);

/// Where the language changes inside a window. The window is encoded once; for each second the decoder is asked for the language with
/// cross-attention to the three seconds around it alone.
class LanguageChanges {
 public:
  /// Finishes an encoding that was begun (or is done) of a window whose first `frame_count` mel frames are sound. `allowed`: the
  /// language tokens to choose from; none: every language of the model.
  LanguageChanges(WhisperModel& model, std::span<const uint32_t> allowed, uint64_t frame_count);

  /// True when done; the window is encoded then, the decoder reset.
  Result<bool> step();
  /// The mel frame of the window, which is at `place`, where the first other language begins: in the pause next to it, if there is one.
  std::optional<uint64_t> find(const QuietFrames& frames, WindowPlace place) const;

 private:
  /// The encoded positions that a second's language is read from.
  struct Heard {
    size_t first;
    size_t end;
  };
  Heard heard(size_t second) const;
  Status ask();

  WhisperModel& model_;
  std::vector<uint32_t> languages_;
  const size_t seconds_;
  bool is_encoded_ = false;
  LanguageProfile profile_;
};

}  // namespace susurrus
