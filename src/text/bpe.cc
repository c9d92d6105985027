#include "text/bpe.h"

#include <algorithm>

namespace susurrus {
namespace {

inline constexpr uint32_t kNone = ~uint32_t{0};

/// A possible merge: the part at `begin` with its neighbour, `byte_count` bytes together.
struct Merge {
  uint32_t rank;
  uint32_t begin;
  uint32_t byte_count;
};
/// For a heap whose top is the lowest rank, then the leftmost place.
bool comes_later(const Merge& a, const Merge& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.begin > b.begin;
}

}  // namespace

void append_bpe(const Vocabulary& vocabulary, std::string_view pre_token,
                std::vector<uint32_t>& ids) {
  if (auto whole = vocabulary.find(pre_token)) {
    ids.push_back(*whole);
    return;
  }
  // Parts are ranges of the pre-token: `end[b]` is where the part that begins at b ends (kNone: no part begins there),
  // `begin[e]` where the part that ends at e begins.
  auto size = static_cast<uint32_t>(pre_token.size());
  std::vector<uint32_t> end(size + 1, kNone);
  std::vector<uint32_t> begin(size + 1, kNone);
  for (uint32_t i = 0; i < size; ++i) {
    end[i] = i + 1;
    begin[i + 1] = i;
  }

  std::vector<Merge> heap;
  auto offer = [&](uint32_t first) {
    uint32_t middle = end[first];
    if (middle == size) return;
    uint32_t byte_count = end[middle] - first;
    if (auto rank = vocabulary.find(pre_token.substr(first, byte_count))) {
      heap.push_back({*rank, first, byte_count});
      std::push_heap(heap.begin(), heap.end(), comes_later);
    }
  };
  for (uint32_t i = 0; i + 1 < size; ++i) offer(i);

  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    Merge merge = heap.back();
    heap.pop_back();
    // Offers outlive the parts they were made for.
    uint32_t middle = end[merge.begin];
    if (middle == kNone || middle == size || end[middle] - merge.begin != merge.byte_count)
      continue;
    end[merge.begin] = end[middle];
    begin[end[middle]] = merge.begin;
    end[middle] = kNone;
    if (merge.begin > 0) offer(begin[merge.begin]);
    offer(merge.begin);
  }

  for (uint32_t at = 0; at < size; at = end[at]) {
    if (auto id = vocabulary.find(pre_token.substr(at, end[at] - at))) ids.push_back(*id);
  }
}

}  // namespace susurrus
