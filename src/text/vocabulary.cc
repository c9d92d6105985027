#include "text/vocabulary.h"

#include <algorithm>

#include "base/sort.h"

namespace susurrus {

Vocabulary::Vocabulary(VocabularyBytes bytes) : bytes_(std::move(bytes)) {
  by_bytes_.resize(token_count());
  for (uint32_t id = 0; id < token_count(); ++id) by_bytes_[id] = id;
  heap_sort(by_bytes_, [this](uint32_t a, uint32_t b) {
    int order = as_text(bytes_.token(a)).compare(as_text(bytes_.token(b)));
    return order != 0 ? order < 0 : a < b;
  });
}

ByteSpan Vocabulary::token(uint32_t id) const {
  return id < token_count() ? bytes_.token(id) : ByteSpan{};
}

std::optional<uint32_t> Vocabulary::find(std::string_view piece) const {
  if (piece.empty()) return std::nullopt;
  auto at = std::lower_bound(
      by_bytes_.begin(), by_bytes_.end(), piece,
      [this](uint32_t id, std::string_view value) { return as_text(bytes_.token(id)) < value; });
  if (at == by_bytes_.end() || as_text(bytes_.token(*at)) != piece) return std::nullopt;
  return *at;
}

}  // namespace susurrus
