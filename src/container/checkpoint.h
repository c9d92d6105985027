#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "container/model_metadata.h"
#include "container/tensor_info.h"

namespace susurrus {

/// A tensor of a format that is converted: where it lies, and how its values come from the stored bytes.
struct CheckpointTensor {
  /// The dtype is that of the stored bytes; with `row_divisors` it is f32, which the values become.
  TensorInfo info;
  /// Which of the checkpoint's files the bytes lie in.
  uint32_t file = 0;
  /// Not empty: the bytes are signed integers of 8 bits, and a value is its integer divided by its row's number.
  std::vector<float> row_divisors;
  /// A convolution stored as [out, kernel, in]; the shape is [out, in, kernel].
  bool is_channels_last = false;
};

/// A checkpoint's files without their weights.
struct Checkpoint {
  const char* format =
      "";  // "SafeTensors", "ggml", "GGUF", "CTranslate2", "APR1", "APR1-JSON", "APR2"
  /// Empty where the format has none.
  std::string version;
  /// The file's other metadata, as the members of a JSON object; long lists and texts by their
  /// lengths, unless CheckpointReader::show_all() was called.
  JsonWriter metadata;
  /// Absent where the format leaves them to other files.
  std::optional<WhisperDimensions> dimensions;
  /// May be empty.
  VocabularyBytes vocabulary;
  /// The vocabulary is in GPT-2's printable writing instead of raw bytes.
  bool has_byte_level_text = false;
  /// f32 [n_mels, 201] row-major, or empty.
  AlignedBuffer mel_filterbank;
  std::vector<CheckpointTensor> tensors;
  /// For a sharded model: how many files hold tensors.
  uint32_t file_count = 1;
  /// Some writers list dimensions the other way round, over the same bytes.
  bool may_reverse_dims = false;
  std::vector<std::string> warnings;
};

}  // namespace susurrus
