#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/json_document.h"
#include "container/apr1/apr1_header.h"
#include "container/apr1/apr1_index.h"
#include "container/model_reader.h"
#include "stream/lz4_block_stream.h"
#include "stream/push_parser.h"
#include "stream/running_crc32.h"
#include "stream/tail_window.h"

namespace susurrus {

/// Reads the three layouts of APR1 (FORMAT.md). The binary ones are header, index, scales, tensors, vocabulary,
/// filterbank and checksum; the JSON one has metadata and index as texts in front of the tensors. Nothing marks the end, so
/// everything is counted from the beginning, and the checksum is the last of it.
///
/// In a file of unknown length some errors wait for the end, which tells which of two they are.
class Apr1Reader : public ModelReader {
 public:
  /// `sink` outlives the reader. The JSON layout begins with json().
  Apr1Reader(ModelSink& sink, Apr1Layout layout);
  static std::unique_ptr<Apr1Reader> json(ModelSink& sink);

  void set_file_byte_count(uint64_t byte_count) override { known_byte_count_ = byte_count; }
  /// Up to what stands after the tensors.
  uint64_t skippable() const override;
  void skip(uint64_t byte_count) override;
  Status push(ByteSpan chunk) override;
  Status finish() override;

 private:
  // The steps, in file order.
  Status on_header(ByteSpan bytes);
  Status on_index(ByteSpan bytes);
  Status on_metadata_size(ByteSpan bytes);
  Status on_metadata(ByteSpan bytes);
  Status on_metadata_end();
  Status on_index_size(ByteSpan bytes);
  Status on_json_index(ByteSpan bytes);
  Status next_tensor();
  Status on_tensor(ByteSpan bytes);
  Status on_tensor_end();
  Status on_vocabulary_size(ByteSpan bytes);
  Status on_vocabulary(ByteSpan bytes);
  Status start_filterbank();
  Status on_filterbank_header(ByteSpan bytes);
  Status on_filterbank(ByteSpan bytes);
  Status on_rest(ByteSpan bytes);

  /// Parser state; also decides the error for a truncated file.
  enum class Stage : uint8_t {
    header,
    index,
    scales,
    metadata,
    index_size,
    json_index,
    data,
    vocabulary_size,
    vocabulary,
    filterbank,
    checksum,
  };

  Status take_index();
  Status trust_shapes();
  Status announce(ByteSpan header);
  Status place(const TensorInfo& tensor);
  void section(const char* name, uint64_t begin, uint64_t end);
  void wait_for_end() { parser_.stream_rest(&Apr1Reader::on_rest); }
  Status check_size(uint64_t end) const;
  Status check_end();
  Status check_checksum(size_t bytes_behind);
  Error ended_early() const;
  Error no_tensors(uint64_t byte_count) const;
  /// A cache of trueno has a JSON text and nothing like an index after it.
  Error without_list() const;
  Error vocabulary_error(uint64_t byte_count) const;
  Status fail(Error error);

  ModelSink& sink_;
  Apr1Layout layout_;
  PushParser<Apr1Reader> parser_;
  TailWindow<kApr1CrcBytes + kApr1TailBytes> tail_;
  RunningCrc32 crc_;
  std::optional<uint64_t> known_byte_count_;
  uint64_t received_ = 0;
  bool failed_ = false;
  bool finished_ = false;
  Stage stage_ = Stage::header;

  Apr1Header header_;
  uint64_t header_end_ = 0;
  uint8_t header_bytes_[kApr1HeaderBytes] = {};
  ModelMetadata metadata_;
  GrowingBuffer metadata_bytes_;
  std::string metadata_text_;
  std::optional<JsonDocument> document_;
  uint32_t json_tensor_count_ = 0;
  Apr1Index index_;
  std::optional<uint32_t> input_channels_;  // of the first convolution, where there is one

  size_t current_ = 0;
  bool placed_ = false;
  MutableByteSpan destination_;
  size_t written_ = 0;
  Lz4BlockStream lz4_;
  uint64_t section_begin_ = 0;
  uint32_t section_byte_count_ = 0;
  VocabularyBytes vocabulary_;
  AlignedBuffer filterbank_;
};

/// A part that is longer than a reader takes.
Error apr1_too_long(uint64_t offset, const char* subject, uint64_t limit, uint64_t byte_count);

}  // namespace susurrus
