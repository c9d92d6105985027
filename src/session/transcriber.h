#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/whisper_model.h"

namespace susurrus {

/// One timed piece of text, with the reference's fields. Times in seconds.
struct Segment {
  uint32_t id = 0;
  /// First mel frame of the window it came from (10 ms each).
  uint64_t seek = 0;
  double start = 0;
  double end = 0;
  std::string text;              // UTF-8; bytes that are not become U+FFFD
  std::vector<uint32_t> tokens;  // timestamp tokens included
  float temperature = 0;
  float avg_logprob = 0;
  float compression_ratio = 0;
  float no_speech_prob = 0;
};

/// One decoded window, as the reference's decode().
struct WindowResult {
  std::vector<uint32_t> tokens;  // without <|endoftext|>, timestamps included
  std::string text;
  float avg_logprob = 0;
  float no_speech_prob = 0;
  float temperature = 0;
  float compression_ratio = 0;
  FixedString<16> language;
};

enum class StepResult : uint8_t { need_audio, working, segment_ready, done };

/// Samples of the recording that the next step needs: 16 kHz mono, [begin, end).
struct AudioRequest {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// One recording to text, the reference's transcribe(): a first pass finds the loudest mel value of the whole file, then
/// windows of 30 s are decoded and the position moves on by the timestamps found. Audio stays with the caller, who
/// supplies the ranges asked for (at most one window and its margins), so any length runs in bounded memory.
class Transcriber {
 public:
  /// `sample_count` samples at 16 kHz in all. The model must outlive this object and serve no other work meanwhile.
  static Result<std::unique_ptr<Transcriber>> create(WhisperModel& model,
                                                     const TranscribeOptions& options,
                                                     uint64_t sample_count);
  virtual ~Transcriber() = default;

  /// Does one bounded piece of work (at most one encoder layer or one token) and says where it stands.
  virtual Result<StepResult> step() = 0;
  /// After need_audio.
  virtual AudioRequest audio_request() const = 0;
  /// Where the requested samples go (audio_request()'s size); fill it, then step() again.
  virtual std::span<float> audio_window() = 0;
  /// After segment_ready; the next step() goes on.
  virtual Segment take_segment() = 0;

  /// Language code; empty before it is known.
  virtual std::string_view language() const = 0;
  /// The whole text so far, decoded in one piece, so that a character cut by the end of a segment is whole.
  virtual std::string text() const = 0;
  /// Part of the audio that is behind us, 0 to 1.
  virtual double progress() const = 0;
};

/// One window to tokens, the reference's decode(): mel_window() of the model is already filled.
class WindowDecoder {
 public:
  enum class Encoding : uint8_t {
    needed,
    /// The model holds the encoded window already: another attempt at it.
    done,
  };
  /// `prompt_tokens`: text before this window, in front of <|startoftranscript|>; may be empty.
  static Result<std::unique_ptr<WindowDecoder>> create(WhisperModel& model,
                                                       const DecodeOptions& options,
                                                       std::span<const uint32_t> prompt_tokens,
                                                       Encoding encoding = Encoding::needed);
  virtual ~WindowDecoder() = default;
  /// True when done. Encodes first where needed.
  virtual Result<bool> step() = 0;
  virtual const WindowResult& result() const = 0;
};

}  // namespace susurrus
