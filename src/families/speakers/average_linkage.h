#pragma once
#include "families/speakers/growing_list.h"
#include "families/speakers/speaker_networks.h"

namespace susurrus {

/// Agglomerative clustering of voices: average linkage of cosine distances, by chains of nearest neighbours, in O(n²) and in bounded steps.
/// An item is one vector, or several that belong together from the start: the mean of their unit vectors is all that it takes.
class AverageLinkage {
 public:
  static constexpr size_t kVectorSize = SpeakerNetworks::kVectorSize;

  /// `means` are [items, kVectorSize], `counts` how many vectors each stands for; both outlive the work. One item at least.
  Status begin(std::span<const float> means, std::span<const uint32_t> counts);
  /// True when the tree is complete.
  Result<bool> step();

  /// Joined in this order, with rising distances; what came of join k is node items + k.
  struct Join {
    uint32_t left;
    uint32_t right;
    float distance;
    uint32_t vectors;
  };
  std::span<const Join> joins() const { return joins_.all(); }
  size_t item_count() const { return counts_.size(); }
  /// How many joins are not farther than that.
  size_t joins_within(double distance) const;
  struct Cut {
    size_t joins = 0;
    /// The vectors that a cluster has which counts.
    uint32_t least = 1;
  };
  /// The most joins, up to `most`, that leave `wanted` clusters of at least `least` vectors. Where none do, smaller clusters count too;
  /// there are never more than items.
  Cut cut_for(size_t wanted, uint32_t least, size_t most) const;
  /// The cluster of each item after `join_count` joins; returns how many there are. Numbers follow the tree, as those of scipy's
  /// fcluster do: where later decisions are ties, the lower number wins.
  Result<size_t> label(size_t join_count, GrowingList<uint32_t>& labels) const;

 private:
  enum class Stage : uint8_t { distances, chain, done };

  float& distance(size_t a, size_t b);
  void measure();
  bool follow_chain();
  void join(uint32_t a, uint32_t b, float distance);
  Status sort_joins();
  uint32_t vectors_of(uint32_t node) const;

  std::span<const float> means_;
  std::span<const uint32_t> counts_;
  Stage stage_ = Stage::done;
  size_t row_ = 0;
  AlignedBuffer distances_;      // f32, condensed: row after row what lies right of the diagonal
  GrowingList<uint32_t> sizes_;  // 0: was joined to another
  GrowingList<uint32_t> chain_;
  GrowingList<Join> joins_;
};

}  // namespace susurrus
