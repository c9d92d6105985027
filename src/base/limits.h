#pragma once
#include <cstdint>

namespace susurrus::limits {

/// apr.md §10 case 39: ample for every vocabulary; Whisper's own metadata stay near 1 MB.
inline constexpr uint64_t kMetadataBytes = 64ull << 20;
/// Large Whisper models have 1,259 tensors and 100-byte entries.
inline constexpr uint64_t kIndexBytes = 16ull << 20;
inline constexpr uint64_t kTensorNameBytes = 1024;
/// A checkpoint's tensors and settings: many times those of the largest Whisper.
inline constexpr uint64_t kCheckpointTensors = 1 << 16;
inline constexpr uint32_t kMaxDims = 8;
/// apr.md §10 case 40.
inline constexpr uint32_t kJsonDepth = 64;
/// A 64 KiB block's worst case (apr.md §3).
inline constexpr uint32_t kLz4RawBlockBytes = 65536;
inline constexpr uint32_t kLz4StoredBlockBytes = 65809;
/// SafeTensors' own limit (whisper-sources.md §9).
inline constexpr uint64_t kSafetensorsHeaderBytes = 100ull << 20;
/// The most bytes of one text in a model: a name, a description, settings or tokens.
inline constexpr uint64_t kDescriptionBytes = 16ull << 20;

}  // namespace susurrus::limits
