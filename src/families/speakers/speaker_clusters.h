#pragma once
#include <optional>

#include "families/speakers/average_linkage.h"

namespace susurrus {

/// How many speakers there are; 0: as many as are found.
struct SpeakerLimits {
  uint32_t fewest = 0;
  uint32_t most = 0;
};

/// Speakers out of a tree of vectors: a cut, near centres joined, small clusters dissolved. In bounded steps.
///
/// SpeakerLimits change three things. Below `fewest` clusters of the size that a speaker needs, the tree is cut lower, until there are as
/// many (as far as there are vectors, and of smaller size at last); near centres are not joined where that leaves too few. Above `most`
/// of the clusters that stay, the two whose centres are nearest are joined, whatever their distance, until there are no more than that.
class SpeakerClusters {
 public:
  static constexpr size_t kVectorSize = SpeakerNetworks::kVectorSize;

  /// `tree` is complete and made of these `means` and `counts`; all three outlive the work. `at_once`: as many speak at once, 1 to 3, so
  /// that no fewer clusters stay.
  Status begin(const AverageLinkage& tree, std::span<const float> means,
               std::span<const uint32_t> counts, size_t at_once, SpeakerLimits limits);
  /// True when done.
  Result<bool> step();

  /// [speakers, kVectorSize], of length 1.
  std::span<const double> centres() const { return centres_.all(); }
  size_t speaker_count() const { return centres_.size() / kVectorSize; }

 private:
  static constexpr uint32_t kNone = ~0u;
  /// Beyond what any two can have.
  static constexpr double kAlike = 2;
  static constexpr double kUnlike = -2;

  /// Joining near clusters, joining more, done.
  enum class Stage : uint8_t { near, most, done };
  /// A cluster that was joined to another, or dissolved, has no vectors.
  struct Cluster {
    uint32_t vectors = 0;
    /// The later cluster whose centre is most like this one's. kNone: that is not known, only that none is more alike than `likeness`.
    uint32_t nearest = kNone;
    double likeness = kUnlike;
    double length = 0;  // of the sum of its vectors
  };

  std::span<double> sum_of(size_t cluster);
  void measure_length(size_t cluster);
  double likeness(size_t a, size_t b);
  /// Whether no two clusters that count may be joined; and whether these two are such.
  bool is_blocked() const;
  bool are_needed(size_t a, size_t b) const;
  void forget_nearest();
  void find_nearest(size_t cluster);
  std::optional<size_t> most_alike();
  void join(size_t cluster);
  void count_large();
  Status dissolve();
  Status take_centres();
  size_t living() const;

  GrowingList<Cluster> clusters_;
  GrowingList<double> sums_;  // [clusters, kVectorSize]
  GrowingList<double> centres_;
  SpeakerLimits limits_;
  size_t at_once_ = 1;
  uint32_t least_ = 1;
  /// How many clusters have that many vectors; whether no fewer than limits_.fewest of them may stay.
  size_t large_count_ = 0;
  bool keeps_large_ = false;
  Stage stage_ = Stage::done;
};

}  // namespace susurrus
