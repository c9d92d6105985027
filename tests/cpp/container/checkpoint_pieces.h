// Reads a checkpoint's file in pieces, as a caller that leaves weights out or as one that cannot.
#pragma once
#include "container/apr2_builder.h"
#include "container/checkpoint_reader.h"
#include "harness.h"

namespace susurrus::testing {

/// `piece` bytes a push, at least 1; with 0 all at once.
inline Result<Checkpoint> read_checkpoint(const Bytes& file, size_t piece = 0, bool skips = true,
                                          bool shows_all = false) {
  auto opened =
      open_checkpoint(ByteSpan(file).first(std::min<size_t>(file.size(), 64)), file.size());
  if (!opened) return opened.error();
  CheckpointReader& reader = **opened;
  if (shows_all) reader.show_all();
  size_t at = 0;
  while (at < file.size() && !reader.is_complete()) {
    if (skips) {
      const uint64_t count = reader.skippable();
      reader.skip(count);
      at += count;
    }
    const size_t count = std::min(piece == 0 ? file.size() : piece, file.size() - at);
    SUSURRUS_RETURN_IF_ERROR(reader.push(ByteSpan(file).subspan(at, count)));
    at += count;
  }
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  return std::move(reader.checkpoint());
}

/// Expects one error however the file is cut.
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

/// A damaged file is rejected, or its tensors lie within it.
inline void expect_safe_when_damaged(const Bytes& sound) {
  ASSERT_TRUE(read_checkpoint(sound).has_value());
  uint32_t seed = 7;
  const auto random = [&seed](size_t limit) {
    seed = seed * 1664525 + 1013904223;
    return static_cast<size_t>((uint64_t{seed} * limit) >> 32);
  };
  size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    Bytes file = sound;
    // Mostly where the structure is, which is the beginning and the end.
    for (size_t edits = 1 + random(3); edits > 0; --edits) {
      const size_t near = random(std::min<size_t>(sound.size(), 400));
      file[random(2) == 0 ? near : sound.size() - 1 - near] = static_cast<uint8_t>(random(256));
    }
    if (random(8) == 0) file.resize(random(file.size()));
    const auto found = read_checkpoint(file, round % 3 == 0 ? 13 : 0, round % 2 == 0);
    refused += found ? 0 : 1;
    for (size_t i = 0; found && i < found->tensors.size(); ++i) {
      const TensorInfo& tensor = found->tensors[i].info;
      EXPECT_TRUE(tensor.stored_byte_count <= file.size());
      EXPECT_TRUE(tensor.file_offset <= file.size() - tensor.stored_byte_count);
    }
  }
  EXPECT_TRUE(refused > 50);
}

}  // namespace susurrus::testing
