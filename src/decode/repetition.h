#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "text/tokenizer.h"

namespace susurrus {

/// Text that goes round in circles at the end of a sequence.
struct Repetition {
  /// Text tokens in one round.
  size_t period = 0;
  /// How many tokens of the sequence to keep: up to the end of the first round.
  size_t keep = 0;
};

/// Whether the text tokens of `tokens` (timestamps are looked through) end in the same 1 to 32 tokens again and again.
///
/// Speech repeats itself too: a loop is at least 24 tokens long and 4 rounds, or 3 of 16 tokens and more. So "no no no",
/// "five five five five" and a refrain sung twice are speech, and what is called a loop (6 rounds of 4 tokens, 24 of
/// one) by itself deflates beyond the reference's compression ratio of 2.4. A loop of period p is found after 24 to 96 of its
/// tokens.
///
/// What is kept ends within the first two rounds: where a segment ends, if one does (after its closing timestamp, never
/// an opening one); else after a sentence; else before a word; else after the first round, an open segment then.
///
/// Bounded work and no memory for each call: made to be called after every token.
std::optional<Repetition> find_repetition(std::span<const uint32_t> tokens,
                                          const Tokenizer& tokenizer);

/// Whether `count` text tokens in a row stand in `tokens` a second time, after the first (timestamps are looked through).
bool has_phrase_twice(std::span<const uint32_t> tokens, const SpecialTokens& special, size_t count);

}  // namespace susurrus
