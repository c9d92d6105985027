#include "families/acoustic/arpa_model.h"

#include <algorithm>
#include <charconv>

#include "container/bw2l/bw2l_number.h"
#include "families/acoustic/text_lines.h"

namespace susurrus {
namespace {

constexpr uint32_t kNone = PairIndex::kNone;
constexpr float kMissingUnknown = -100;
/// "0 a", and its end.
constexpr size_t kLeastLine = 4;

std::string header_of(uint32_t order) { return "\\" + std::to_string(order) + "-grams:"; }

}  // namespace

Result<ArpaModel> ArpaModel::read(std::string_view text) {
  ArpaModel model;
  model.words_.emplace("<unk>", kUnknown);
  model.nodes_.push_back({});
  TextLines lines(text);
  if (!lines.next_with_words() || lines.words()[0] != "\\data\\") {
    return lines.wrong("\\data\\ first");
  }
  SUSURRUS_RETURN_IF_ERROR(model.read_counts(lines, text));
  for (uint32_t order = 1; order <= model.order_; ++order) {
    SUSURRUS_RETURN_IF_ERROR(model.read_section(lines, order));
  }
  if (lines.words().empty() || lines.words()[0] != "\\end\\") return lines.wrong("\\end\\");
  return model;
}

Status ArpaModel::read_counts(TextLines& lines, std::string_view text) {
  uint64_t total = 0;
  while (lines.next_with_words() && lines.words()[0] == "ngram") {
    const std::string wanted = std::to_string(counts_.size() + 1) + "=";
    std::string pair;
    for (const std::string_view word : std::span(lines.words()).subspan(1)) pair += word;
    uint64_t count = 0;
    const char* begin = pair.data() + std::min(wanted.size(), pair.size());
    const auto [end, error] = std::from_chars(begin, pair.data() + pair.size(), count);
    if (!pair.starts_with(wanted) || error != std::errc() || end != pair.data() + pair.size()) {
      return lines.wrong("ngram " + wanted + " and a count");
    }
    if (count > text.size() / kLeastLine || (total += count) > text.size() / kLeastLine) {
      return lines.wrong("as many n-grams as the text has room for");
    }
    if (counts_.size() == kMostOrder) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .with_subject("order of the language model")
          .with_expected(kMostOrder);
    }
    counts_.push_back(count);
  }
  if (counts_.empty()) return lines.wrong("ngram 1= and a count");
  order_ = static_cast<uint32_t>(counts_.size());
  nodes_.reserve(static_cast<size_t>(total) + 2);
  return ok_status();
}

Status ArpaModel::read_section(TextLines& lines, uint32_t order) {
  if (lines.words().empty() || lines.words()[0] != header_of(order)) {
    return lines.wrong(header_of(order));
  }
  uint64_t count = 0;
  for (;; ++count) {
    if (!lines.next_with_words()) break;
    if (lines.words().size() == 1 && lines.words()[0].starts_with('\\')) break;
    if (count == counts_[order - 1]) break;
    SUSURRUS_RETURN_IF_ERROR(read_ngram(lines, order));
  }
  const bool is_over = lines.words().empty() || lines.words()[0].starts_with('\\');
  if (count != counts_[order - 1] || !is_over) {
    return lines.wrong(std::to_string(counts_[order - 1]) + " n-grams of order " +
                       std::to_string(order));
  }
  // Unigrams have all been read: <unk> has a node even where it is not listed.
  if (order == 1 && index_.find(0, kUnknown) == kNone) {
    index_.insert(0, kUnknown, static_cast<uint32_t>(nodes_.size()));
    nodes_.push_back({kMissingUnknown, 0});
  }
  return ok_status();
}

Result<uint32_t> ArpaModel::add_word(const TextLines& lines, std::string_view text) {
  if (text == "<unk>" || text == "<UNK>") return kUnknown;
  const auto [at, is_new] = words_.emplace(text, static_cast<uint32_t>(words_.size()));
  if (!is_new) return lines.wrong("each 1-gram once");
  return at->second;
}

Status ArpaModel::read_ngram(const TextLines& lines, uint32_t order) {
  const auto& words = lines.words();
  const bool has_backoff = words.size() == order + 2;
  if (words.size() != order + 1 && (!has_backoff || order == order_)) {
    return lines.wrong("a logarithm, " + std::to_string(order) + " words" +
                       (order < order_ ? ", and a backoff or none" : ""));
  }
  const auto score = parse_decimal(words[0]);
  const auto backoff = has_backoff ? parse_decimal(words.back()) : 0.0;
  if (!score || !backoff) return lines.wrong("numbers before and behind the words");
  if (*score > 0) return lines.wrong("the logarithm of a probability: 0 at most");
  uint32_t parent = 0;
  uint32_t word = kUnknown;
  for (uint32_t i = 1; i <= order; ++i) {
    if (order == 1) {
      SUSURRUS_ASSIGN_OR_RETURN(word, add_word(lines, words[i]));
    } else {
      word = this->word(words[i]);
      if (word == kUnknown && words[i] != "<unk>" && words[i] != "<UNK>") {
        return lines.wrong("words that are 1-grams");
      }
    }
    if (i == order) break;
    parent = index_.find(parent, word);
    if (parent == kNone) return lines.wrong("n-grams whose first words are an n-gram too");
  }
  if (index_.find(parent, word) != kNone) return lines.wrong("each n-gram once");
  index_.insert(parent, word, static_cast<uint32_t>(nodes_.size()));
  nodes_.push_back({static_cast<float>(*score), static_cast<float>(*backoff)});
  return ok_status();
}

uint32_t ArpaModel::word(std::string_view text) const {
  const auto found = words_.find(std::string(text));
  return found == words_.end() ? kUnknown : found->second;
}

ArpaModel::Context ArpaModel::begin() const {
  Context context;
  const auto found = words_.find("<s>");
  if (found == words_.end() || order_ == 1) return context;
  context.nodes[0] = index_.find(0, found->second);
  context.size = 1;
  return context;
}

float ArpaModel::score(const Context& context, uint32_t word, Context& next) const {
  Context behind;
  float score = 0;
  uint32_t found = 0;
  for (uint32_t length = 0; length <= context.size; ++length) {
    const uint32_t before = length == 0 ? 0 : context.nodes[length - 1];
    const uint32_t node = before == kNone ? kNone : index_.find(before, word);
    if (length < order_ - 1) behind.nodes[length] = node;
    if (node == kNone) continue;
    score = nodes_[node].score;
    found = length;
    if (length < order_ - 1) behind.size = length + 1;
  }
  for (uint32_t length = found; length < context.size; ++length) {
    if (context.nodes[length] != kNone) score += nodes_[context.nodes[length]].backoff;
  }
  next = behind;
  return score;
}

float ArpaModel::end_score(const Context& context) const {
  Context unused;
  return score(context, word("</s>"), unused);
}

}  // namespace susurrus
