#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace susurrus {

struct SplitWord {
  std::string text;  // UTF-8, white space included
  std::vector<uint32_t> tokens;
};

/// `ids` cut into words, for times and probabilities of each (the reference's split_to_word_tokens). zh, ja, th, lo, my
/// and yue, written without spaces, are cut wherever whole characters end; the others before a space, before punctuation
/// and before control tokens and timestamps, which are spelt out. A character whose bytes are spread over several tokens
/// stays whole. Bytes that never become one are U+FFFD; where several tokens share one U+FFFD, those after the first wait
/// for a character that fits, and are left out if none does.
std::vector<SplitWord> split_words(const Tokenizer& tokenizer, std::string_view language,
                                   std::span<const uint32_t> ids);

/// The cut for languages without spaces, whatever the language.
std::vector<SplitWord> split_at_characters(const Tokenizer& tokenizer,
                                           std::span<const uint32_t> ids);

}  // namespace susurrus
