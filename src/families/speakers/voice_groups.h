#pragma once
#include "families/speakers/growing_list.h"
#include "families/speakers/speaker_networks.h"

namespace susurrus {

/// Vectors before they are clustered. Distances between all of them take memory with the square of their number, so those of a long
/// recording join groups first: each the group whose centre it is near to, or else one of its own.
class VoiceGroups {
 public:
  static constexpr size_t kVectorSize = SpeakerNetworks::kVectorSize;
  /// Distances of so many take 41 MB. A recording of an hour and a half has about as many pieces.
  static constexpr size_t kMostItems = 4500;

  /// `vector_count` will come, of which no more than `most_items` are to be left.
  void begin(size_t vector_count, size_t most_items);
  /// A vector of length 1. What it costs: one product with each group.
  Status add(std::span<const float> vector);

  std::span<const float> means() const { return means_.all(); }
  std::span<const uint32_t> counts() const { return counts_.all(); }
  size_t item_count() const { return counts_.size(); }
  bool are_joined() const { return are_joined_; }
  void reset();

 private:
  void join(size_t group, std::span<const float> vector);

  bool are_joined_ = false;
  size_t most_items_ = kMostItems;
  GrowingList<float> means_;    // [items, kVectorSize]
  GrowingList<float> lengths_;  // of the means
  GrowingList<uint32_t> counts_;
};

}  // namespace susurrus
