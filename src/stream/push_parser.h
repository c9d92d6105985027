#pragma once
#include <algorithm>

#include "base/bytes.h"
#include "base/result.h"
#include "stream/growing_buffer.h"

namespace susurrus {

/// Cuts a stream that arrives in pieces of any size into the parts that a format consists of. The owner is a list of
/// steps: each step says what comes next.
template <typename Owner>
class PushParser {
 public:
  using Step = Status (Owner::*)(ByteSpan);
  using Done = Status (Owner::*)();

  /// Calls `step` with exactly `byte_count` bytes. When one piece holds them all, they are not copied.
  void expect(uint64_t byte_count, const char* subject, Step step) {
    gathered_.start(byte_count, subject);
    part_ = Part{Kind::whole, byte_count, step, nullptr};
  }
  /// Calls `piece` with the next `byte_count` bytes as they come, never with none, then `done`.
  void stream(uint64_t byte_count, Step piece, Done done) {
    part_ = Part{Kind::pieces, byte_count, piece, done};
  }
  /// Everything up to the end goes to `piece`.
  void stream_rest(Step piece) { part_ = Part{Kind::rest, 0, piece, nullptr}; }

  /// File offset of the next byte that no step has seen.
  uint64_t position() const { return position_; }

  /// How many of the bytes that come next go to stream() or stream_rest() as they are; the latter takes all.
  uint64_t streaming() const {
    return part_.kind == Kind::rest ? ~uint64_t{0} : part_.kind == Kind::pieces ? part_.left : 0;
  }

  /// Counts bytes of stream() as if they had come; `byte_count` is at most what is left of them. The next push goes on.
  void leave_out(uint64_t byte_count) {
    part_.left -= byte_count;
    position_ += byte_count;
  }

  Status push(Owner& owner, ByteSpan chunk) {
    for (;;) {
      const Part part = part_;
      if (part.kind == Kind::rest) {
        position_ += chunk.size();
        return chunk.empty() ? ok_status() : (owner.*part.step)(chunk);
      }
      const uint64_t missing = part.kind == Kind::whole ? gathered_.missing() : part.left;
      if (missing > 0 && chunk.empty()) return ok_status();
      const ByteSpan piece =
          chunk.first(static_cast<size_t>(std::min<uint64_t>(missing, chunk.size())));
      chunk = chunk.subspan(piece.size());
      position_ += piece.size();
      SUSURRUS_RETURN_IF_ERROR(part.kind == Kind::whole ? gather(owner, part, piece)
                                                        : pass(owner, part, piece));
    }
  }

 private:
  enum class Kind : uint8_t { whole, pieces, rest };
  struct Part {
    Kind kind = Kind::rest;
    uint64_t left = 0;
    Step step = nullptr;
    Done done = nullptr;
  };

  Status gather(Owner& owner, const Part& part, ByteSpan piece) {
    if (piece.size() == part.left) return (owner.*part.step)(piece);
    SUSURRUS_RETURN_IF_ERROR(gathered_.append(piece));
    if (gathered_.missing() > 0) return ok_status();
    // The step may start the next gathering.
    const size_t byte_count = gathered_.bytes().size();
    const AlignedBuffer whole = gathered_.take();
    return (owner.*part.step)(whole.bytes().first(byte_count));
  }

  Status pass(Owner& owner, const Part& part, ByteSpan piece) {
    part_.left -= piece.size();
    const bool is_last = part_.left == 0;
    if (!piece.empty()) SUSURRUS_RETURN_IF_ERROR((owner.*part.step)(piece));
    return is_last ? (owner.*part.done)() : ok_status();
  }

  Part part_;
  GrowingBuffer gathered_;
  uint64_t position_ = 0;
};

}  // namespace susurrus
