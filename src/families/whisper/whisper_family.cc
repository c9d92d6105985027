#include "families/whisper/whisper_family.h"

#include "families/whisper/tensor_names.h"
#include "families/whisper/weights.h"
#include "families/whisper/whisper_tensors.h"

namespace susurrus {
namespace {

Status check(const ModelMetadata& metadata, std::span<const TensorInfo> tensors) {
  SUSURRUS_RETURN_IF_ERROR(check_whisper_model(metadata, tensors));
  return check_computable(metadata.whisper()->dimensions);
}

Result<TensorMatch> match(const ModelMetadata& metadata, std::span<const TensorInfo> tensors,
                          const TensorMatchRules& rules) {
  return match_whisper_tensors(metadata.whisper()->dimensions, tensors, {rules, false});
}

}  // namespace

const ModelFamily kWhisperFamily = {.name = "whisper",
                                    .check = check,
                                    .check_late = check_whisper_vocabulary,
                                    .match = match,
                                    .canonical_name = canonical_tensor_name,
                                    .convolutions_follow = "encoder.blocks.0.attn.key.weight",
                                    .begins_early = true};

std::span<const ModelFamily* const> whisper_alone() {
  static constexpr const ModelFamily* kFamilies[] = {&kWhisperFamily};
  return kFamilies;
}

}  // namespace susurrus
