#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "container/model_writer.h"
#include "stream/running_crc32.h"

namespace susurrus {

/// Writes one APR2 file (FORMAT.md) forwards: ALIGNED_64, nothing behind the last tensor but the footer.
class Apr2Writer : public ModelWriter {
 public:
  /// `tensors` in the order of their data; name, dtype, shape, stored_byte_count and is_compressed count, the rest is
  /// computed. `hint_flags`: STREAMING or 0; COMPRESSED and QUANTIZED follow from the tensors.
  static Result<std::unique_ptr<Apr2Writer>> plan(std::string_view metadata,
                                                  std::vector<TensorInfo> tensors,
                                                  uint32_t hint_flags);

  uint64_t file_byte_count() const override { return file_byte_count_; }
  uint32_t flags() const { return flags_; }
  const std::vector<TensorInfo>& tensors() const override { return tensors_; }

  /// Header, metadata and index; `metadata` is what plan() got.
  Status begin(std::string_view metadata, ByteSink& sink);
  /// The next stored bytes of the current tensor; padding comes by itself. A piece does not cross tensors.
  Status write(ByteSpan stored, ByteSink& sink) override;
  /// The footer, when every tensor is complete.
  Status finish(ByteSink& sink) override;

 private:
  Apr2Writer() = default;
  Status place_tensors();
  std::vector<uint8_t> encode_header() const;
  std::vector<uint8_t> encode_index() const;
  Status emit(ByteSpan bytes, ByteSink& sink);
  Status pad_to(uint64_t file_offset, ByteSink& sink);
  void skip_finished_tensors();

  std::vector<TensorInfo> tensors_;
  uint64_t metadata_byte_count_ = 0;
  uint64_t index_byte_count_ = 0;
  uint64_t data_offset_ = 0;
  uint64_t file_byte_count_ = 0;
  uint32_t flags_ = 0;
  RunningCrc32 crc_;
  uint64_t position_ = 0;
  size_t current_ = 0;
};

}  // namespace susurrus
