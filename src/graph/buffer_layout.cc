#include "graph/buffer_layout.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

namespace susurrus {
namespace {

/// More buffers than networks have are not compared with each other, which would take the square of their number.
constexpr size_t kMostCompared = 8192;
constexpr size_t kMostGaps = 64;

using Order = std::vector<uint32_t>;

/// The largest first, each at the lowest place that is free as long as it is needed.
void lay_by_size(std::span<Buffer> buffers, Order& order) {
  std::ranges::stable_sort(
      order, [&](uint32_t a, uint32_t b) { return buffers[a].byte_count > buffers[b].byte_count; });
  Order laid;  // by their places
  for (const uint32_t index : order) {
    Buffer& one = buffers[index];
    one.place = 0;
    for (const uint32_t other_index : laid) {
      const Buffer& other = buffers[other_index];
      if (other.last < one.first || one.last < other.first) continue;
      if (one.place + one.byte_count <= other.place) break;
      one.place = std::max(one.place, other.place + other.byte_count);
    }
    const auto place_of = [&](uint32_t i) { return buffers[i].place; };
    laid.insert(std::ranges::upper_bound(laid, one.place, {}, place_of), index);
  }
}

/// Free bytes between buffers: where, and how many.
class Gaps {
 public:
  void add(uint64_t place, uint64_t byte_count) {
    auto next = gaps_.lower_bound(place);
    if (next != gaps_.end() && place + byte_count == next->first) {
      byte_count += next->second;
      next = gaps_.erase(next);
    }
    if (next != gaps_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == place) {
        before->second += byte_count;
        return;
      }
    }
    gaps_.emplace(place, byte_count);
  }

  /// In one of the first gaps that is large enough, or after all.
  uint64_t take(uint64_t byte_count) {
    size_t tried = 0;
    for (auto gap = gaps_.begin(); gap != gaps_.end() && tried < kMostGaps; ++gap, ++tried) {
      const auto [place, room] = *gap;
      if (room < byte_count) continue;
      gaps_.erase(gap);
      if (room > byte_count) gaps_.emplace(place + byte_count, room - byte_count);
      return place;
    }
    const uint64_t place = end_;
    end_ += byte_count;
    return place;
  }

 private:
  std::map<uint64_t, uint64_t> gaps_;
  uint64_t end_ = 0;
};

/// In the order of the steps.
void lay_by_time(std::span<Buffer> buffers, Order& order) {
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return buffers[i].first; });
  Gaps gaps;
  std::multimap<uint32_t, uint32_t> needed;  // by their last steps
  for (const uint32_t index : order) {
    Buffer& one = buffers[index];
    while (!needed.empty() && needed.begin()->first < one.first) {
      const Buffer& gone = buffers[needed.begin()->second];
      gaps.add(gone.place, gone.byte_count);
      needed.erase(needed.begin());
    }
    one.place = gaps.take(one.byte_count);
    needed.emplace(one.last, index);
  }
}

}  // namespace

uint64_t lay_buffers(std::span<Buffer> buffers) {
  Order order(buffers.size());
  std::iota(order.begin(), order.end(), 0U);
  if (buffers.size() <= kMostCompared) {
    lay_by_size(buffers, order);
  } else {
    lay_by_time(buffers, order);
  }
  uint64_t end = 0;
  for (const Buffer& one : buffers) end = std::max(end, one.place + one.byte_count);
  return end;
}

}  // namespace susurrus
