#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/results.h"

namespace susurrus {

/// A token of a live event.
struct LiveToken {
  uint32_t id = 0;
  std::string text;
  /// Seconds, as LiveEvent's.
  double time = 0;
  /// Whisper: ln of its word's probability. .april: the joiner's logit, 8 less while the token is only tentative. BW2L: ln of its
  /// probability.
  float score = 0;
  bool begins_word = false;
  bool ends_sentence = false;
};

/// What a live recognition reports while audio arrives.
struct LiveEvent {
  enum class Type : uint8_t {
    /// Replaces the partial before it.
    partial,
    /// Never changes, and ends its id.
    final,
    /// Nothing was said for a while; has no text.
    silence,
    /// The language of what follows was detected, has changed, or is sure now; has no text.
    language,
  };
  Type type = Type::partial;
  /// Words of the segment, from the first one on, that will not change any more.
  size_t committed = 0;
  /// Seconds of audio processed when the event was emitted.
  double time = 0;
  /// How probable the language is; for that type alone.
  float probability = 0;
  /// Its id is the same from the first partial to the final one, and rises from one final to the next.
  Segment segment;
  std::vector<LiveToken> tokens;
};

/// Sound to text while it comes, in bounded steps. Times are seconds of the sound that was fed.
class LiveRecognition {
 public:
  virtual ~LiveRecognition() = default;
  /// This many samples follow at once, by feed(). An engine that prefers large pieces may wait for
  /// them.
  virtual void expect(uint64_t /*sample_count*/) {}
  /// Takes 16 kHz mono samples from the front of `samples` and returns how many. Only when the work of those before is done.
  virtual Result<size_t> feed(std::span<const float> samples) = 0;
  /// Skips this many samples after a flush(). Times do not count them: the caller shifts the
  /// events.
  virtual void skip(uint64_t /*sample_count*/) {}
  /// Brings out what is still inside; the sound may go on after it. As feed().
  virtual void flush() = 0;
  /// One bounded piece of work; true when there is none left.
  virtual Result<bool> step() = 0;
  /// Those since the last call.
  virtual std::vector<LiveEvent> take_events() = 0;
  /// Memory that does not grow.
  virtual uint64_t byte_count() const = 0;
};

}  // namespace susurrus
