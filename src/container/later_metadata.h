#pragma once
#include "container/model_metadata.h"

namespace susurrus {

/// Gives the metadata of a model's first shard what they lack from those of a later one.
void add_later_metadata(ModelMetadata& first, ModelMetadata& later);

}  // namespace susurrus
