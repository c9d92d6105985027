#include "families/acoustic/lexicon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "families/acoustic/text_lines.h"

namespace susurrus {
namespace {

/// Differences of logarithms beyond which the smaller one adds nothing, as flashlight has it.
constexpr double kLeastDifference = -39.14;

float log_add(float a, float b) {
  const auto more = static_cast<double>(std::max(a, b));
  const double difference = static_cast<double>(std::min(a, b)) - more;
  // False for two infinities too.
  if (!(difference >= kLeastDifference)) return std::max(a, b);
  return static_cast<float>(more + std::log1p(std::exp(difference)));
}

/// A tree that is still growing: nodes with their parents.
struct Growing {
  struct Edge {
    uint32_t parent = 0;
    uint32_t token = 0;
  };
  std::vector<Edge> edges{{}};
  std::vector<std::pair<uint32_t, uint32_t>> labels;  // node, word
  PairIndex index;

  uint32_t child(uint32_t node, uint32_t token) {
    uint32_t found = index.find(node, token);
    if (found != Lexicon::kNone) return found;
    found = static_cast<uint32_t>(edges.size());
    edges.push_back({node, token});
    index.insert(node, token, found);
    return found;
  }
};

using TokenNumbers = std::unordered_map<std::string_view, uint32_t>;

/// Copies of a token become "1", "2", … behind it, as far as there are such tokens.
void pack_replabels(std::vector<uint32_t>& spelling, uint64_t replabel,
                    const TokenNumbers& tokens) {
  if (replabel == 0) return;
  std::vector<uint32_t> packed;
  for (size_t i = 0; i < spelling.size();) {
    size_t copies = 0;
    while (i + copies + 1 < spelling.size() && spelling[i + copies + 1] == spelling[i] &&
           copies < replabel) {
      ++copies;
    }
    packed.push_back(spelling[i]);
    const auto found = copies == 0 ? tokens.end() : tokens.find(std::to_string(copies));
    if (found != tokens.end()) {
      packed.push_back(found->second);
      i += copies;
    }
    ++i;
  }
  spelling = std::move(packed);
}

}  // namespace

Result<Lexicon> Lexicon::read(std::string_view text, const AcousticTokens& tokens) {
  TokenNumbers numbers;
  for (uint32_t i = 0; i < tokens.size(); ++i) numbers.emplace(tokens.name(i), i);
  Lexicon lexicon;
  Growing tree;
  std::unordered_map<std::string, uint32_t> words;
  std::vector<uint32_t> spelling;
  TextLines lines(text);
  while (lines.next_with_words()) {
    const auto& parts = lines.words();
    if (parts.size() < 2) return lines.wrong("a word and its tokens");
    spelling.clear();
    for (size_t i = 1; i < parts.size(); ++i) {
      const auto found = numbers.find(parts[i]);
      if (found == numbers.end()) return lines.wrong("tokens of the model").with_got(parts[i]);
      spelling.push_back(found->second);
    }
    pack_replabels(spelling, tokens.settings().replabel, numbers);
    const auto [word, is_new] = words.emplace(parts[0], static_cast<uint32_t>(words.size()));
    if (is_new) lexicon.words_.emplace_back(parts[0]);
    uint32_t node = kRoot;
    for (const uint32_t token : spelling) node = tree.child(node, token);
    tree.labels.emplace_back(node, word->second);
  }
  if (lexicon.words_.empty()) return lines.wrong("a word and its tokens");
  const size_t node_count = tree.edges.size();
  lexicon.child_ends_.resize(node_count);
  lexicon.label_ends_.resize(node_count);
  // Children are in order of their numbers, so sorting by parents keeps them together.
  std::vector<uint32_t> order(node_count - 1);
  for (uint32_t i = 1; i < node_count; ++i) order[i - 1] = i;
  std::ranges::stable_sort(order, {}, [&](uint32_t node) { return tree.edges[node].parent; });
  for (const uint32_t node : order) {
    lexicon.children_.push_back({tree.edges[node].token, node});
    lexicon.child_ends_[tree.edges[node].parent] = static_cast<uint32_t>(lexicon.children_.size());
  }
  std::ranges::stable_sort(tree.labels, {}, &std::pair<uint32_t, uint32_t>::first);
  const auto last = std::ranges::unique(tree.labels);
  tree.labels.erase(last.begin(), last.end());
  for (const auto& [node, word] : tree.labels) {
    lexicon.labels_.push_back(word);
    lexicon.label_ends_[node] = static_cast<uint32_t>(lexicon.labels_.size());
  }
  for (size_t node = 1; node < node_count; ++node) {
    for (std::vector<uint32_t>* ends : {&lexicon.child_ends_, &lexicon.label_ends_}) {
      (*ends)[node] = std::max((*ends)[node], (*ends)[node - 1]);
    }
  }
  return lexicon;
}

void Lexicon::weigh(std::span<const float> word_scores, Smearing smearing) {
  scores_.clear();
  if (smearing == Smearing::none) return;
  scores_.assign(child_ends_.size(), -std::numeric_limits<float>::infinity());
  for (size_t at = scores_.size(); at-- > 0;) {
    const auto node = static_cast<uint32_t>(at);
    float& score = scores_[at];
    for (const uint32_t word : labels(node)) score = log_add(score, word_scores[word]);
    for (const Child& child : children(node)) {
      score = smearing == Smearing::max ? std::max(score, scores_[child.node])
                                        : log_add(score, scores_[child.node]);
    }
  }
}

}  // namespace susurrus
