#pragma once
#include <vector>

#include "decode/language_detection.h"
#include "session/encoder_context.h"
#include "session/whisper_model.h"

namespace susurrus {

/// Finishes an encoding that was begun (or is done), and asks which language the window is in. One that is improbable in
/// a window that was shortened is asked for again in the whole of it.
class LanguageDetector {
 public:
  /// `allowed`: the language tokens to choose from; none: every language of the model. `first`: the encoded position from which on the
  /// window is asked about.
  explicit LanguageDetector(WhisperModel& model, std::vector<uint32_t> allowed = {},
                            EncoderContext context = {}, size_t first = 0)
      : model_(model), allowed_(std::move(allowed)), context_(context), first_(first) {}
  /// True when done; the window is encoded then, the decoder reset. A model without languages has nothing to ask.
  Result<bool> step();
  /// Most probable first; shares of all the model's languages, whichever are allowed.
  const std::vector<LanguageProbability>& probabilities() const { return probabilities_; }
  /// The code of the first.
  std::string_view language() const;

 private:
  WhisperModel& model_;
  std::vector<uint32_t> allowed_;
  EncoderContext context_;
  size_t first_;
  bool is_encoded_ = false;
  std::vector<LanguageProbability> probabilities_;
};

}  // namespace susurrus
