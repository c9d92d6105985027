#pragma once
#include <memory>
#include <span>
#include <string>

#include "container/model_metadata.h"
#include "container/model_writer.h"
#include "stream/running_crc32.h"

namespace susurrus {

/// Writes one APR1 file in the specification's layout (FORMAT.md), tensors without gaps in the order given.
class Apr1Writer : public ModelWriter {
 public:
  /// Reads name, dtype, shape, stored_byte_count, is_compressed and the scale count of each tensor.
  /// All tensors are f32, all f16, or all i8 with one scale each; all are compressed or none. A
  /// vocabulary without tokens and an empty filterbank get no section. `filterbank`: [n_mels, 201].
  static Result<std::unique_ptr<Apr1Writer>> plan(const WhisperDimensions& dimensions,
                                                  std::vector<TensorInfo> tensors,
                                                  const VocabularyBytes& vocabulary,
                                                  std::span<const float> filterbank);

  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  uint64_t file_byte_count() const { return file_byte_count_; }
  /// Header, index and scales.
  Status begin(ByteSink& sink);
  Status write(ByteSpan stored, ByteSink& sink) override;
  Status finish(ByteSink& sink) override;

 private:
  Apr1Writer() = default;
  Status check_tensors() const;
  Status place_tensors();
  Status encode_vocabulary(const VocabularyBytes& vocabulary);
  void encode_filterbank(uint32_t n_mels, std::span<const float> filterbank);
  std::vector<uint8_t> encode_start() const;
  Status emit(ByteSpan bytes, ByteSink& sink);

  WhisperDimensions dimensions_;
  std::vector<TensorInfo> tensors_;
  std::vector<uint8_t> vocabulary_;  // sections with their size fields
  std::vector<uint8_t> filterbank_;
  uint64_t data_offset_ = 0;
  uint64_t data_end_ = 0;
  uint64_t file_byte_count_ = 0;
  RunningCrc32 crc_;
  uint64_t position_ = 0;
  size_t current_ = 0;
};

/// The number of the official model of these dimensions; tiny's for all others.
uint8_t apr1_model_type(const WhisperDimensions& dimensions);

}  // namespace susurrus
