#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "container/model_metadata.h"

namespace susurrus {

struct Apr2Metadata {
  ModelMetadata model;
  /// Piece size of the encryption scheme of apr.md §6, where the metadata describe one.
  std::optional<uint64_t> encryption_piece_bytes;
  std::vector<std::string> warnings;
};

/// Checks an APR2 file's metadata (apr.md §2.4, §10 cases 40-46) and takes out what inference needs.
/// `file_offset` is for errors.
Result<Apr2Metadata> read_apr2_metadata(const JsonDocument& document, uint16_t version_major,
                                        uint64_t file_offset);

/// What is optional of it, from metadata of a Whisper of these dimensions that need not state anything.
Result<Apr2Metadata> read_apr2_options(const JsonDocument& document,
                                       const WhisperDimensions& dimensions, uint64_t file_offset);

/// The dimensions as the metadata's "architecture": JSON.
std::string architecture_text(const WhisperDimensions& dimensions);
/// The other way round; nullopt unless all ten are positive numbers of 32 bits.
std::optional<WhisperDimensions> read_architecture(JsonValue object);

}  // namespace susurrus
