#include "decode/allowed_phrases.h"

#include <algorithm>

#include "base/sort.h"
#include "decode/phrase_tokens.h"

namespace susurrus {

AllowedPhrases::AllowedPhrases(const Tokenizer& tokenizer, std::span<const std::string> phrases,
                               size_t max_tokens)
    : special_(tokenizer.special()), max_tokens_(max_tokens) {
  std::vector<uint32_t> ends_anywhere, ends_at_start;
  for (const std::string& phrase : phrases) {
    const PhraseTokens spelt = phrase_tokens(tokenizer, phrase);
    if (spelt.is_unspaced) {
      ends_anywhere.push_back(anywhere_.trie.add(spelt.bare));
    } else {
      ends_anywhere.push_back(anywhere_.trie.add(spelt.spaced));
      ends_at_start.push_back(at_start_.trie.add(spelt.bare));
    }
  }
  measure(anywhere_, ends_anywhere);
  measure(at_start_, ends_at_start);
  // In each trie there is one place at most for every token that a phrase may have begun at; and the two roots.
  const size_t most_places = anywhere_.trie.depth() + at_start_.trie.depth() + 2;
  places_.reserve(most_places);
  next_places_.reserve(most_places);
  choices_.reserve(anywhere_.trie.node_count() + at_start_.trie.node_count() + 1);
}

void AllowedPhrases::measure(Spelling& spelling, std::span<const uint32_t> ends) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  spelling.missing.assign(spelling.trie.node_count(), kUnknown);
  for (uint32_t node : ends) spelling.missing[node] = 0;
  // Nodes come after the one they hang from, so that backwards all edges are known.
  for (uint32_t node = static_cast<uint32_t>(spelling.missing.size()); node-- > 0;) {
    for (const auto& edge : spelling.trie.edges(node)) {
      spelling.missing[node] = std::min(spelling.missing[node], spelling.missing[edge.node] + 1);
    }
  }
}

void AllowedPhrases::apply(std::span<float> logits, std::span<const uint32_t> sampled) const {
  size_t begin = sampled.size();
  while (begin > 0 && !special_.is_timestamp(sampled[begin - 1])) --begin;
  begin_text();
  for (uint32_t token : sampled.subspan(begin)) {
    if (!advance(token)) break;
  }

  choices_.clear();
  auto keep = [&](uint32_t token) {
    if (token < logits.size()) choices_.push_back({token, logits[token]});
  };
  for (const Place& place : places_) {
    for (const auto& [token, node] : place.spelling->trie.edges(place.node)) {
      const bool fits = sampled.size() + 1 + place.spelling->missing[node] <= max_tokens_;
      if (fits) keep(token);
    }
  }
  const uint64_t timestamps = special_.timestamp_begin;
  const uint64_t timestamps_end = timestamps + special_.timestamp_count;
  if (is_complete()) {
    keep(special_.end_of_text);
  } else {
    forbid_range(logits, timestamps, timestamps_end);
  }
  forbid_range(logits, 0, timestamps);
  forbid_range(logits, timestamps_end, logits.size());
  for (const Choice& choice : choices_) logits[choice.token] = choice.logit;
}

void AllowedPhrases::begin_text() const {
  places_.clear();
  places_.push_back({&anywhere_, TokenTrie::kRoot});
  places_.push_back({&at_start_, TokenTrie::kRoot});
}

bool AllowedPhrases::advance(uint32_t token) const {
  next_places_.clear();
  bool is_phrase_end = false;
  for (const Place& place : places_) {
    auto node = place.spelling->trie.next(place.node, token);
    if (!node) continue;
    next_places_.push_back({place.spelling, *node});
    is_phrase_end = is_phrase_end || place.spelling->missing[*node] == 0;
  }
  if (is_phrase_end) next_places_.push_back({&anywhere_, TokenTrie::kRoot});
  std::swap(places_, next_places_);
  return !places_.empty();
}

/// Where a phrase may begin, none is under way.
bool AllowedPhrases::is_complete() const {
  return std::any_of(places_.begin(), places_.end(), [this](const Place& place) {
    return place.spelling == &anywhere_ && place.node == TokenTrie::kRoot;
  });
}

std::vector<uint32_t> AllowedPhrases::tokens() const {
  std::vector<uint32_t> tokens;
  for (const Spelling* spelling : {&anywhere_, &at_start_}) {
    for (uint32_t node = 0; node < spelling->trie.node_count(); ++node) {
      for (const auto& edge : spelling->trie.edges(node)) tokens.push_back(edge.token);
    }
  }
  sort_unique(tokens);
  return tokens;
}

size_t AllowedPhrases::complete_length(std::span<const uint32_t> sampled) const {
  size_t length = 0;
  bool is_closing = false;
  begin_text();
  for (size_t i = 0; i < sampled.size(); ++i) {
    if (special_.is_timestamp(sampled[i])) {
      if (is_closing) length = i + 1;
      is_closing = false;
      begin_text();
    } else {
      if (!advance(sampled[i])) break;
      is_closing = is_complete();
      if (is_closing) length = i + 1;
    }
  }
  return length;
}

}  // namespace susurrus
