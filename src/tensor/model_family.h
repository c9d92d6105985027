#pragma once
#include <span>
#include <string_view>

#include "container/model_metadata.h"
#include "tensor/wanted_tensors.h"

namespace susurrus {

/// What loading needs to know about a family of models. Each family has one, which lives as long as the program.
struct ModelFamily {
  /// model_type in metadata: "whisper".
  const char* name;
  /// Whether metadata and the list of tensors can be those of a whole model.
  Status (*check)(const ModelMetadata& metadata, std::span<const TensorInfo> tensors);
  /// Once vocabulary and filterbank are known, of files that keep them at the end.
  Status (*check_late)(const ModelMetadata& metadata);
  /// Which tensors the model needs, and where the file has them.
  Result<TensorMatch> (*match)(const ModelMetadata& metadata, std::span<const TensorInfo> tensors,
                               const TensorMatchRules& rules);
  CanonicalName* canonical_name;
  /// The matrix whose packing convolutions follow: they are packed where it is. Null for a family without convolutions.
  const char* convolutions_follow;
  /// Whether its engine can be made before the weights have arrived, and then runs as far as those that have.
  bool begins_early = false;
};

/// unsupported_feature: the model is not of the family (or families) named.
Error not_of_family(const ModelMetadata& metadata, std::string_view families);
Error no_tensors();

}  // namespace susurrus
