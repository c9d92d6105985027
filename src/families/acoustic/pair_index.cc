#include "families/acoustic/pair_index.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr size_t kFirstPairs = 64;

/// Every bit of the result depends on every bit of both (SplitMix64's last steps).
uint64_t mix(uint32_t first, uint32_t second) {
  uint64_t bits = (uint64_t{first} << 32 | second) + 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
  return bits ^ bits >> 31;
}

}  // namespace

size_t PairIndex::place(uint32_t first, uint32_t second) const {
  const size_t mask = slots_.size() - 1;
  auto at = static_cast<size_t>(mix(first, second)) & mask;
  while (slots_[at].first != kNone && (slots_[at].first != first || slots_[at].second != second)) {
    at = (at + 1) & mask;
  }
  return at;
}

uint32_t PairIndex::find(uint32_t first, uint32_t second) const {
  return slots_.empty() ? kNone : slots_[place(first, second)].value;
}

void PairIndex::insert(uint32_t first, uint32_t second, uint32_t value) {
  if (slots_.size() < 2 * (count_ + 1)) grow();
  slots_[place(first, second)] = {first, second, value};
  ++count_;
}

void PairIndex::grow() {
  std::vector<Slot> old(std::max(kFirstPairs, 2 * slots_.size()));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.first != kNone) slots_[place(slot.first, slot.second)] = slot;
  }
}

void PairIndex::clear() {
  std::ranges::fill(slots_, Slot{});
  count_ = 0;
}

}  // namespace susurrus
