#pragma once
#include <memory>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/results.h"
#include "session/whisper_model.h"

namespace susurrus {

/// One attempt at one window, the reference's decode(): mel_window() of the model is already filled.
class WindowDecoder {
 public:
  enum class Encoding : uint8_t {
    needed,
    /// The model holds the encoded window already: another attempt at it.
    done,
  };
  /// invalid_argument names an option that is out of range or does not fit the model. Memory for several sequences is
  /// taken here and given back when the decoder ends.
  static Result<std::unique_ptr<WindowDecoder>> create(WhisperModel& model,
                                                       const DecodeOptions& options,
                                                       Encoding encoding = Encoding::needed);
  virtual ~WindowDecoder() = default;
  /// True when done. Encodes first where needed.
  virtual Result<bool> step() = 0;
  virtual const WindowResult& result() const = 0;
};

}  // namespace susurrus
