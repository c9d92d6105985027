#include "text/vocabulary.h"

namespace susurrus {
namespace {

constexpr uint32_t kEmptySlot = ~uint32_t{0};

/// FNV-1a.
uint32_t hash(std::string_view piece) {
  uint32_t value = 2166136261u;
  for (char c : piece) value = (value ^ static_cast<uint8_t>(c)) * 16777619u;
  return value ^ value >> 15;
}

}  // namespace

Vocabulary::Vocabulary(VocabularyBytes bytes) : bytes_(std::move(bytes)) {
  size_t slot_count = 1;
  while (slot_count < 2 * size_t{token_count()}) slot_count *= 2;
  slots_.assign(slot_count, kEmptySlot);
  for (uint32_t id = 0; id < token_count(); ++id) {
    const std::string_view piece = as_text(bytes_.token(id));
    uint32_t& slot = slots_[slot_of(piece)];
    if (slot == kEmptySlot && !piece.empty()) slot = id;
  }
}

ByteSpan Vocabulary::token(uint32_t id) const {
  return id < token_count() ? bytes_.token(id) : ByteSpan{};
}

std::optional<uint32_t> Vocabulary::find(std::string_view piece) const {
  if (piece.empty() || slots_.empty()) return std::nullopt;
  const uint32_t id = slots_[slot_of(piece)];
  return id == kEmptySlot ? std::nullopt : std::optional(id);
}

size_t Vocabulary::slot_of(std::string_view piece) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash(piece) & mask;
  while (slots_[slot] != kEmptySlot && as_text(bytes_.token(slots_[slot])) != piece) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

}  // namespace susurrus
