#pragma once
#include <array>
#include <memory>

#include "container/checkpoint_describer.h"
#include "container/converted_kinds.h"
#include "container/detecting_reader.h"
#include "container/file_describer.h"
#include "container/inspection.h"

namespace susurrus {

/// Reads a file for inspection: looks at the first bytes, then hands everything to the format's FileDescriber or, where it has
/// none, to a DetectingReader with an InspectSink.
class InspectingReader : public ModelReader {
 public:
  InspectingReader() : reader_(sink_, DetectingReader::Wanted::model, open_converted_kind) {}

  /// Before the first push: files that only a FileDescriber reads are read as well. Skimming is for these too.
  void describe_all() { describes_ = true; }
  /// Before the first push: descriptions have long lists and texts in full.
  void show_all() { shows_all_ = true; }
  void set_file_byte_count(uint64_t byte_count) override;
  uint64_t skippable() const override;
  void skip(uint64_t byte_count) override;
  Status push(ByteSpan chunk) override;
  Status finish() override;
  std::vector<PartFile> missing_files() const override { return reader_.missing_files(); }
  size_t missing_file_count() const override { return reader_.missing_file_count(); }

  /// The tensors with what decoding them takes, of checkpoints; null of all other formats.
  const Checkpoint* checkpoint() const;
  /// Set for formats that have a FileDescriber.
  const FileDescriber* describer() const { return describer_.get(); }
  /// For the other formats.
  const InspectSink& sink() const { return sink_; }
  InspectSink& sink() { return sink_; }
  /// Bytes of all files for the others.
  uint64_t position() const { return reader_.position(); }

 private:
  Status choose();

  InspectSink sink_;
  DetectingReader reader_;
  std::unique_ptr<FileDescriber> describer_;
  CheckpointDescriber* checkpoint_ = nullptr;  // the describer, if it is one
  bool describes_ = false;
  bool shows_all_ = false;
  bool is_chosen_ = false;
  std::optional<uint64_t> file_byte_count_;
  std::array<uint8_t, kDetectionBytes> first_bytes_{};
  size_t first_byte_count_ = 0;
};

}  // namespace susurrus
