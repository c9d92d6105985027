#pragma once
#include <string>

#include "container/checkpoint.h"
#include "values.h"

namespace susurrus {

/// What has read a file of weights, for a Converter.
class CheckpointSource {
 public:
  virtual ~CheckpointSource() = default;
  /// Has no tensors before everything has been read.
  virtual const Checkpoint& checkpoint() const = 0;

  /// JSON: format, architecture (absent where the format has none), dtype of the largest tensor, hasByteLevelText, warnings.
  std::string checkpoint_facts() const;
  /// Tokens one after the other, and where each ends.
  ByteView vocabulary_bytes() const { return view(checkpoint().vocabulary.bytes()); }
  TokenView vocabulary_ends() const { return view(checkpoint().vocabulary.ends()); }
  /// [n_mels, 201], or empty.
  FloatView filterbank() const { return view(checkpoint().mel_filterbank.floats()); }
};

}  // namespace susurrus
