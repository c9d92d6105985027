#pragma once
#include "audio/mel_filterbank.h"
#include "base/json_writer.h"
#include "container/apr1/apr1_facts.h"
#include "container/detecting_reader.h"
#include "container/inspection.h"
#include "input_window.h"

namespace susurrus {

/// Reads and verifies a whole model file, keeping only what it says about itself.
class InspectorBinding {
 public:
  InspectorBinding() : reader_(sink_) {}

  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  void set_byte_count(double byte_count) {
    reader_.set_file_byte_count(static_cast<uint64_t>(byte_count));
  }
  ErrorText push(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    return failure(reader_.push(*bytes));
  }
  ErrorText finish() {
    Status status = reader_.finish();
    if (status) complete();
    return failure(status);
  }

  ByteView metadata_text() const { return view(as_bytes(metadata_text_)); }
  /// Whisper's dimensions as JSON.
  std::string architecture() const { return architecture_text(sink_.metadata().dimensions); }
  /// Tokens behind each other, and where each ends; for formats whose metadata do not hold them as text.
  ByteView vocabulary_bytes() const { return view(sink_.metadata().vocabulary.bytes()); }
  TokenView vocabulary_ends() const { return view(sink_.metadata().vocabulary.ends()); }
  /// [n_mels, 201], or empty.
  FloatView filterbank() const { return view(sink_.metadata().mel_filterbank.floats()); }
  /// What the file says about itself besides its metadata, as JSON.
  std::string facts() const {
    JsonWriter json;
    json.begin_object()
        .field("format", sink_.format())
        .field("version",
               std::to_string(sink_.version_major()) + "." + std::to_string(sink_.version_minor()))
        .field("flags", sink_.flag_names())
        .field("byteCount", reader_.position())
        .field("warnings", std::span<const std::string>(sink_.warnings()));
    json.key("tensors").begin_array();
    for (const TensorInfo& tensor : sink_.tensors()) {
      json.begin_object()
          .field("name", std::string_view(tensor.name))
          .field("dtype", dtype_traits(tensor.dtype).name)
          .field("shape", tensor.shape.dims())
          .field("offset", tensor.file_offset)
          .field("size", tensor.stored_byte_count)
          .field("rawSize", tensor.raw_byte_count);
      if (tensor.scale != 0) json.field("scale", tensor.scale);
      json.end_object();
    }
    json.end_array();
    if (!sink_.sections().empty()) {
      json.key("sections").begin_array();
      for (const FileSection& section : sink_.sections()) {
        json.begin_object()
            .field("name", section.name)
            .field("offset", section.offset)
            .field("size", section.byte_count)
            .end_object();
      }
      json.end_array();
    }
    return std::move(json.end_object()).text();
  }
  const InspectSink& sink() const { return sink_; }

 private:
  void complete() {
    metadata_text_ = sink_.header().empty() ? std::string(sink_.metadata_text())
                                            : apr1_metadata_text(sink_.header(), sink_.metadata());
    ModelMetadata& metadata = sink_.metadata();
    AlignedBuffer& filterbank = metadata.mel_filterbank;
    if (sink_.format().starts_with("APR1") && filterbank.byte_count() > 0 &&
        !MelFilterbank::is_slaney(metadata.dimensions.n_mels, std::as_const(filterbank).floats())) {
      filterbank.reset();
      sink_.on_warning(kWrongFilterbank);
    }
  }

  std::string metadata_text_;
  InspectSink sink_;
  DetectingReader reader_;
  InputWindow window_{256 << 10};
};

}  // namespace susurrus
