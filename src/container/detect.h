#pragma once
#include <cstddef>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

/// Enough first bytes to tell all formats apart (apr.md §8, whisper-sources.md §12).
inline constexpr size_t kDetectionBytes = 64;
/// Fewer bytes than this are no model file at all.
inline constexpr size_t kMinimumDetectionBytes = 16;

enum class FileFormat : uint8_t { apr2, apr1, apr1_hybrid, apr1_json };

/// The format of a file that begins with `first_bytes` (all of it when shorter than kDetectionBytes), or the error that
/// names what it is instead.
Result<FileFormat> detect_format(ByteSpan first_bytes, std::optional<uint64_t> file_byte_count);

}  // namespace susurrus
