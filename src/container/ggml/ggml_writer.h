#pragma once
#include <memory>
#include <span>

#include "container/model_metadata.h"
#include "container/raw_tensors_writer.h"

namespace susurrus {

/// Writes one ggml file as whisper.cpp reads it (whisper-sources.md §6).
class GgmlWriter : public RawTensorsWriter {
 public:
  /// Reads name (OpenAI's), dtype, shape and stored_byte_count of each tensor. `dtype` is the
  /// file's type, which decides what type each tensor must have. `filterbank`: [n_mels, 201]. For a
  /// vocabulary of an official size, the tokens that follow from it are left out. invalid_argument
  /// for what the format or whisper.cpp has no place for.
  static Result<std::unique_ptr<GgmlWriter>> plan(const WhisperDimensions& dimensions,
                                                  std::vector<TensorInfo> tensors,
                                                  VocabularyBytes vocabulary,
                                                  std::span<const float> filterbank, Dtype dtype);

  /// What whisper.cpp reads a tensor as, in a file of such matrices.
  static Dtype tensor_dtype(std::string_view name, const Shape& shape, Dtype file_dtype);

 private:
  using RawTensorsWriter::RawTensorsWriter;
  Status check() const;
  std::vector<uint8_t> file_header() const override;
  std::vector<uint8_t> tensor_header(const TensorInfo& tensor) const override;

  WhisperDimensions dimensions_;
  VocabularyBytes vocabulary_;
  std::vector<float> filterbank_;
  Dtype dtype_ = Dtype::f32;
};

}  // namespace susurrus
