#include "families/acoustic/lexicon_reader.h"

#include <algorithm>

namespace susurrus {
namespace {

/// A node and its place in the index while both double, its part of the tree, and a word of middling length for some of them.
constexpr uint64_t kBytesPerNode = 160;

}  // namespace

LexiconReader::LexiconReader(const AcousticTokens& tokens)
    : growth_("lexicon", kBytesPerNode), replabel_(tokens.settings().replabel) {
  for (uint32_t i = 0; i < tokens.size(); ++i) tokens_.emplace(tokens.name(i), i);
}

Status LexiconReader::push(ByteSpan piece) {
  lines_.push(piece);
  return read_lines();
}

Status LexiconReader::read_lines() {
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool has_line, lines_.next());
    if (!has_line) return ok_status();
    SUSURRUS_RETURN_IF_ERROR(read_line());
  }
}

Status LexiconReader::read_line() {
  const auto& parts = lines_.words();
  if (parts.size() < 2) return lines_.wrong("a word and its tokens");
  SUSURRUS_RETURN_IF_ERROR(growth_.before(edges_.size() + labels_.size() + parts.size()));
  spelling_.clear();
  for (size_t i = 1; i < parts.size(); ++i) {
    const auto found = tokens_.find(parts[i]);
    if (found == tokens_.end()) return lines_.wrong("tokens of the model").with_got(parts[i]);
    spelling_.push_back(found->second);
  }
  pack_replabels();
  const auto [word, is_new] = words_.emplace(parts[0], static_cast<uint32_t>(words_.size()));
  if (is_new) lexicon_.words_.emplace_back(parts[0]);
  uint32_t node = Lexicon::kRoot;
  for (const uint32_t token : spelling_) node = child(node, token);
  labels_.emplace_back(node, word->second);
  return ok_status();
}

void LexiconReader::pack_replabels() {
  if (replabel_ == 0) return;
  std::vector<uint32_t> packed;
  for (size_t i = 0; i < spelling_.size();) {
    size_t copies = 0;
    while (i + copies + 1 < spelling_.size() && spelling_[i + copies + 1] == spelling_[i] &&
           copies < replabel_) {
      ++copies;
    }
    packed.push_back(spelling_[i]);
    const auto found = copies == 0 ? tokens_.end() : tokens_.find(std::to_string(copies));
    if (found != tokens_.end()) {
      packed.push_back(found->second);
      i += copies;
    }
    ++i;
  }
  spelling_ = std::move(packed);
}

uint32_t LexiconReader::child(uint32_t node, uint32_t token) {
  uint32_t found = index_.find(node, token);
  if (found != Lexicon::kNone) return found;
  found = static_cast<uint32_t>(edges_.size());
  edges_.push_back({node, token});
  index_.insert(node, token, found);
  return found;
}

Result<Lexicon> LexiconReader::finish() {
  lines_.push({});
  lines_.finish();
  SUSURRUS_RETURN_IF_ERROR(read_lines());
  if (lexicon_.words_.empty()) return lines_.wrong("a word and its tokens");
  lexicon_.child_ends_.resize(edges_.size());
  lexicon_.label_ends_.resize(edges_.size());
  add_children();
  add_labels();
  for (size_t node = 1; node < edges_.size(); ++node) {
    for (std::vector<uint32_t>* ends : {&lexicon_.child_ends_, &lexicon_.label_ends_}) {
      (*ends)[node] = std::max((*ends)[node], (*ends)[node - 1]);
    }
  }
  return std::move(lexicon_);
}

void LexiconReader::add_children() {
  // Children are in order of their numbers, so sorting by parents keeps them together.
  std::vector<uint32_t> order(edges_.size() - 1);
  for (uint32_t i = 1; i < edges_.size(); ++i) order[i - 1] = i;
  std::ranges::stable_sort(order, {}, [this](uint32_t node) { return edges_[node].parent; });
  for (const uint32_t node : order) {
    lexicon_.children_.push_back({edges_[node].token, node});
    lexicon_.child_ends_[edges_[node].parent] = static_cast<uint32_t>(lexicon_.children_.size());
  }
}

void LexiconReader::add_labels() {
  std::ranges::stable_sort(labels_, {}, &std::pair<uint32_t, uint32_t>::first);
  const auto last = std::ranges::unique(labels_);
  labels_.erase(last.begin(), last.end());
  size_t same = 0;
  for (size_t i = 0; i < labels_.size(); ++i) {
    const auto& [node, word] = labels_[i];
    same = i > 0 && labels_[i - 1].first == node ? same + 1 : 0;
    if (same >= Lexicon::kMostLabels) {
      ++left_out_;
      continue;
    }
    lexicon_.labels_.push_back(word);
    lexicon_.label_ends_[node] = static_cast<uint32_t>(lexicon_.labels_.size());
  }
}

}  // namespace susurrus
