#pragma once
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
  /// Index into the source's tensors, or kComputed.
  uint32_t source = kComputed;
};

struct ConversionPlan {
  std::vector<PlannedTensor> tensors;  // execution order
  std::vector<std::string> warnings;
};

/// Which tensor becomes what. Vectors and both position tables stay f32; matrices and the convolutions' kernels take
/// `dtype`, or f16 where it is a block type and they are convolutions or have rows of no whole blocks.
Result<ConversionPlan> plan_conversion(const WhisperDimensions& dimensions,
                                       std::span<const TensorInfo> source, Dtype dtype,
                                       bool may_reverse_dims);

/// Row `position` of the encoder's fixed sinusoids (whisper-sources.md §2), rounded where the reference rounds.
void encoder_position(uint64_t position, std::span<float> row);

}  // namespace susurrus
