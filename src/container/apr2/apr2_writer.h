#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "container/tensor_info.h"
#include "stream/byte_sink.h"
#include "stream/running_crc32.h"

namespace susurrus {

struct Apr2WriterOptions {
  /// Alignment of data_offset and of each tensor, with its flag: 64 or 32. data_offset is a
  /// multiple of 64 either way.
  uint32_t alignment = 64;
  /// Sets STREAMING, if that is what the tensors' order is.
  bool is_streaming = false;
  /// Sets SHARDED.
  bool is_shard = false;
};

/// The offset of the data after metadata and index.
uint64_t apr2_data_offset(uint64_t metadata_byte_count, uint64_t index_byte_count);
/// The bytes of a tensor's index entry.
uint64_t apr2_entry_byte_count(const TensorInfo& tensor);

/// Writes one APR2 file (FORMAT.md) forwards: nothing after the last tensor but the footer.
class Apr2Writer {
 public:
  /// `tensors` in the order of their data; name, dtype, shape, stored_byte_count and is_compressed count, the rest is
  /// computed. COMPRESSED and QUANTIZED follow from the tensors.
  static Result<std::unique_ptr<Apr2Writer>> plan(std::string_view metadata,
                                                  std::vector<TensorInfo> tensors,
                                                  Apr2WriterOptions options = {});

  uint64_t file_byte_count() const { return file_byte_count_; }
  /// After finish(): of the whole file, its footer included, and the one that stands in the footer.
  uint32_t crc32() const { return crc_.value(); }
  uint32_t footer_crc32() const { return footer_crc32_; }
  uint32_t flags() const { return flags_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }

  /// Header, metadata and index; `metadata` is what plan() got.
  Status begin(std::string_view metadata, ByteSink& sink);
  /// The next stored bytes of the current tensor; padding comes by itself. A piece does not cross tensors.
  Status write(ByteSpan stored, ByteSink& sink);
  /// The footer, when every tensor is complete.
  Status finish(ByteSink& sink);

 private:
  Apr2Writer() = default;
  Status place_tensors();
  std::vector<uint8_t> encode_header() const;
  std::vector<uint8_t> encode_index() const;
  Status emit(ByteSpan bytes, ByteSink& sink);
  Status pad_to(uint64_t file_offset, ByteSink& sink);
  void skip_finished_tensors();

  std::vector<TensorInfo> tensors_;
  uint32_t alignment_ = 64;
  uint64_t metadata_byte_count_ = 0;
  uint64_t index_byte_count_ = 0;
  uint64_t data_offset_ = 0;
  uint64_t file_byte_count_ = 0;
  uint32_t flags_ = 0;
  RunningCrc32 crc_;
  uint32_t footer_crc32_ = 0;
  uint64_t position_ = 0;
  size_t current_ = 0;
};

}  // namespace susurrus
