#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json_document.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "session/live_recognition.h"

namespace susurrus {

/// The state of a recognition after a step.
enum class StepResult : uint8_t {
  need_audio,
  /// The next step needs weights that have not arrived, or a file that is not verified. Try again after more of it.
  need_weights,
  working,
  segment_ready,
  /// Text that was dropped, with the reason.
  rejected_ready,
  /// All that came from the audio so far has been taken: state() may be kept.
  state_ready,
  done,
};

/// Samples of the recording that the next step needs: 16 kHz mono, [begin, end).
struct AudioRequest {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Bytes the model holds: regions reserved once when the model is made, and what sequences hold for a time.
struct MemoryPlan {
  uint64_t weight_bytes = 0;
  uint64_t kv_cache_bytes = 0;    // what attention keeps of earlier positions
  uint64_t activation_bytes = 0;  // activations, scratch, one window of samples and features
  /// Held for sequences that part from each other, such as beams, as long as they last.
  uint64_t sequence_bytes = 0;
};

/// The recognition of one recording, driven in bounded steps. Audio stays with the caller, who supplies the ranges asked
/// for, so any length runs in bounded memory.
class Recognition {
 public:
  virtual ~Recognition() = default;
  /// Does one bounded piece of work and says where it stands.
  virtual Result<StepResult> step() = 0;
  /// After need_audio. Requests of a stream never go back before an earlier request's begin.
  virtual AudioRequest audio_request() const = 0;
  /// Where the requested samples go (audio_request()'s size); fill it, then step() again.
  virtual std::span<float> audio_window() = 0;
  /// A stream has ended after `sample_count` samples: call instead of filling a window that reaches past them, then
  /// step() again.
  virtual void end_audio(uint64_t sample_count) = 0;
  /// After segment_ready or rejected_ready: the segment as JSON with the API's names; the next step() goes on. A rejected
  /// one says why in its decision.
  virtual std::string take_event() = 0;

  /// After state_ready: what begin() takes to go on from here with another Recognition of the same audio, as JSON.
  virtual std::string state() const = 0;

  /// Language code; empty before it is known, or where the family knows none.
  virtual std::string_view language() const = 0;
  /// How probable that is and how much text there is in each language, as members of a JSON object with the API's names;
  /// those that the family knows.
  virtual std::string languages() const { return "{}"; }
  /// The whole text so far, decoded in one piece, so that a character cut by the end of a segment is whole.
  virtual std::string text() const = 0;
  /// Part of the audio that is behind us, 0 to 1; 0 while a stream's length is unknown.
  virtual double progress() const = 0;
};

/// A loaded model of any family, ready to compute. One computation at a time; starting another replaces it.
class Engine {
 public:
  virtual ~Engine() = default;
  /// model_type of its family: "whisper", "transducer", "acoustic".
  virtual const char* family_name() const = 0;
  virtual MemoryPlan memory_plan() const = 0;
  /// What this family alone has to say of the model, as members of the JSON object that `json` is writing.
  virtual void write_facts(JsonWriter& json) const = 0;
  /// Starts on a recording. `options` are the family's own: JSON with the API's names.
  /// `sample_count` samples at 16 kHz in all; nullopt for a stream of unknown length. `state`
  /// continues an earlier Recognition with these options; without it a new one begins. The engine
  /// must outlive the result and do no other work meanwhile. invalid_argument names an option or a
  /// member of the state.
  virtual Result<std::unique_ptr<Recognition>> begin(JsonValue options,
                                                     std::optional<uint64_t> sample_count,
                                                     JsonValue state) = 0;
  /// Starts on live audio; otherwise as begin(). unsupported_feature: the model needs the whole
  /// recording.
  virtual Result<std::unique_ptr<LiveRecognition>> begin_live(JsonValue options);
};

}  // namespace susurrus
