#pragma once
#include "base/bytes.h"
#include "base/result.h"
#include "container/model_metadata.h"

namespace susurrus {

/// A vocabulary section without its size field: u32 tokens, u32 merges, then u16 lengths and bytes (apr.md §1.6). Merges are
/// checked and forgotten, since a token's id is its rank. `file_offset` is for errors.
Result<VocabularyBytes> parse_apr1_vocabulary(ByteSpan section, uint32_t n_vocab,
                                              uint64_t file_offset);

/// The mark of one converter's wrong decoding: token 94 is no longer the byte A1 (apr.md §7.1).
bool is_corrupt_apr1_vocabulary(const VocabularyBytes& vocabulary);

}  // namespace susurrus
