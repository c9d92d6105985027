#pragma once
#include <memory>

#include "container/apr1/apr1_header.h"
#include "container/detect.h"
#include "container/model_reader.h"

namespace susurrus {

/// The ModelReader for a file of any format: looks at the first bytes, then hands everything to the right reader.
/// Holds back at most kDetectionBytes.
class DetectingReader : public ModelReader {
 public:
  /// `sink` outlives the reader.
  explicit DetectingReader(ModelSink& sink) : sink_(sink) {}

  void set_file_byte_count(uint64_t byte_count) override;
  NextBytes next_bytes() override { return reader_ ? reader_->next_bytes() : NextBytes(); }
  Status push(ByteSpan chunk) override;
  Status finish() override;

  /// Bytes pushed so far.
  uint64_t position() const { return position_; }

 private:
  Status choose();
  void open_apr1(Apr1Layout layout);
  Status fail(Error error);

  ModelSink& sink_;
  std::unique_ptr<ModelReader> reader_;
  uint8_t first_bytes_[kDetectionBytes] = {};
  size_t first_byte_count_ = 0;
  std::optional<uint64_t> file_byte_count_;
  uint64_t position_ = 0;
  bool failed_ = false;
};

}  // namespace susurrus
