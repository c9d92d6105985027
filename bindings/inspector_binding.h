#pragma once
#include <string>

#include "container/converted_kinds.h"
#include "container/detecting_reader.h"
#include "container/inspection.h"
#include "input_window.h"
#include "part_files.h"

namespace susurrus {

/// Reads and verifies a whole model, keeping only what it says about itself.
class InspectorBinding {
 public:
  InspectorBinding() : reader_(sink_, DetectingReader::Wanted::model, open_converted_kind) {}

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

  ByteView metadata_text() const { return view(as_bytes(metadata_text_)); }
  /// Whisper's dimensions as JSON.
  std::string architecture() const;
  /// Tokens behind each other, and where each ends; for formats whose metadata do not hold them as text.
  ByteView vocabulary_bytes() const { return view(sink_.metadata().vocabulary.bytes()); }
  TokenView vocabulary_ends() const { return view(sink_.metadata().vocabulary.ends()); }
  /// [n_mels, 201], or empty.
  FloatView filterbank() const { return view(sink_.metadata().mel_filterbank.floats()); }
  /// What the model says about itself besides its metadata, as JSON.
  std::string facts() const;

  const InspectSink& sink() const { return sink_; }

 private:
  /// When the last file was read and found sound.
  void complete();

  std::string metadata_text_;
  InspectSink sink_;
  DetectingReader reader_;
  InputWindow window_{256 << 10};
};

}  // namespace susurrus
