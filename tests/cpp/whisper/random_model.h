// Small Whispers with random weights, and a plain float64 forward pass to hold the network against.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "container/model_reader.h"
#include "families/whisper/whisper_family.h"
#include "kernels/kernel_support.h"
#include "tensor/weight_store.h"

namespace susurrus::testing {

/// Odd sizes everywhere: no multiple of a vector, a tile or a block.
inline constexpr WhisperDimensions kOddDimensions = {.n_vocab = 1790,
                                                     .n_audio_ctx = 37,
                                                     .n_text_ctx = 150,
                                                     .n_mels = 7,
                                                     .n_audio_layer = 2,
                                                     .n_text_layer = 2,
                                                     .n_audio_head = 5,
                                                     .n_text_head = 3,
                                                     .n_audio_state = 15,
                                                     .n_text_state = 15};
/// Rows that hold whole blocks of quantised weights.
inline constexpr WhisperDimensions kBlockDimensions = {.n_vocab = 1790,
                                                       .n_audio_ctx = 20,
                                                       .n_text_ctx = 70,
                                                       .n_mels = 8,
                                                       .n_audio_layer = 1,
                                                       .n_text_layer = 1,
                                                       .n_audio_head = 2,
                                                       .n_text_head = 4,
                                                       .n_audio_state = 32,
                                                       .n_text_state = 32};

/// The weights by name, as float64, and a store that holds them in the types asked for.
struct RandomModel {
  WhisperDimensions dimensions;
  std::map<std::string, std::vector<double>> values;
  WeightStore store{whisper_alone()};
};

/// What a file of such a model holds, in the order of whisper_tensors().
struct RandomFile {
  std::map<std::string, std::vector<double>> values;
  ModelMetadata metadata;
  std::vector<TensorInfo> infos;
  std::vector<std::unique_ptr<RandomWeight>> weights;

  ModelManifest manifest() {
    ModelManifest manifest;
    manifest.metadata = &metadata;
    manifest.tensors = infos;
    return manifest;
  }
  ByteSpan bytes(size_t tensor) const {
    return {weights[tensor]->view.data, static_cast<size_t>(infos[tensor].raw_byte_count)};
  }
};

RandomFile random_file(const WhisperDimensions& dimensions, uint64_t seed, Dtype dtype = Dtype::f32,
                       Dtype vector_dtype = Dtype::f32, bool is_multilingual = true);

/// Matrices in `dtype`, vectors and positions in `vector_dtype` where their rows allow it. The vocabulary is the bytes, then
/// Whisper's control tokens by name with the languages "en" and "de" (or "en" alone), and whatever else n_vocab holds.
/// Matrices of block types are packed if so wanted, from pieces of `piece_bytes` if that is not 0.
RandomModel random_model(const WhisperDimensions& dimensions, uint64_t seed,
                         Dtype dtype = Dtype::f32, Dtype vector_dtype = Dtype::f32,
                         bool is_multilingual = true, const WeightPacking& packing = {},
                         size_t piece_bytes = 0);

/// (T, S) of a time-major mel window (2T, M).
std::vector<double> exact_encoder(const RandomModel& model, const std::vector<double>& mel);

/// What a pass of the decoder over those encoder states gives.
struct ExactDecoding {
  std::vector<double> hidden;  // (tokens, S): after the last norm
  std::vector<double> logits;  // (tokens, V)
  // One entry for each layer's cross-attention.
  std::vector<std::vector<double>> queries;  // (tokens, S)
  std::vector<std::vector<double>> keys;     // (T, S)
};
ExactDecoding exact_decoding(const RandomModel& model, const std::vector<double>& audio,
                             const std::vector<uint32_t>& tokens);

}  // namespace susurrus::testing
