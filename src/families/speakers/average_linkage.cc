#include "families/speakers/average_linkage.h"

#include <limits>
#include <optional>

#include "base/sort.h"
#include "families/speakers/vector_product.h"

namespace susurrus {
namespace {

/// Products of two vectors, and distances looked at, that a step takes: some milliseconds.
constexpr size_t kLinkStepProducts = 20000;
constexpr size_t kStepDistances = 400000;

}  // namespace

Status AverageLinkage::begin(std::span<const float> means, std::span<const uint32_t> counts) {
  const size_t count = counts.size();
  SUSURRUS_CHECK(count > 0 && means.size() == count * kVectorSize);
  means_ = means;
  counts_ = counts;
  row_ = 0;
  joins_.clear();
  chain_.clear();
  SUSURRUS_ASSIGN_OR_RETURN(
      distances_,
      AlignedBuffer::allocate(uint64_t{count} * (count - 1) / 2 * sizeof(float), "speakers"));
  SUSURRUS_RETURN_IF_ERROR(sizes_.fill(count, 0));
  std::ranges::copy(counts, sizes_.data());
  // Room for all: nothing grows while the chain is followed.
  SUSURRUS_RETURN_IF_ERROR(chain_.fill(count, 0));
  chain_.clear();
  SUSURRUS_RETURN_IF_ERROR(joins_.fill(count, {}));
  joins_.clear();
  stage_ = Stage::distances;
  return ok_status();
}

Result<bool> AverageLinkage::step() {
  if (stage_ == Stage::distances) {
    measure();
  } else if (stage_ == Stage::chain && follow_chain()) {
    distances_.reset();
    SUSURRUS_RETURN_IF_ERROR(sort_joins());
    stage_ = Stage::done;
  }
  return stage_ == Stage::done;
}

float& AverageLinkage::distance(size_t a, size_t b) {
  const size_t low = std::min(a, b);
  const size_t high = std::max(a, b);
  return distances_.floats()[low * (2 * item_count() - low - 1) / 2 + high - low - 1];
}

void AverageLinkage::measure() {
  const size_t count = item_count();
  for (size_t products = 0; row_ < count && products < kLinkStepProducts; ++row_) {
    const float* const mean = means_.data() + row_ * kVectorSize;
    if (row_ + 1 == count) continue;
    float* const row = &distance(row_, row_ + 1);
    for (size_t other = row_ + 1; other < count; ++other) {
      row[other - row_ - 1] = 1 - vector_product(mean, means_.data() + other * kVectorSize);
    }
    products += count - row_;
  }
  if (row_ == count) stage_ = Stage::chain;
}

bool AverageLinkage::follow_chain() {
  const size_t count = item_count();
  for (size_t looked_at = 0; looked_at < kStepDistances; looked_at += count) {
    if (joins_.size() + 1 == count) return true;
    if (chain_.is_empty()) {
      uint32_t first = 0;
      while (sizes_[first] == 0) ++first;
      (void)chain_.add(first);
    }
    const uint32_t last = chain_[chain_.size() - 1];
    // At the same distance the one before in the chain is nearest, or the chain might go round for ever.
    const bool has_before = chain_.size() > 1;
    uint32_t nearest = has_before ? chain_[chain_.size() - 2] : last;
    float least = has_before ? distance(last, nearest) : std::numeric_limits<float>::infinity();
    for (uint32_t other = 0; other < count; ++other) {
      if (sizes_[other] == 0 || other == last) continue;
      const float there = distance(last, other);
      if (there < least) {
        least = there;
        nearest = other;
      }
    }
    if (has_before && nearest == chain_[chain_.size() - 2]) {
      chain_.shrink(chain_.size() - 2);
      join(std::min(last, nearest), std::max(last, nearest), least);
      looked_at += count;
    } else {
      (void)chain_.add(nearest);
    }
  }
  return false;
}

void AverageLinkage::join(uint32_t a, uint32_t b, float joined_distance) {
  const double in_a = sizes_[a];
  const double in_b = sizes_[b];
  sizes_[b] += sizes_[a];
  sizes_[a] = 0;
  (void)joins_.add({a, b, joined_distance, sizes_[b]});
  for (uint32_t other = 0; other < item_count(); ++other) {
    if (sizes_[other] == 0 || other == b) continue;
    float& kept = distance(b, other);
    const double mean = (in_a * double{distance(a, other)} + in_b * double{kept}) / (in_a + in_b);
    kept = static_cast<float>(mean);
  }
}

/// By distance, those of one distance as they were found; and names nodes instead of items.
Status AverageLinkage::sort_joins() {
  const auto count = static_cast<uint32_t>(item_count());
  GrowingList<uint32_t> order;
  GrowingList<uint32_t> parents;
  GrowingList<Join> sorted;
  SUSURRUS_RETURN_IF_ERROR(order.fill(joins_.size(), 0));
  SUSURRUS_RETURN_IF_ERROR(parents.fill(2 * size_t{count}, 0));
  SUSURRUS_RETURN_IF_ERROR(sorted.fill(joins_.size(), {}));
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  heap_sort(order.all(), [&](uint32_t a, uint32_t b) {
    const float left = joins_[a].distance;
    const float right = joins_[b].distance;
    return left != right ? left < right : a < b;
  });
  for (uint32_t i = 0; i < parents.size(); ++i) parents[i] = i;
  const auto root = [&](uint32_t node) {
    while (parents[node] != node) node = parents[node] = parents[parents[node]];
    return node;
  };
  for (uint32_t k = 0; k < order.size(); ++k) {
    const Join& join = joins_[order[k]];
    const uint32_t a = root(join.left);
    const uint32_t b = root(join.right);
    parents[a] = parents[b] = count + k;
    sorted[k] = {std::min(a, b), std::max(a, b), join.distance, 0};
  }
  joins_ = std::move(sorted);
  for (Join& join : joins_.all()) join.vectors = vectors_of(join.left) + vectors_of(join.right);
  return ok_status();
}

uint32_t AverageLinkage::vectors_of(uint32_t node) const {
  return node < item_count() ? counts_[node] : joins_[node - item_count()].vectors;
}

size_t AverageLinkage::joins_within(double distance) const {
  size_t count = 0;
  while (count < joins_.size() && double{joins_[count].distance} <= distance) ++count;
  return count;
}

AverageLinkage::Cut AverageLinkage::cut_for(size_t wanted, uint32_t least, size_t most) const {
  wanted = std::min(wanted, item_count());
  for (; least > 0; --least) {
    const auto is_large = [&](uint32_t node) -> size_t { return vectors_of(node) >= least; };
    size_t large = 0;
    for (uint32_t item = 0; item < item_count(); ++item) large += is_large(item);
    std::optional<size_t> found;
    for (size_t k = 0;; ++k) {
      if (large >= wanted) found = k;
      if (k == most) break;
      const auto node = static_cast<uint32_t>(item_count() + k);
      large += is_large(node);
      large -= is_large(joins_[k].left) + is_large(joins_[k].right);
    }
    if (found) return {*found, least};
  }
  return {};
}

Result<size_t> AverageLinkage::label(size_t join_count, GrowingList<uint32_t>& labels) const {
  const auto items = static_cast<uint32_t>(item_count());
  SUSURRUS_RETURN_IF_ERROR(labels.fill(items, 0));
  if (joins_.is_empty()) return size_t{1};
  /// A node on the way from the root, and how far it is done: left node, right node, items.
  struct Visit {
    uint32_t join;
    uint32_t turn;
  };
  GrowingList<Visit> path;
  SUSURRUS_RETURN_IF_ERROR(path.add({static_cast<uint32_t>(joins_.size() - 1), 0}));
  constexpr uint32_t kNone = ~0u;
  uint32_t leader = kNone;
  size_t count = 0;
  while (!path.is_empty()) {
    Visit& visit = path[path.size() - 1];
    const Join& join = joins_[visit.join];
    if (visit.turn == 0 && leader == kNone && visit.join < join_count) {
      leader = visit.join;
      ++count;
    }
    if (visit.turn < 2) {
      const uint32_t child = visit.turn == 0 ? join.left : join.right;
      ++visit.turn;
      if (child >= items) SUSURRUS_RETURN_IF_ERROR(path.add({child - items, 0}));
      continue;
    }
    for (const uint32_t child : {join.left, join.right}) {
      if (child >= items) continue;
      if (leader == kNone) ++count;
      labels[child] = static_cast<uint32_t>(count - 1);
    }
    if (leader == visit.join) leader = kNone;
    path.shrink(path.size() - 1);
  }
  return count;
}

}  // namespace susurrus
