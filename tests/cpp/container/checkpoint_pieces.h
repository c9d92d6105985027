// Reads a checkpoint's file in pieces, as a caller that leaves weights out or as one that cannot.
#pragma once
#include "container/apr2_builder.h"
#include "container/checkpoint_reader.h"
#include "harness.h"

namespace susurrus::testing {

/// `piece` bytes a push, at least 1; with 0 all at once.
inline Result<Checkpoint> read_checkpoint(const Bytes& file, size_t piece = 0, bool skips = true) {
  auto opened =
      open_checkpoint(ByteSpan(file).first(std::min<size_t>(file.size(), 64)), file.size());
  if (!opened) return opened.error();
  CheckpointReader& reader = **opened;
  size_t at = 0;
  while (at < file.size() && !reader.is_complete()) {
    if (skips) {
      const uint64_t count = reader.skippable();
      reader.skip(count);
      at += count;
    }
    const size_t count = std::min(piece == 0 ? file.size() : piece, file.size() - at);
    SUSURRUS_TRY(reader.push(ByteSpan(file).subspan(at, count)));
    at += count;
  }
  SUSURRUS_TRY(reader.finish());
  return std::move(reader.checkpoint());
}

/// The same however the file is cut.
inline void expect_read_error(const Bytes& file, ErrorCode code, ErrorReason reason,
                              uint64_t offset, std::string_view subject) {
  for (size_t piece : {0, 1, 7, 100}) {
    const auto result = read_checkpoint(file, piece, piece != 7);
    if (result) {
      report_failure(__FILE__, __LINE__, "accepted: " + std::string(subject));
      return;
    }
    EXPECT_EQ(error_code_name(result.error().code), error_code_name(code));
    EXPECT_EQ(error_reason_name(result.error().reason), error_reason_name(reason));
    EXPECT_EQ(result.error().offset, offset);
    EXPECT_EQ(result.error().subject.view(), subject);
  }
}

}  // namespace susurrus::testing
