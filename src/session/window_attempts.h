#pragma once
#include <memory>
#include <vector>

#include "session/window_decoder.h"

namespace susurrus {

/// A window decoded at rising temperatures until an attempt is good enough (the reference's fallback): encoded once; or,
/// where an automatic audio context has shortened it and the text is in doubt, once more in full, from the first
/// temperature on. Text that goes in circles is first tried again at the same temperature with half the weight of the
/// hot words, then without them; attempts that follow have no more than that.
/// Beam search and patience hold at temperature 0, best_of above it.
class WindowAttempts {
 public:
  /// `options.temperature` is ignored.
  static Result<std::unique_ptr<WindowAttempts>> create(
      WhisperModel& model, const DecodeOptions& options, const FallbackOptions& fallback,
      WindowDecoder::Encoding encoding = WindowDecoder::Encoding::needed);
  virtual ~WindowAttempts() = default;
  virtual Result<bool> step() = 0;
  /// The result of the kept attempt: the last one or, if none is good enough and the best is
  /// wanted, the best one.
  virtual const WindowResult& result() const = 0;
  /// All of them, in order.
  virtual const std::vector<Attempt>& attempts() const = 0;
  /// Why the first attempt was not good enough; kept if it was, or was the only one.
  virtual Decision decision() const = 0;
  /// The window holds no speech, by both thresholds.
  virtual bool is_silence() const = 0;
  /// The result is rejected: improbable, repetitive, going in circles, or, where the best attempt is wanted, half a character.
  virtual bool is_doubtful() const = 0;
};

}  // namespace susurrus
