#pragma once
#include <optional>

#include "families/acoustic/arpa_model.h"
#include "families/acoustic/growth_check.h"
#include "families/acoustic/text_lines.h"

namespace susurrus {

/// Reads a language model from ARPA text that comes in pieces of any size.
///
/// malformed, with the line as subject and its offset: no \data\, counts that are not kept, numbers that are none, a probability above
/// 1, a word that is not among the 1-grams, an n-gram twice or without the shorter one that it begins with. limit_exceeded: an order
/// above 10, a line that is too long. out_of_memory.
class ArpaReader {
 public:
  ArpaReader();

  /// Where the text's length is known, before the first push: counts that it has no room for are rejected at once.
  void set_byte_count(uint64_t byte_count) { byte_count_ = byte_count; }
  /// Nothing may follow an error.
  Status push(ByteSpan piece);
  /// Says that no byte follows; once.
  Result<ArpaModel> finish();

 private:
  enum class Stage : uint8_t { begin, counts, ngrams, end };

  Status read_lines();
  Status read_line();
  Status read_count();
  /// At a line that is not an n-gram, or after the last line: what comes instead of n-grams of order_.
  Status end_section();
  Status read_ngram();
  Result<uint32_t> add_word(std::string_view text);
  Error wrong_count() const;

  TextLines lines_;
  std::optional<uint64_t> byte_count_;
  ArpaModel model_;
  GrowthCheck growth_;
  Stage stage_ = Stage::begin;
  std::vector<uint64_t> counts_;
  uint64_t total_ = 0;
  /// The order of the n-grams being read (0 before the first), and how many were read.
  uint32_t order_ = 0;
  uint64_t read_ = 0;
};

}  // namespace susurrus
