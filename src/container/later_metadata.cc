#include "container/later_metadata.h"

#include <optional>
#include <utility>

namespace susurrus {
namespace {

template <typename T>
void take_if_absent(std::optional<T>& own, std::optional<T>& later) {
  if (!own) own = std::move(later);
}

}  // namespace

void add_later_metadata(ModelMetadata& first, ModelMetadata& later) {
  if (first.vocabulary.token_count() == 0) first.vocabulary = std::move(later.vocabulary);
  if (first.mel_filterbank.byte_count() == 0) {
    first.mel_filterbank = std::move(later.mel_filterbank);
  }
  WhisperMetadata* own = first.whisper();
  WhisperMetadata* other = later.whisper();
  if (own == nullptr || other == nullptr) return;
  take_if_absent(own->is_multilingual, other->is_multilingual);
  take_if_absent(own->suppress_tokens, other->suppress_tokens);
  take_if_absent(own->begin_suppress_tokens, other->begin_suppress_tokens);
  take_if_absent(own->max_initial_timestamp_index, other->max_initial_timestamp_index);
  if (own->alignment_heads.empty()) own->alignment_heads = std::move(other->alignment_heads);
}

}  // namespace susurrus
