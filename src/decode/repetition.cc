#include "decode/repetition.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr size_t kNone = SIZE_MAX;
constexpr size_t kLongestPeriod = 32;

/// Tokens of a run of this period from which on it is a loop.
size_t loop_length(size_t period) {
  constexpr size_t kLeastTokens = 24;
  constexpr size_t kLongPhrase = 16;
  return std::max(kLeastTokens, period * (period < kLongPhrase ? 4 : 3));
}

/// Walks through the text tokens of a sequence.
class TextTokens {
 public:
  TextTokens(std::span<const uint32_t> tokens, const SpecialTokens& special)
      : tokens_(tokens), special_(special) {}
  /// The place of the last one before `place`, or kNone.
  size_t before(size_t place) const {
    while (place > 0) {
      if (!special_.is_timestamp(tokens_[--place])) return place;
    }
    return kNone;
  }
  /// The place of the next one after `place`; there must be one.
  size_t after(size_t place) const {
    do ++place;
    while (special_.is_timestamp(tokens_[place]));
    return place;
  }

 private:
  std::span<const uint32_t> tokens_;
  const SpecialTokens& special_;
};

bool ends_sentence(std::string_view text) {
  for (std::string_view mark : {".", "?", "!", "…", "。", "？", "！"}) {
    if (text.ends_with(mark)) return true;
  }
  return false;
}

/// How well a text may be cut after the text token at `last`.
int cut_rank(std::span<const uint32_t> tokens, size_t last, const Tokenizer& tokenizer) {
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  const uint32_t next = tokens[last + 1];
  if (tokenizer.special().is_timestamp(next)) return 3;
  if (ends_sentence(as_text(vocabulary.token(tokens[last])))) return 2;
  return as_text(vocabulary.token(next)).starts_with(' ') ? 1 : 0;
}

/// How many tokens to keep of a run that begins at `place`.
size_t kept_length(std::span<const uint32_t> tokens, size_t place, size_t period,
                   const Tokenizer& tokenizer) {
  const TextTokens text(tokens, tokenizer.special());
  for (size_t i = 1; i < period; ++i) place = text.after(place);
  size_t best = place;
  int best_rank = -1;
  for (size_t i = 0; i < period; ++i, place = text.after(place)) {
    const int rank = cut_rank(tokens, place, tokenizer);
    if (rank > best_rank) {
      best = place;
      best_rank = rank;
    }
  }
  const bool has_end_time = tokenizer.special().is_timestamp(tokens[best + 1]);
  return best + (has_end_time ? 2 : 1);
}

}  // namespace

std::optional<Repetition> find_repetition(std::span<const uint32_t> tokens,
                                          const Tokenizer& tokenizer) {
  const TextTokens text(tokens, tokenizer.special());
  const size_t last = text.before(tokens.size());
  if (last == kNone) return std::nullopt;
  size_t one_round_back = last;
  for (size_t period = 1; period <= kLongestPeriod; ++period) {
    one_round_back = text.before(one_round_back);
    if (one_round_back == kNone) break;
    size_t length = period;
    size_t begin = kNone;
    size_t later = last;
    size_t earlier = one_round_back;
    while (earlier != kNone && tokens[earlier] == tokens[later]) {
      begin = earlier;
      ++length;
      earlier = text.before(earlier);
      later = text.before(later);
    }
    if (length >= loop_length(period)) {
      return Repetition{period, kept_length(tokens, begin, period, tokenizer)};
    }
  }
  return std::nullopt;
}

bool has_phrase_twice(std::span<const uint32_t> tokens, const SpecialTokens& special,
                      size_t count) {
  const TextTokens text(tokens, special);
  for (size_t last = text.before(tokens.size()); last != kNone; last = text.before(last)) {
    for (size_t first = text.before(last); first != kNone; first = text.before(first)) {
      size_t same = 0;
      size_t earlier = first;
      // Beyond `first` the phrases overlap.
      for (size_t later = last; earlier != kNone && later > first; later = text.before(later)) {
        if (tokens[earlier] != tokens[later]) break;
        if (++same == count) return true;
        earlier = text.before(earlier);
      }
    }
  }
  return false;
}

}  // namespace susurrus
