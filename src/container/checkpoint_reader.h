#pragma once
#include <memory>

#include "container/checkpoint.h"
#include "container/read_error.h"
#include "stream/push_parser.h"

namespace susurrus {

/// Reads what a file says about its weights, forwards, without reading these:
///
///   until is_complete():
///     skip(up to skippable())   bytes that the caller leaves out, when he can
///     push(some bytes)          the ones that follow, in pieces of any size
///   finish()
class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;
  /// Consumes all of `chunk`. After an error every call gives disabled_by_previous_error.
  virtual Status push(ByteSpan chunk) = 0;
  /// How many of the next bytes may be skipped.
  virtual uint64_t skippable() const = 0;
  virtual void skip(uint64_t byte_count) = 0;
  virtual bool is_complete() const = 0;
  /// Before the first push: Checkpoint::metadata gets long lists and texts in full.
  void show_all() { shows_all_ = true; }
  /// Call after the last byte; trailing bytes that are skippable() may be left out. truncated_input if others are missing.
  virtual Status finish() = 0;
  /// After finish().
  Checkpoint& checkpoint() { return checkpoint_; }

 protected:
  Checkpoint checkpoint_;
  bool shows_all_ = false;
};

/// The reader of a file of a known length; it has seen none of its bytes yet. Errors: those of recognise() and
/// cannot_read(), for a file that is not a checkpoint.
Result<std::unique_ptr<CheckpointReader>> open_checkpoint(ByteSpan first_bytes,
                                                          uint64_t file_byte_count);

/// What the readers have in common. `Reader` has `Status start()`, which says what the file begins with.
template <typename Reader>
class SteppedCheckpointReader : public CheckpointReader {
 public:
  explicit SteppedCheckpointReader(uint64_t file_byte_count) : file_byte_count_(file_byte_count) {}

  Status push(ByteSpan chunk) final {
    if (failed_) {
      return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
          .with_subject("reader");
    }
    Status status = is_started_ ? ok_status() : self().start();
    is_started_ = true;
    if (status) status = parser_.push(self(), chunk);
    failed_ = !status;
    return status;
  }
  uint64_t skippable() const final {
    return skip_end_ > parser_.position() ? skip_end_ - parser_.position() : 0;
  }
  void skip(uint64_t byte_count) final { parser_.leave_out(std::min(byte_count, skippable())); }
  bool is_complete() const final { return is_complete_; }
  Status finish() final {
    SUSURRUS_RETURN_IF_ERROR(push({}));
    if (is_complete_) return ok_status();
    failed_ = true;
    return truncated("file", file_byte_count_, parser_.position());
  }

 protected:
  using Step = typename PushParser<Reader>::Step;
  using Done = typename PushParser<Reader>::Done;

  /// `step` gets exactly `byte_count` bytes; an error if the file has fewer.
  Status expect(uint64_t byte_count, const char* subject, Step step) {
    if (byte_count > left()) return truncated(subject, byte_count, left());
    parser_.expect(byte_count, subject, step);
    return ok_status();
  }
  /// `byte_count` is at most left().
  Status pass_over(uint64_t byte_count, Done done) {
    skip_end_ = position() + byte_count;
    parser_.stream(byte_count, &SteppedCheckpointReader::ignore, done);
    return ok_status();
  }
  /// What follows does not matter.
  Status complete() {
    is_complete_ = true;
    parser_.stream_rest(&SteppedCheckpointReader::ignore);
    return ok_status();
  }

  /// In a step: of the byte after those that it was given.
  uint64_t position() const { return parser_.position(); }
  uint64_t left() const { return file_byte_count_ - std::min(position(), file_byte_count_); }
  uint64_t file_byte_count() const { return file_byte_count_; }

  Error truncated(std::string_view subject, uint64_t expected, uint64_t got) const {
    return susurrus::truncated(position(), subject).with_expected(expected).with_got(got);
  }

 private:
  Reader& self() { return static_cast<Reader&>(*this); }
  Status ignore(ByteSpan) { return ok_status(); }

  PushParser<Reader> parser_;
  uint64_t file_byte_count_;
  uint64_t skip_end_ = 0;
  bool is_started_ = false;
  bool is_complete_ = false;
  bool failed_ = false;
};

}  // namespace susurrus
