#pragma once

#include "families/acoustic/growth_check.h"
#include "families/acoustic/lexicon.h"
#include "families/acoustic/text_lines.h"
#include "families/acoustic/token_decoding.h"

namespace susurrus {

/// Reads a lexicon that comes in pieces of any size: lines of a word and its tokens, separated by tabs or spaces. Several lines may have
/// the same word, and several words the same tokens, of which Lexicon::kMostLabels are kept. Tokens that repeat become replabels, where
/// the model has them.
///
/// malformed, with the line as subject and its offset: a word without tokens, a token that the model does not know, no line at all.
/// limit_exceeded: a line that is too long. out_of_memory.
class LexiconReader {
 public:
  /// The tokens outlive it.
  explicit LexiconReader(const AcousticTokens& tokens);

  /// Nothing may follow an error.
  Status push(ByteSpan piece);
  /// Says that no byte follows; once.
  Result<Lexicon> finish();
  /// After finish(): words that were left out because kMostLabels others are spelt so.
  size_t left_out() const { return left_out_; }

 private:
  struct Edge {
    uint32_t parent = 0;
    uint32_t token = 0;
  };

  struct Label {
    uint32_t node = 0;
    uint32_t word = 0;
  };

  Status read_lines();
  Status read_line();
  /// Copies of a token become "1", "2", … after it, as far as there are such tokens.
  void pack_replabels();
  uint32_t child(uint32_t node, uint32_t token);
  void add_children();
  void add_labels();

  TextLines lines_;
  GrowthCheck growth_;
  uint64_t replabel_;
  WordTable tokens_;
  std::vector<uint32_t> spelling_;
  /// Nodes by number, and how they are found.
  std::vector<Edge> edges_{{}};
  PairIndex index_;
  /// Each once, and where they were seen.
  std::vector<Label> labels_;
  PairIndex spelt_;
  Lexicon lexicon_;
  size_t left_out_ = 0;
};

}  // namespace susurrus
