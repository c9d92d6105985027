#include "families/speakers/voice_groups.h"

#include <cmath>

#include "families/speakers/vector_product.h"

namespace susurrus {
namespace {

/// Cosine distance to a group's centre up to which a vector joins it: less than that at which clusters are one speaker.
constexpr float kGroupDistance = 0.40F;

}  // namespace

void VoiceGroups::begin(size_t vector_count, size_t most_items) {
  are_joined_ = vector_count > most_items;
  most_items_ = most_items;
  means_.clear();
  lengths_.clear();
  counts_.clear();
}

Status VoiceGroups::add(std::span<const float> vector) {
  if (are_joined_) {
    size_t nearest = 0;
    float most_alike = -2;
    for (size_t group = 0; group < item_count(); ++group) {
      const float product = vector_product(means_.data() + group * kVectorSize, vector.data());
      // Opposite vectors may leave a mean without a direction.
      const float alike = lengths_[group] > 0 ? product / lengths_[group] : -1;
      if (alike <= most_alike) continue;
      most_alike = alike;
      nearest = group;
    }
    if (1 - most_alike <= kGroupDistance || item_count() == most_items_) {
      join(nearest, vector);
      return ok_status();
    }
  }
  SUSURRUS_ASSIGN_OR_RETURN(const std::span<float> mean, means_.extend(kVectorSize));
  std::ranges::copy(vector, mean.begin());
  SUSURRUS_RETURN_IF_ERROR(lengths_.add(1));
  return counts_.add(1);
}

void VoiceGroups::join(size_t group, std::span<const float> vector) {
  const auto mean = means_.all().subspan(group * kVectorSize, kVectorSize);
  const auto count = static_cast<float>(++counts_[group]);
  float square = 0;
  for (size_t i = 0; i < kVectorSize; ++i) {
    mean[i] += (vector[i] - mean[i]) / count;
    square += mean[i] * mean[i];
  }
  lengths_[group] = std::sqrt(square);
}

void VoiceGroups::reset() {
  means_.reset();
  lengths_.reset();
  counts_.reset();
}

}  // namespace susurrus
