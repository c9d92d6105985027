#pragma once
#include <vector>

#include "base/result.h"
#include "container/model_metadata.h"
#include "tensor/tensor_view.h"
#include "tensor/weight_store.h"

namespace susurrus {

/// Views of a Whisper's weights in the types their file stores; the WeightStore owns the memory.
struct NormWeights {
  TensorView gamma;
  TensorView beta;
};
struct LinearWeights {
  TensorView weight;  // (out, in)
  TensorView bias;    // (out), empty where Whisper has none: keys
};
struct AttentionWeights {
  LinearWeights query;
  LinearWeights key;
  LinearWeights value;
  LinearWeights out;
};
struct MlpWeights {
  NormWeights norm;
  LinearWeights up;    // mlp.0 (4S, S)
  LinearWeights down;  // mlp.2 (S, 4S)
};
struct EncoderLayerWeights {
  NormWeights norm;
  AttentionWeights attention;
  MlpWeights mlp;
};
struct DecoderLayerWeights {
  NormWeights norm;
  AttentionWeights attention;
  NormWeights cross_norm;
  AttentionWeights cross_attention;
  MlpWeights mlp;
};

struct WhisperWeights {
  // Products with three neighbouring rows; in a block type, 3 M may be padded with zeros to whole blocks.
  LinearWeights conv1;           // (S, 3 M)
  LinearWeights conv2;           // (S, 3 S)
  TensorView encoder_positions;  // (T, S)
  std::vector<EncoderLayerWeights> encoder_layers;
  NormWeights encoder_norm;
  TensorView token_embedding;    // (V, S), also the output matrix
  TensorView decoder_positions;  // (C, S)
  std::vector<DecoderLayerWeights> decoder_layers;
  NormWeights decoder_norm;

  /// Whether all weights of this part can be used; those of the decoder only when the whole file has been verified.
  bool has_encoder = false;
  bool has_decoder = false;

  /// As they are in `store` now, which may still be filled: views of what has not arrived are empty, but for type and shape.
  /// Errors  missing_tensor and shape_mismatch name the tensor, unsupported_feature one of integers
  static Result<WhisperWeights> find(const WeightStore& store, const WhisperDimensions& dimensions);

  /// How the matrices that make keys and values of the sound are packed once they are here, in a store whose order of packed
  /// ones is `packed`; rows, unless all are packed.
  WeightLayout kv_layout(WeightLayout packed) const;
};

/// What a network needs of its dimensions to be computed at all: heads divide states, both states are equal.
Status check_computable(const WhisperDimensions& dimensions);

}  // namespace susurrus
