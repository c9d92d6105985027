#include "families/acoustic/lexicon_reader.h"

#include <numeric>

namespace susurrus {
namespace {

/// A node and its place in the index while both double, its part of the tree, and a word of middling length for some of them.
constexpr uint64_t kBytesPerNode = 160;

/// Turns the first indices of consecutive rows into their ends.
void begins_to_ends(std::vector<uint32_t>& rows, size_t end) {
  for (size_t i = 1; i < rows.size(); ++i) rows[i - 1] = rows[i];
  rows.back() = static_cast<uint32_t>(end);
}

}  // namespace

LexiconReader::LexiconReader(const AcousticTokens& tokens)
    : growth_("lexicon", kBytesPerNode), replabel_(tokens.settings().replabel) {
  for (uint32_t i = 0; i < tokens.size(); ++i) tokens_.add(tokens.name(i));
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
    const uint32_t token = tokens_.find(parts[i]);
    if (token == WordTable::kNone) return lines_.wrong("tokens of the model").with_got(parts[i]);
    spelling_.push_back(token);
  }
  pack_replabels();
  uint32_t node = Lexicon::kRoot;
  for (const uint32_t token : spelling_) node = child(node, token);
  const uint32_t word = lexicon_.words_.add(parts[0]);
  if (spelt_.find(node, word) != PairIndex::kNone) return ok_status();
  spelt_.insert(node, word, 0);
  labels_.push_back({node, word});
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
    const uint32_t found = copies == 0 ? WordTable::kNone : tokens_.find(std::to_string(copies));
    if (found != WordTable::kNone) {
      packed.push_back(found);
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
  if (labels_.empty()) return lines_.wrong("a word and its tokens");
  add_children();
  add_labels();
  return std::move(lexicon_);
}

void LexiconReader::add_children() {
  std::vector<uint32_t>& ends = lexicon_.child_ends_;
  ends.assign(edges_.size(), 0);
  for (size_t node = 1; node < edges_.size(); ++node) ++ends[edges_[node].parent];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  lexicon_.children_.resize(edges_.size() - 1);
  // From the last one, each to the last place that is left: a parent's children stay in order.
  for (size_t node = edges_.size(); node-- > 1;) {
    const auto& [parent, token] = edges_[node];
    lexicon_.children_[--ends[parent]] = {token, static_cast<uint32_t>(node)};
  }
  begins_to_ends(ends, lexicon_.children_.size());
}

void LexiconReader::add_labels() {
  std::vector<uint32_t> counts(edges_.size());
  // Those that are left out move no other.
  std::erase_if(labels_, [&](const Label& label) {
    const bool is_full = counts[label.node] == Lexicon::kMostLabels;
    if (is_full) {
      ++left_out_;
    } else {
      ++counts[label.node];
    }
    return is_full;
  });
  std::vector<uint32_t>& ends = lexicon_.label_ends_;
  ends.resize(counts.size());
  std::partial_sum(counts.begin(), counts.end(), ends.begin());
  lexicon_.labels_.resize(labels_.size());
  for (size_t i = labels_.size(); i-- > 0;) {
    lexicon_.labels_[--ends[labels_[i].node]] = labels_[i].word;
  }
  begins_to_ends(ends, labels_.size());
}

}  // namespace susurrus
