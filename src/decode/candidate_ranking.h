#pragma once
#include <optional>

#include "decode/token_search.h"

namespace susurrus {

/// Which candidate is the result: the one with the largest sum of log probabilities, divided by its length or, with a
/// penalty a, by ((5 + length) / 6)^a. <|endoftext|> does not count for the length; an empty candidate counts as 1 (the
/// reference fails there). The first of equals. `candidates` must not be empty.
size_t rank_candidates(std::span<const TokenCandidate> candidates,
                       std::optional<double> length_penalty);

}  // namespace susurrus
