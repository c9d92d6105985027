#pragma once
#include <memory>

#include "container/detect.h"
#include "container/model_reader.h"

namespace susurrus {

using OpenReader = std::unique_ptr<ModelReader>(FileKind kind, ModelSink& sink);

/// The ModelReader for a file of any format: looks at the first bytes, then hands everything to the right reader.
/// Holds back at most kDetectionBytes.
class DetectingReader : public ModelReader {
 public:
  enum class Wanted : uint8_t { model, shard };
  /// `sink` outlives the reader. A shard is an APR2 file and nothing else. `open_more` may know readers for kinds that are
  /// not opened here; null for others.
  explicit DetectingReader(ModelSink& sink, Wanted wanted = Wanted::model,
                           OpenReader* open_more = nullptr)
      : sink_(sink), wanted_(wanted), open_more_(open_more) {}

  void set_file_byte_count(uint64_t byte_count) override;
  uint64_t skippable() const override { return reader_ ? reader_->skippable() : 0; }
  void skip(uint64_t byte_count) override;
  NextBytes next_bytes() override { return reader_ ? reader_->next_bytes() : NextBytes(); }
  Status push(ByteSpan chunk) override;
  Status finish() override;
  std::vector<PartFile> missing_files() const override {
    return reader_ ? reader_->missing_files() : std::vector<PartFile>();
  }
  size_t missing_file_count() const override { return reader_ ? reader_->missing_file_count() : 0; }

  /// Bytes pushed so far, of all files.
  uint64_t position() const { return position_; }

 private:
  Status choose();
  Status fail(Error error);

  ModelSink& sink_;
  Wanted wanted_;
  OpenReader* open_more_;
  std::unique_ptr<ModelReader> reader_;
  uint8_t first_bytes_[kDetectionBytes] = {};
  size_t first_byte_count_ = 0;
  std::optional<uint64_t> file_byte_count_;
  uint64_t position_ = 0;
  bool failed_ = false;
};

}  // namespace susurrus
