#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "base/json_document.h"
#include "base/name_index.h"

namespace susurrus {

/// One file of a model in shards, as the manifest describes it. Texts are the document's.
struct ShardEntry {
  std::string_view file;  // a bare name
  uint64_t byte_count = 0;
  /// CRC of the whole file. A file ends with its own checksum, so this is the same for all intact
  /// files of one size.
  std::optional<uint32_t> crc32;
  /// The one in its footer, which tells its contents from others; optional.
  std::optional<uint32_t> footer_crc32;
};

/// A manifest (apr.md §5) whose rules hold: cases 70-72, and what of 73 and 74 it decides alone.
struct ShardManifest {
  JsonDocument document;
  std::vector<ShardEntry> shards;
  /// Every tensor of the model; its place is the shard's.
  NameIndex tensors;
  /// aprender's form: without checksums.
  bool is_aprender = false;
};

/// Tells manifests from other JSON; what is not one is named (cannot_read).
Result<ShardManifest> read_shard_manifest(JsonDocument document);

}  // namespace susurrus
