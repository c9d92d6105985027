// What every target shares: an input whose last bytes say how it is cut into pieces, and checks that hold for all inputs.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

/// What must hold whatever the input; the fuzzer reports the input for which it does not.
#define FUZZ_CHECK(condition)                                                             \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace susurrus::fuzz {

/// A file and, after it so that whole files are seeds, two bytes of choices.
class FuzzInput {
 public:
  static constexpr size_t kChoiceBytes = 2;

  FuzzInput(const uint8_t* data, size_t byte_count) {
    const size_t choices = byte_count < kChoiceBytes ? byte_count : kChoiceBytes;
    file_ = {data, byte_count - choices};
    for (size_t i = 0; i < choices; ++i) choices_ = choices_ << 8 | data[file_.size() + i];
  }

  ByteSpan file() const { return file_; }
  bool choice(unsigned bit) const { return (choices_ >> bit & 1) != 0; }
  /// Sizes of pieces: the same ones each time it is asked.
  uint32_t seed() const { return choices_; }

 private:
  ByteSpan file_;
  uint32_t choices_ = 0;
};

/// Pieces of a file, each in memory of its own, so that a read past one is seen.
class Pieces {
 public:
  Pieces(ByteSpan file, uint32_t seed) : left_(file), state_(seed * 2654435761u + 1) {}

  bool is_empty() const { return left_.empty(); }
  ByteSpan left() const { return left_; }
  void skip(size_t byte_count) { left_ = left_.subspan(byte_count); }

  /// The next piece: mostly a few bytes, sometimes many.
  ByteSpan next() {
    state_ = state_ * 1664525u + 1013904223u;
    const uint32_t most = (state_ >> 28) < 4 ? 4096 : 1 + (state_ >> 24) % 32;
    const size_t count = std::min<size_t>(1 + (state_ >> 8) % most, left_.size());
    piece_.assign(left_.begin(), left_.begin() + count);
    piece_.shrink_to_fit();
    skip(count);
    return piece_;
  }

 private:
  ByteSpan left_;
  uint32_t state_;
  std::vector<uint8_t> piece_;
};

/// FNV-1a over everything that shall be the same.
class Digest {
 public:
  void add(ByteSpan bytes) {
    for (uint8_t byte : bytes) value_ = (value_ ^ byte) * 1099511628211u;
  }
  void add(std::string_view text) {
    add(as_bytes(text));
    add_number(text.size());
  }
  void add_number(uint64_t number) {
    uint8_t bytes[8];
    store_le(bytes, number);
    add(ByteSpan(bytes));
  }
  void add(const Error& error) {
    add_number(static_cast<uint64_t>(error.code));
    add_number(static_cast<uint64_t>(error.reason));
    add_number(error.offset);
    add(error.subject.view());
    add(error.expected.view());
    add(error.got.view());
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14695981039346656037u;
};

}  // namespace susurrus::fuzz
