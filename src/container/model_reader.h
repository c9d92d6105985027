#pragma once
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "container/model_metadata.h"
#include "container/tensor_info.h"

namespace susurrus {

/// Known once header, metadata and index are read; before the first weight. Formats that keep the vocabulary and the
/// filterbank after the weights say so in the metadata and give them with on_late_metadata().
struct ModelManifest {
  const char* format = "";  // "APR2"
  uint16_t version_major = 0;
  uint16_t version_minor = 0;
  uint32_t flags = 0;
  /// The weights cannot be read: tensors are not placed.
  bool is_encrypted = false;
  /// The metadata section as stored (UTF-8 JSON); valid only during on_manifest. Empty unless the sink
  /// wants_metadata_text().
  std::string_view metadata_text;
  /// The header as stored, of formats whose header takes the place of metadata; valid only during on_manifest.
  ByteSpan header;
  /// May be moved from by the sink.
  ModelMetadata* metadata = nullptr;
  /// For a model in several files, each with its own manifest: the index of this file and the
  /// number of files. The first one has the metadata.
  uint32_t part = 0;
  uint32_t part_count = 1;
  /// The file's name, where it is one of several.
  std::string_view file;
  /// In the order of their data in the file.
  std::span<const TensorInfo> tensors;
};

/// A part of a file.
struct FileSection {
  const char* name;
  uint64_t offset;
  uint64_t byte_count;
};

/// Receives what a reader finds. Decides where every tensor lives, before its first byte arrives.
class ModelSink {
 public:
  virtual ~ModelSink() = default;
  virtual Status on_manifest(ModelManifest& manifest) = 0;
  /// Called when the tensor's first byte is about to be placed, in file order. Returns memory of exactly
  /// raw_byte_count bytes that stays valid until the reader is gone, or an empty span to skip the tensor.
  virtual Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) = 0;
  /// Asked first, for a tensor that is stored as it is: true where the sink has taken memory for it, and its bytes shall go
  /// to on_tensor_bytes() in order, instead of to a place.
  virtual Result<bool> stream_tensor(const TensorInfo&) { return false; }
  virtual void on_tensor_bytes(ByteSpan) {}
  virtual void on_tensor_complete(const TensorInfo& tensor) = 0;
  /// Only where the metadata said vocabulary_follows: when the whole file is verified, what they lacked, each empty if the
  /// file has none.
  virtual Status on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) {
    (void)vocabulary, (void)mel_filterbank;
    return ok_status();
  }
  /// Called once for each section, in file order, for formats that have sections.
  virtual void on_section(const FileSection&) {}
  /// Something acceptable but noteworthy (apr.md §10, "Warn"). `text` is a stable English phrase.
  virtual void on_warning(std::string_view text) = 0;
  /// Asked before the metadata are parsed: keeping their text costs a second copy of it.
  virtual bool wants_metadata_text() const { return false; }
};

/// The preferred destination of the next bytes of a file (zero copy).
struct NextBytes {
  /// Their own place in a tensor: pushed from there, they are not copied. Empty when they have none.
  MutableByteSpan place;
  /// If there is no place yet: after how many bytes there may be one.
  uint64_t count_before_place = ~uint64_t{0};
};

/// A file that belongs to the model which is being read.
struct PartFile {
  std::string_view name;
  uint64_t byte_count = 0;
};

/// Turns the bytes of one model file, pushed in order in pieces of any size, into calls on a ModelSink.
///
/// A model in shards begins with its manifest. After finish() missing_files() lists what else has to be read: the same
/// three calls once more for each of them, in that order, until none is missing.
class ModelReader {
 public:
  virtual ~ModelReader() = default;
  /// Tells the file's length where it is known, before the first push; lets bounds be checked early.
  virtual void set_file_byte_count(uint64_t byte_count) = 0;
  /// Before the first push: what the model says about itself is read and no more, neither weights nor checksums of all bytes.
  void skim() { skims_ = true; }
  /// Before the first push: skims, and of a format that keeps its index apart from its metadata, and of a model in shards, reads
  /// no tensors' names either. There are none then.
  void skim_metadata() { skims_ = skims_metadata_ = true; }
  /// As another reader, which hands its bytes to this one.
  void skim_like(const ModelReader& reader) {
    skims_ = reader.skims_;
    skims_metadata_ = reader.skims_metadata_;
  }
  /// While skimming: how many of the next bytes need not be pushed. Otherwise 0.
  virtual uint64_t skippable() const { return 0; }
  /// Skips at most as many bytes as given.
  virtual void skip(uint64_t) {}
  /// Takes the memory of the tensor that comes next, if that is large: to be asked when there are bytes to push.
  virtual NextBytes next_bytes() { return {}; }
  /// Consumes all of `chunk` (which may be empty). After an error every call gives disabled_by_previous_error.
  virtual Status push(ByteSpan chunk) = 0;
  /// Says that no byte follows: truncated_input, checksum_mismatch, or success.
  virtual Status finish() = 0;
  /// Valid until the next push.
  virtual std::vector<PartFile> missing_files() const { return {}; }
  /// How many those are.
  virtual size_t missing_file_count() const { return 0; }

 protected:
  bool skims_ = false;
  bool skims_metadata_ = false;
};

}  // namespace susurrus
