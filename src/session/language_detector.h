#pragma once
#include <optional>
#include <vector>

#include "decode/language_detection.h"
#include "session/whisper_model.h"

namespace susurrus {

/// Finishes an encoding that was begun (or is done), and asks which language the window is in.
class LanguageDetector {
 public:
  explicit LanguageDetector(WhisperModel& model) : model_(model) {}
  /// True when done; the window is encoded then, the decoder reset.
  Result<bool> step();
  /// Most probable first.
  const std::vector<LanguageProbability>& probabilities() const { return probabilities_; }
  /// The code of the first.
  std::string_view language() const;

 private:
  WhisperModel& model_;
  bool is_encoded_ = false;
  std::vector<LanguageProbability> probabilities_;
};

}  // namespace susurrus
