#include "families/acoustic/word_table.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr size_t kFirstSlots = 64;

/// FNV-1a; its high bits are mixed better than its low ones.
size_t hash_of(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  }
  return static_cast<size_t>(hash ^ hash >> 32);
}

}  // namespace

size_t WordTable::place(std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash_of(text) & mask;
  while (slots_[at] != kNone && this->text(slots_[at]) != text) at = (at + 1) & mask;
  return at;
}

uint32_t WordTable::find(std::string_view text) const {
  return slots_.empty() ? kNone : slots_[place(text)];
}

uint32_t WordTable::add(std::string_view text) {
  if (slots_.size() < 2 * (ends_.size() + 1)) grow();
  uint32_t& slot = slots_[place(text)];
  if (slot == kNone) {
    slot = size();
    letters_ += text;
    ends_.push_back(letters_.size());
  }
  return slot;
}

void WordTable::grow() {
  slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), kNone);
  for (uint32_t number = 0; number < size(); ++number) slots_[place(text(number))] = number;
}

}  // namespace susurrus
