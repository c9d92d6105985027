#pragma once
#include <algorithm>
#include <cstdint>

#include "base/aligned_buffer.h"

namespace susurrus {

/// Limits the memory for what is made of a file's many small pieces: nodes, attributes, names. A file of nothing but empty pieces would
/// otherwise take hundreds of times its size. It also asks for memory before tables double that cannot fail by themselves: that there
/// is none is then an error and no crash.
class PieceBudget {
 public:
  /// Real networks have at least 40 bytes for a node, whose records take several hundred.
  static constexpr uint64_t kFreeBytes = 8 << 20;
  static constexpr uint64_t kTimesTheFile = 4;

  /// Without a limit.
  PieceBudget() = default;
  /// A budget for pieces that take `file_byte_count` bytes in the file.
  explicit PieceBudget(uint64_t file_byte_count)
      : most_(kFreeBytes + kTimesTheFile * std::min(file_byte_count, ~uint64_t{0} / 8)) {}

  /// Call before making a piece that takes about `byte_count` bytes. limit_exceeded; out_of_memory.
  Status take(uint64_t byte_count) {
    taken_ += byte_count;
    if (taken_ > most_) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .with_expected("pieces that take little more memory than the file")
          .with_got(taken_);
    }
    if (taken_ < next_) return ok_status();
    next_ = 2 * taken_;
    // As much as comes until then. What is freed at once is there for the tables.
    const auto memory = AlignedBuffer::allocate(taken_, "pieces of the file");
    return memory ? ok_status() : Status(memory.error());
  }

 private:
  uint64_t most_ = ~uint64_t{0};
  uint64_t taken_ = 0;
  uint64_t next_ = 1 << 20;
};

/// What an entry takes of a std::vector that doubles, with the half-sized one that it is copied from.
template <typename Entry>
inline constexpr uint64_t kGrowingBytes = 3 * sizeof(Entry);

/// Memory for one name in a table of all names, without its letters.
inline constexpr uint64_t kNameBytes = 128;

}  // namespace susurrus
