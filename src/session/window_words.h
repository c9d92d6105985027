#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/results.h"
#include "session/whisper_model.h"

namespace susurrus {

/// When the words of one window are spoken, in seconds from its beginning; punctuation is joined with its words.
class WindowWords {
 public:
  /// Times the words of a decoded window, whose encoding the model still holds. `frame_count`: mel
  /// frames of the window with content.
  static Result<std::unique_ptr<WindowWords>> create(WhisperModel& model,
                                                     const TranscribeOptions& options,
                                                     const WindowResult& window,
                                                     uint64_t frame_count);
  /// Aligns a known text: encodes mel_window() first and detects the language if `options` leave it
  /// open. If `options` follow the reference, words are as its find_alignment() returns them: not
  /// shortened, and possibly of zero length. invalid_argument: the text context cannot hold the
  /// text.
  static Result<std::unique_ptr<WindowWords>> create(WhisperModel& model,
                                                     const TranscribeOptions& options,
                                                     std::string_view text, uint64_t frame_count);
  virtual ~WindowWords() = default;
  /// One bounded piece of work; true when done.
  virtual Result<bool> step() = 0;
  virtual const std::vector<Word>& words() const = 0;
};

}  // namespace susurrus
