#pragma once
#include <string>

#include "checkpoint_source.h"
#include "container/inspecting_reader.h"
#include "input_window.h"
#include "part_files.h"

namespace susurrus {

/// Reads and verifies a whole model, keeping only what it says about itself.
class InspectorBinding : public CheckpointSource {
 public:
  /// Before the first push: files that are described and nothing else are read too.
  void describe_all() { reader_.describe_all(); }
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  void set_byte_count(double byte_count) {
    reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
  }
  ErrorText push(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    return failure(reader_.push(*bytes));
  }
  /// Once for each file, until missing_files() is empty.
  ErrorText finish();
  std::string missing_files() const { return missing_files_text(reader_); }

  /// Empty where facts() has the metadata.
  ByteView metadata_text() const { return view(as_bytes(sink().metadata_text())); }
  /// What the model says about itself besides its metadata, as JSON.
  std::string facts() const;

  const InspectSink& sink() const { return reader_.sink(); }
  const Checkpoint& checkpoint() const override { return checkpoint_; }

 private:
  /// When the last file was read and found sound.
  void complete();

  InspectingReader reader_;
  Checkpoint checkpoint_;
  InputWindow window_{256 << 10};
};

}  // namespace susurrus
