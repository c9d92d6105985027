#include "families/acoustic/arpa_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "container/bw2l/bw2l_number.h"

namespace susurrus {
namespace {

constexpr uint32_t kNoNode = PairIndex::kNone;
constexpr float kMissingUnknown = -100;
/// "0 a", and its end.
constexpr uint64_t kLeastLine = 4;
/// A node and its places in the index while both double; as much again for a word of middling length.
constexpr uint64_t kBytesPerNgram = 160;
/// The largest logarithm: sums of them stay finite.
constexpr double kMost = 1e9;
constexpr const char* kSubject = "language model";

std::string header_of(size_t order) { return "\\" + std::to_string(order) + "-grams:"; }

}  // namespace

ArpaReader::ArpaReader() : growth_(kSubject, kBytesPerNgram) {
  model_.words_.add("<unk>");
  model_.nodes_.push_back({});
}

Status ArpaReader::push(ByteSpan piece) {
  lines_.push(piece);
  return read_lines();
}

Status ArpaReader::read_lines() {
  while (stage_ != Stage::end) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool has_line, lines_.next());
    if (!has_line) break;
    SUSURRUS_RETURN_IF_ERROR(read_line());
  }
  return ok_status();
}

Result<ArpaModel> ArpaReader::finish() {
  lines_.push({});
  lines_.finish();
  SUSURRUS_RETURN_IF_ERROR(read_lines());
  switch (stage_) {
    case Stage::begin: return lines_.wrong("\\data\\ first");
    case Stage::counts:
    case Stage::ngrams: SUSURRUS_RETURN_IF_ERROR(end_section()); break;
    case Stage::end: break;
  }
  return std::move(model_);
}

Status ArpaReader::read_line() {
  const auto& words = lines_.words();
  if (stage_ == Stage::begin) {
    if (words[0] != "\\data\\") return lines_.wrong("\\data\\ first").with_got(words[0]);
    stage_ = Stage::counts;
    return ok_status();
  }
  if (stage_ == Stage::counts) return words[0] == "ngram" ? read_count() : end_section();
  if (words.size() == 1 && words[0].starts_with('\\')) return end_section();
  if (read_ == counts_[order_ - 1]) return wrong_count();
  ++read_;
  return read_ngram();
}

Status ArpaReader::read_count() {
  const std::string wanted = std::to_string(counts_.size() + 1) + "=";
  std::string pair;
  for (const std::string_view word : std::span(lines_.words()).subspan(1)) pair += word;
  uint64_t count = 0;
  const char* begin = pair.data() + std::min(wanted.size(), pair.size());
  const auto [end, error] = std::from_chars(begin, pair.data() + pair.size(), count);
  if (!pair.starts_with(wanted) || error != std::errc() || end != pair.data() + pair.size()) {
    return lines_.wrong("ngram " + wanted + " and a count");
  }
  const uint64_t room = byte_count_.value_or(~uint64_t{0}) / kLeastLine;
  if (count > room || (total_ += count) > room) {
    return lines_.wrong("as many n-grams as the text has room for");
  }
  if (counts_.size() == ArpaModel::kMostOrder) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .with_subject("order of the language model")
        .with_expected(ArpaModel::kMostOrder);
  }
  counts_.push_back(count);
  return ok_status();
}

Error ArpaReader::wrong_count() const {
  return lines_.wrong(std::to_string(counts_[order_ - 1]) + " n-grams of order " +
                      std::to_string(order_));
}

Status ArpaReader::end_section() {
  if (stage_ == Stage::counts) {
    if (counts_.empty()) return lines_.wrong("ngram 1= and a count");
    model_.order_ = static_cast<uint32_t>(counts_.size());
    stage_ = Stage::ngrams;
  } else if (read_ != counts_[order_ - 1]) {
    return wrong_count();
  }
  // Unigrams have all been read: <unk> has a node even where it is not listed.
  if (order_ == 1 && model_.index_.find(0, ArpaModel::kUnknown) == kNoNode) {
    model_.index_.insert(0, ArpaModel::kUnknown, static_cast<uint32_t>(model_.nodes_.size()));
    model_.nodes_.push_back({kMissingUnknown, 0});
  }
  const bool is_last = order_ == counts_.size();
  const std::string wanted = is_last ? "\\end\\" : header_of(order_ + 1);
  if (lines_.words().empty() || lines_.words()[0] != wanted) return lines_.wrong(wanted);
  if (is_last) stage_ = Stage::end;
  ++order_;
  read_ = 0;
  return ok_status();
}

Result<uint32_t> ArpaReader::add_word(std::string_view text) {
  if (text == "<unk>" || text == "<UNK>") return ArpaModel::kUnknown;
  const uint32_t next = model_.words_.size();
  if (model_.words_.add(text) != next) return lines_.wrong("each 1-gram once");
  return next;
}

Status ArpaReader::read_ngram() {
  const auto& words = lines_.words();
  const bool has_backoff = words.size() == order_ + 2;
  const bool is_longest = order_ == model_.order_;
  if (words.size() != order_ + 1 && (!has_backoff || is_longest)) {
    return lines_.wrong("a logarithm, " + std::to_string(order_) + " words" +
                        (is_longest ? "" : ", and a backoff or none"));
  }
  const auto score = parse_decimal(words[0]);
  const auto backoff = has_backoff ? parse_decimal(words.back()) : 0.0;
  if (!score || !backoff || std::fabs(*score) > kMost || std::fabs(*backoff) > kMost) {
    return lines_.wrong("numbers before and behind the words");
  }
  if (*score > 0) return lines_.wrong("the logarithm of a probability: 0 at most");
  SUSURRUS_RETURN_IF_ERROR(growth_.before(model_.nodes_.size()));
  uint32_t parent = 0;
  uint32_t word = ArpaModel::kUnknown;
  for (uint32_t i = 1; i <= order_; ++i) {
    if (order_ == 1) {
      SUSURRUS_ASSIGN_OR_RETURN(word, add_word(words[i]));
    } else {
      word = model_.word(words[i]);
      if (word == ArpaModel::kUnknown && words[i] != "<unk>" && words[i] != "<UNK>") {
        return lines_.wrong("words that are 1-grams").with_got(words[i]);
      }
    }
    if (i == order_) break;
    parent = model_.index_.find(parent, word);
    if (parent == kNoNode) return lines_.wrong("n-grams whose first words are an n-gram too");
  }
  if (model_.index_.find(parent, word) != kNoNode) return lines_.wrong("each n-gram once");
  model_.index_.insert(parent, word, static_cast<uint32_t>(model_.nodes_.size()));
  model_.nodes_.push_back({static_cast<float>(*score), static_cast<float>(*backoff)});
  return ok_status();
}

}  // namespace susurrus
