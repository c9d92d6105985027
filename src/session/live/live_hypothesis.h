#pragma once
#include <memory>
#include <span>
#include <vector>

#include "session/decode_options.h"
#include "session/live/commit_policy.h"
#include "session/whisper_model.h"

namespace susurrus {

/// The model's text of the window so far: encoded no longer than its sound needs, decoded after the
/// committed words, and each new word with its time and the place to which the model attended.
class LiveHypothesis {
 public:
  struct Window {
    /// Frames of sound in the model's mel window.
    size_t frame_count = 0;
    /// Tokens of the words that are committed.
    std::span<const uint32_t> committed;
    /// Where the last of them ends, in seconds of the window; 0 without any.
    double committed_end = 0;
    /// Tokens of what was said before.
    std::span<const uint32_t> prompt;
    /// A code; empty for a model without languages.
    std::string_view language;
    /// The model has encoded the window, with the context of decode_options().
    bool is_encoded = false;
    /// Doubtful text is decoded again: with the whole encoder context, then at rising temperatures.
    bool is_thorough = false;
  };

  /// For a window of so many frames: no more encoder context than its sound needs, and no more text than can be said in it.
  static DecodeOptions decode_options(const WhisperModel& model, const DecodeOptions& options,
                                      size_t frame_count);

  /// `options` and what `window` points to must outlive it.
  static Result<std::unique_ptr<LiveHypothesis>> create(WhisperModel& model,
                                                        const TranscribeOptions& options,
                                                        const Window& window);
  virtual ~LiveHypothesis() = default;
  /// One bounded piece of work; true when done.
  virtual Result<bool> step() = 0;

  /// After the committed ones. Empty for silence.
  virtual std::vector<ProvisionalWord>& words() = 0;
  /// Bad text: improbable, repetitive, or going in circles.
  virtual bool is_doubtful() const = 0;
  /// It was sampled at a temperature at which text must not prompt the next window.
  virtual bool is_no_prompt() const = 0;
};

}  // namespace susurrus
