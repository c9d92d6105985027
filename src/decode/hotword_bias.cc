#include "decode/hotword_bias.h"

#include <algorithm>
#include <limits>

#include "base/utf8.h"
#include "decode/phrase_tokens.h"
#include "text/unicode_class.h"

namespace susurrus {
namespace {

/// No bias: for an edge that only begins an unwanted phrase. Less than any weight, so std::max keeps the weight.
constexpr float kNoBias = -std::numeric_limits<float>::infinity();

}  // namespace

HotwordBias::HotwordBias(const Tokenizer& tokenizer, std::span<const WeightedPhrase> phrases)
    : tokenizer_(tokenizer) {
  for (const WeightedPhrase& phrase : phrases) {
    const PhraseTokens spelt = phrase_tokens(tokenizer, phrase.text);
    // A space would be likelier too, which such a script does not write.
    if (!spelt.is_unspaced) add(anywhere_, spelt.spaced, phrase.weight);
    add(spelt.is_unspaced ? anywhere_ : at_start_, spelt.bare, phrase.weight);
  }
  matches_.reserve(anywhere_.trie.depth() + at_start_.trie.depth() + 2);
}

void HotwordBias::add(Spelling& spelling, std::span<const uint32_t> tokens, float weight) {
  spelling.trie.add(tokens);
  spelling.bias.resize(spelling.trie.node_count(), kNoBias);
  uint32_t node = TokenTrie::kRoot;
  for (size_t i = 0; i < tokens.size(); ++i) {
    node = *spelling.trie.next(node, tokens[i]);
    const bool is_last = i + 1 == tokens.size();
    if (weight > 0 || is_last) spelling.bias[node] = std::max(spelling.bias[node], weight);
  }
}

void HotwordBias::apply(std::span<float> logits, std::span<const uint32_t> sampled) const {
  find_matches(sampled);
  for (size_t m = 0; m < matches_.size(); ++m) {
    const Match& match = matches_[m];
    for (const auto& [token, node] : match.spelling->trie.edges(match.node)) {
      // Several phrases may continue with one token: it is biased once, at the first of them, by the largest weight.
      float bias = match.spelling->bias[node];
      bool had_its_turn = false;
      for (size_t other = 0; other < matches_.size() && !had_its_turn; ++other) {
        if (other == m) continue;
        auto same = matches_[other].spelling->trie.next(matches_[other].node, token);
        if (!same) continue;
        had_its_turn = other < m;
        bias = std::max(bias, matches_[other].spelling->bias[*same]);
      }
      if (!had_its_turn && bias != kNoBias && token < logits.size()) logits[token] += bias;
    }
  }
}

void HotwordBias::find_matches(std::span<const uint32_t> sampled) const {
  matches_.clear();
  for (const Spelling* spelling : {&anywhere_, &at_start_}) {
    // The longest beginning first, the root (a phrase that has yet to begin) last.
    const size_t most = std::max<size_t>(spelling->trie.depth(), 1) - 1;
    for (size_t length = std::min(most, sampled.size()) + 1; length-- > 0;) {
      uint32_t node = TokenTrie::kRoot;
      bool is_match = true;
      for (uint32_t token : sampled.last(length)) {
        auto next = spelling->trie.next(node, token);
        is_match = next.has_value();
        if (!is_match) break;
        node = *next;
      }
      if (!is_match || spelling->trie.edges(node).empty()) continue;
      if (spelling == &at_start_ && !is_word_start(sampled.first(sampled.size() - length))) {
        continue;
      }
      matches_.push_back({spelling, node});
    }
  }
}

bool HotwordBias::is_word_start(std::span<const uint32_t> before) const {
  // The last character: its bytes may be spread over tokens.
  char bytes[4];
  size_t first = sizeof bytes;
  for (; !before.empty() && before.back() < tokenizer_.special().end_of_text;
       before = before.first(before.size() - 1)) {
    const std::string_view piece = as_text(tokenizer_.vocabulary().token(before.back()));
    for (size_t i = piece.size(); i-- > 0;) {
      bytes[--first] = piece[i];
      const bool is_within = (static_cast<unsigned char>(piece[i]) & 0xC0) == 0x80;
      if (is_within && first > 0) continue;
      const Utf8Step last = next_utf8(std::string_view(bytes + first, sizeof bytes - first));
      return last.is_valid && !is_letter(last.point) && !is_number(last.point);
    }
  }
  return first == sizeof bytes;
}

}  // namespace susurrus
