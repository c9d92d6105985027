// Reading WAV files in pieces of every size, and what to expect of it.
#pragma once
#include <algorithm>
#include <vector>

#include "audio/test_signals.h"
#include "audio/wav_builder.h"
#include "audio/wav_reader.h"
#include "harness.h"

namespace susurrus::testing {

struct Read {
  std::vector<float> samples;
  WavFormat format;
  bool truncated = false;
  Error error;
};

/// `piece` bytes at a time, into `room` samples at a time; a piece of 0 takes random sizes.
inline Read read_wav(const Bytes& file, size_t piece = 1 << 20, size_t room = 333) {
  Read result;
  result.error.code = ErrorCode::ok;
  WavReader reader;
  Noise noise(11);
  for (size_t at = 0; at < file.size();) {
    const size_t count = std::min(piece != 0 ? piece : 1 + noise.below(50), file.size() - at);
    // Memory of its own, so that AddressSanitizer sees a byte too many.
    const Bytes lent(file.begin() + static_cast<ptrdiff_t>(at),
                     file.begin() + static_cast<ptrdiff_t>(at + count));
    ByteSpan input = lent;
    at += count;
    while (!input.empty()) {
      std::vector<float> out(room);
      auto read = reader.read(input, out);
      if (!read) {
        result.error = read.error();
        return result;
      }
      result.samples.insert(result.samples.end(), out.begin(),
                            out.begin() + static_cast<ptrdiff_t>(*read));
    }
  }
  Status finished = reader.finish();
  if (!finished) {
    result.error = finished.error();
    return result;
  }
  result.format = reader.format();
  result.truncated = reader.is_truncated();
  return result;
}

inline void expect_samples(const Bytes& file, const std::vector<float>& expected) {
  for (size_t piece : {1u << 20, 1u, 2u, 3u, 7u, 0u}) {
    for (size_t room : {333u, 1u}) {
      const Read read = read_wav(file, piece, room);
      EXPECT_EQ(read.error.code, ErrorCode::ok);
      EXPECT_FALSE(read.truncated);
      ASSERT_EQ(read.samples.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(read.samples[i], expected[i]);
    }
  }
}

inline void expect_error(const Bytes& file, ErrorCode code, uint64_t offset) {
  for (size_t piece : {1u << 20, 1u, 7u}) {
    const Read read = read_wav(file, piece);
    EXPECT_EQ(read.error.code, code);
    EXPECT_EQ(read.error.reason, ErrorReason::bad_audio);
    EXPECT_EQ(read.error.offset, offset);
    EXPECT_FALSE(read.error.subject.empty());
    EXPECT_FALSE(read.error.expected.empty());
  }
}

}  // namespace susurrus::testing
