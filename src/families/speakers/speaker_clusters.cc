#include "families/speakers/speaker_clusters.h"

#include <cmath>
#include <optional>

#include "base/sort.h"

namespace susurrus {
namespace {

/// Mean cosine distance up to which clusters of the tree are joined, and that of two centres.
constexpr double kTreeDistance = 0.60;
constexpr double kCentreDistance = 0.45;
constexpr uint32_t kFewestVectors = 3;
/// Products of two centres that a step takes, or as many as one cluster has with all others.
constexpr size_t kJoinStepProducts = 10000;

/// The vectors that a speaker needs: a tenth of all (halves to the even number), 1 to 3.
uint32_t vectors_needed(uint32_t all) {
  const double tenth = std::nearbyint(0.1 * all);
  if (tenth < 1) return 1;
  return tenth > kFewestVectors ? kFewestVectors : static_cast<uint32_t>(tenth);
}

}  // namespace

Status SpeakerClusters::begin(const AverageLinkage& tree, std::span<const float> means,
                              std::span<const uint32_t> counts, size_t at_once,
                              SpeakerLimits limits) {
  uint32_t all = 0;
  for (uint32_t count : counts) all += count;
  limits_ = limits;
  at_once_ = limits.most == 0 ? at_once : std::min<size_t>(at_once, limits.most);
  AverageLinkage::Cut cut{tree.joins_within(kTreeDistance), vectors_needed(all)};
  keeps_large_ = limits.fewest > 1;
  if (keeps_large_) cut = tree.cut_for(limits.fewest, cut.least, cut.joins);
  least_ = cut.least;

  GrowingList<uint32_t> labels;
  SUSURRUS_ASSIGN_OR_RETURN(const size_t cluster_count, tree.label(cut.joins, labels));
  SUSURRUS_RETURN_IF_ERROR(clusters_.fill(cluster_count, {}));
  SUSURRUS_RETURN_IF_ERROR(sums_.fill(cluster_count * kVectorSize, 0));
  for (size_t item = 0; item < labels.size(); ++item) {
    const std::span<double> sum = sum_of(labels[item]);
    const float* const mean = means.data() + item * kVectorSize;
    for (size_t i = 0; i < kVectorSize; ++i) sum[i] += double{mean[i]} * counts[item];
    clusters_[labels[item]].vectors += counts[item];
  }
  for (size_t cluster = 0; cluster < cluster_count; ++cluster) measure_length(cluster);
  count_large();
  centres_.clear();
  forget_nearest();
  stage_ = Stage::near;
  return ok_status();
}

Result<bool> SpeakerClusters::step() {
  if (stage_ == Stage::most && (limits_.most == 0 || living() <= limits_.most)) {
    SUSURRUS_RETURN_IF_ERROR(take_centres());
    stage_ = Stage::done;
  }
  if (stage_ == Stage::done) return true;
  const std::optional<size_t> next = most_alike();
  if (!next) return false;
  const double alike = clusters_[*next].likeness;
  if (stage_ == Stage::most || (alike > 0 && 1 - alike <= kCentreDistance)) {
    join(*next);
  } else {
    SUSURRUS_RETURN_IF_ERROR(dissolve());
    keeps_large_ = false;
    forget_nearest();
    stage_ = Stage::most;
  }
  return false;
}

void SpeakerClusters::forget_nearest() {
  for (Cluster& cluster : clusters_.all()) {
    cluster.nearest = kNone;
    cluster.likeness = cluster.vectors > 0 ? kAlike : kUnlike;
  }
}

std::span<double> SpeakerClusters::sum_of(size_t cluster) {
  return sums_.all().subspan(cluster * kVectorSize, kVectorSize);
}

void SpeakerClusters::measure_length(size_t cluster) {
  double square = 0;
  for (double value : sum_of(cluster)) square += value * value;
  clusters_[cluster].length = std::sqrt(square);
}

double SpeakerClusters::likeness(size_t a, size_t b) {
  const double* const left = sum_of(a).data();
  const double* const right = sum_of(b).data();
  double product = 0;
  for (size_t i = 0; i < kVectorSize; ++i) product += left[i] * right[i];
  const double lengths = clusters_[a].length * clusters_[b].length;
  return lengths > 0 ? product / lengths : -1;
}

bool SpeakerClusters::is_blocked() const { return keeps_large_ && large_count_ <= limits_.fewest; }

bool SpeakerClusters::are_needed(size_t a, size_t b) const {
  return is_blocked() && clusters_[a].vectors >= least_ && clusters_[b].vectors >= least_;
}

void SpeakerClusters::find_nearest(size_t index) {
  Cluster& cluster = clusters_[index];
  cluster.nearest = kNone;
  cluster.likeness = kUnlike;
  for (size_t other = index + 1; other < clusters_.size(); ++other) {
    if (clusters_[other].vectors == 0 || are_needed(index, other)) continue;
    const double alike = likeness(index, other);
    if (alike > cluster.likeness) {
      cluster.likeness = alike;
      cluster.nearest = static_cast<uint32_t>(other);
    }
  }
}

/// The earlier of the two clusters that are nearest to each other; of equal pairs the first. Its likeness is kUnlike where no two may be
/// joined; nullopt: another step will tell.
std::optional<size_t> SpeakerClusters::most_alike() {
  for (size_t products = 0; products < kJoinStepProducts; products += clusters_.size()) {
    const auto best = std::ranges::max_element(
        clusters_.all(), {}, [](const Cluster& cluster) { return cluster.likeness; });
    const auto index = static_cast<size_t>(best - clusters_.all().begin());
    if (best->nearest != kNone || best->likeness == kUnlike) return index;
    find_nearest(index);
  }
  return std::nullopt;
}

void SpeakerClusters::join(size_t index) {
  const size_t other = clusters_[index].nearest;
  SUSURRUS_CHECK(other < clusters_.size());
  const bool was_blocked = is_blocked();
  const std::span<double> sum = sum_of(index);
  const std::span<const double> added = sum_of(other);
  for (size_t i = 0; i < kVectorSize; ++i) sum[i] += added[i];
  clusters_[index].vectors += clusters_[other].vectors;
  clusters_[other] = {};
  measure_length(index);
  count_large();
  if (is_blocked() != was_blocked) return forget_nearest();
  for (size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& cluster = clusters_[i];
    if (cluster.vectors == 0 || i == index) continue;
    // What it was most like is gone; the rest is no more alike than that was.
    if (cluster.nearest == index || cluster.nearest == other) cluster.nearest = kNone;
    if (i > index || are_needed(i, index)) continue;
    const double alike = likeness(i, index);
    const bool is_first =
        alike == cluster.likeness && cluster.nearest != kNone && index < cluster.nearest;
    if (alike > cluster.likeness || is_first) {
      cluster.likeness = alike;
      cluster.nearest = static_cast<uint32_t>(index);
    }
  }
  find_nearest(index);
}

/// Clusters below the size that a speaker needs; but as many stay as speak at once, the largest.
Status SpeakerClusters::dissolve() {
  if (large_count_ >= at_once_) {
    for (Cluster& cluster : clusters_.all()) {
      if (cluster.vectors < least_) cluster = {};
    }
    return ok_status();
  }
  GrowingList<uint32_t> order;
  SUSURRUS_RETURN_IF_ERROR(order.fill(clusters_.size(), 0));
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  heap_sort(order.all(), [&](uint32_t a, uint32_t b) {
    const uint32_t left = clusters_[a].vectors;
    const uint32_t right = clusters_[b].vectors;
    return left != right ? left > right : a < b;
  });
  for (size_t i = at_once_; i < order.size(); ++i) clusters_[order[i]] = {};
  return ok_status();
}

Status SpeakerClusters::take_centres() {
  for (size_t cluster = 0; cluster < clusters_.size(); ++cluster) {
    const double length = clusters_[cluster].length;
    if (clusters_[cluster].vectors == 0) continue;
    SUSURRUS_ASSIGN_OR_RETURN(const std::span<double> centre, centres_.extend(kVectorSize));
    const std::span<const double> sum = sum_of(cluster);
    for (size_t i = 0; i < kVectorSize; ++i) centre[i] = length > 0 ? sum[i] / length : 0;
  }
  clusters_.reset();
  sums_.reset();
  return ok_status();
}

size_t SpeakerClusters::living() const {
  return static_cast<size_t>(std::ranges::count_if(
      clusters_.all(), [](const Cluster& cluster) { return cluster.vectors > 0; }));
}

void SpeakerClusters::count_large() {
  large_count_ = static_cast<size_t>(std::ranges::count_if(
      clusters_.all(), [&](const Cluster& cluster) { return cluster.vectors >= least_; }));
}

}  // namespace susurrus
