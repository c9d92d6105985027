#pragma once
#include <memory>
#include <string>

#include "checkpoint_source.h"
#include "container/checkpoint_reader.h"
#include "input_window.h"

namespace susurrus {

/// Reads everything in a checkpoint's file except its weights; checkpoint_reader.h gives the order
/// of calls.
class CheckpointBinding : public CheckpointSource {
 public:
  /// The first push has all of the file's first 64 bytes.
  explicit CheckpointBinding(double file_byte_count)
      : file_byte_count_(static_cast<uint64_t>(file_byte_count)) {}

  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText push(double byte_count);
  double skippable() const { return reader_ ? static_cast<double>(reader_->skippable()) : 0; }
  void skip(double byte_count) {
    if (reader_) reader_->skip(static_cast<uint64_t>(std::max(byte_count, 0.0)));
  }
  bool is_complete() const { return reader_ != nullptr && reader_->is_complete(); }
  ErrorText finish();

  const Checkpoint& checkpoint() const override;

 private:
  Status open(ByteSpan first_bytes);

  uint64_t file_byte_count_;
  std::unique_ptr<CheckpointReader> reader_;
  InputWindow window_{256 << 10};
};

}  // namespace susurrus
