#pragma once
#include <string>
#include <vector>

#include "base/json_document.h"
#include "container/model_metadata.h"

namespace susurrus {

/// Decodes the metadata's `vocab` to raw bytes (apr.md 9.32). `encoding` is tokenizer_config.vocab_encoding, which may be
/// missing. An encoding that is not known gives an empty vocabulary and a warning.
Result<VocabularyBytes> read_apr2_vocabulary(JsonValue vocab, JsonValue encoding, uint32_t n_vocab,
                                             uint64_t file_offset,
                                             std::vector<std::string>& warnings);

}  // namespace susurrus
