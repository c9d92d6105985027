#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "container/model_metadata.h"
#include "container/tensor_info.h"

namespace susurrus {

struct PlannedTensor {
  static constexpr uint32_t kComputed = ~0u;
  std::string name;  // OpenAI's
  Shape shape;
  Dtype dtype = Dtype::f32;
  /// With i8, once every value has been seen.
  float scale = 0;
  /// Index into the source's tensors, or kComputed.
  uint32_t source = kComputed;
};

struct ConversionPlan {
  std::vector<PlannedTensor> tensors;  // execution order
  /// Index of audio.mel_filterbank among the source's tensors.
  std::optional<uint32_t> filterbank;
  std::vector<std::string> warnings;
};

/// How tensors get their types.
enum class TypeRule : uint8_t {
  /// Vectors and both position tables stay f32; matrices and the convolutions' kernels take the type, or f16 where it is a
  /// block type and they are convolutions or have rows of no whole blocks.
  by_kind,
  /// As by_kind, but attention matrices are one type wider: q5_0 for q4_0, q5_1 for q4_1, q8_0 for
  /// q5_0 and q5_1. They lose the most and are few. Tensors already stored as the requested or the
  /// wider type stay as they are.
  by_loss,
  /// Matrices and convolutions as they are stored; integers with a scale as f16 where a half holds each of their products,
  /// else f32. Vectors and position tables as f32.
  exact,
  /// As exact, but vectors and position tables also stay as stored.
  stored,
  /// One type for all.
  uniform,
};

/// Which tensor becomes what. `dtype`: a weight type, or with `uniform` also i8; nothing with `exact` and `stored`.
Result<ConversionPlan> plan_conversion(const WhisperDimensions& dimensions,
                                       std::span<const TensorInfo> source, TypeRule rule,
                                       Dtype dtype, bool may_reverse_dims);

/// The type of a ggml file whose matrices are to be as exact as planned: that of the blocks that all of them have, f16 where
/// all matrices and convolutions are f16, else f32. invalid_argument where some are blocks and others are not of their type.
Result<Dtype> ggml_file_dtype(const ConversionPlan& exact);

/// Row `position` of the encoder's fixed sinusoids (whisper-sources.md §2), rounded where the reference rounds.
void encoder_position(uint64_t position, std::span<float> row);

}  // namespace susurrus
