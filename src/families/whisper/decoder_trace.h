#pragma once
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"

namespace susurrus {

/// Most rows of logits made at once from a trace.
inline constexpr size_t kTraceLogitRows = 8;

/// What one pass of the decoder leaves for word alignment and scoring.
struct DecoderTrace {
  /// Decoder layers whose cross-attention queries are kept, ascending; may be empty. Set before the pass.
  std::vector<uint32_t> layers;
  size_t token_count = 0;
  /// (layers.size(), token_count, n_text_state): the queries, not yet scaled.
  AlignedBuffer queries;
  /// (token_count, n_text_state): the output of the last norm; logits are its product with the embedding.
  AlignedBuffer hidden;
};

}  // namespace susurrus
