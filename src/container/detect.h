#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// Enough first bytes to tell all formats apart (apr.md §8, whisper-sources.md §12).
inline constexpr size_t kDetectionBytes = 64;
/// Fewer bytes than this are not a model file, unless they are JSON or begin like BW2L.
inline constexpr size_t kMinimumDetectionBytes = 16;

enum class FileKind : uint8_t {
#define SUSURRUS_FILE_KIND(name, kind_class, what, what_to_do) name,
#include "facts/file_kinds.inc"
#undef SUSURRUS_FILE_KIND
};

/// What a file is that begins with `first_bytes` (all of it when there are fewer than kDetectionBytes). The length is
/// used where it is known. Never looks at names. Errors: fewer than 16 bytes, a version of APR that does not exist.
Result<FileKind> recognise(ByteSpan first_bytes, std::optional<uint64_t> file_byte_count);

/// Whether conversion reads it (checkpoint_reader.h).
bool is_checkpoint(FileKind kind);

/// The error about a file of a kind that cannot be read: `got` names the kind, `expected` says what to do with the
/// file. `detail` is appended to the kind.
Error cannot_read(FileKind kind, std::string_view detail = {});

}  // namespace susurrus
