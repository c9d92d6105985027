#pragma once
#include <memory>

#include "container/checkpoint_reader.h"
#include "container/file_describer.h"

namespace susurrus {

/// Describes a checkpoint of another program: its dimensions, where it says them, and its tensors with their places. Only
/// of files whose length is known (layout_not_streamable), since these formats do not mark their end.
class CheckpointDescriber : public FileDescriber {
 public:
  void set_file_byte_count(uint64_t byte_count) override { file_byte_count_ = byte_count; }
  void show_all() override { shows_all_ = true; }
  /// The first push has the file's first 64 bytes, or all there are.
  Status push(ByteSpan chunk) override;
  uint64_t skippable() const override;
  void skip(uint64_t byte_count) override;
  Status finish() override;
  std::string facts() const override;

  /// After finish().
  const Checkpoint& checkpoint() const { return reader_->checkpoint(); }

 private:
  std::optional<uint64_t> file_byte_count_;
  bool shows_all_ = false;
  uint64_t received_ = 0;
  std::unique_ptr<CheckpointReader> reader_;
};

}  // namespace susurrus
