#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// Lines of a text that comes in pieces of any size, numbered from 1, and the words in them.
class TextLines {
 public:
  static constexpr size_t kMostLineBytes = 1 << 16;

  /// Takes a piece, which is in use until next() has answered false.
  void push(ByteSpan piece) { piece_ = as_text(piece); }
  /// No piece follows.
  void finish() { is_finished_ = true; }
  /// The next line that has words; false where that needs another piece, or after the last line. limit_exceeded: a longer line than
  /// kMostLineBytes.
  Result<bool> next();
  /// Separated by spaces and tabs; good until the next call of next() or push().
  const std::vector<std::string_view>& words() const { return words_; }
  /// malformed at this line, with its number as the subject.
  Error wrong(std::string_view expected) const;

 private:
  void split(std::string_view line);
  Error at_line(ErrorCode code, ErrorReason reason) const;

  std::string_view piece_;
  /// A line of which some pieces have come, and one that is complete.
  std::string begun_;
  std::string line_;
  bool is_finished_ = false;
  uint64_t begin_ = 0;
  uint64_t next_begin_ = 0;
  uint64_t number_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace susurrus
