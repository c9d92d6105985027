#pragma once
#include "base/bytes.h"
#include "base/result.h"
#include "container/model_metadata.h"

namespace susurrus {

/// The layouts that go by this name: the specification's, the one that its first reader's later writer makes after
/// another magic, and one of JSON texts.
enum class Apr1Layout : uint8_t { binary, padded, json };

inline constexpr std::string_view kApr1Magic = "APR1";
inline constexpr size_t kApr1HeaderBytes = 52;  // the magic included
inline constexpr size_t kApr1PaddedBytes = 68;  // the same, padded
inline constexpr size_t kApr1EntryBytes = 96;   // of the tensor index
inline constexpr size_t kApr1StoredName = 48;   // written with at least one zero byte after
inline constexpr size_t kApr1ScaleBytes = 4;
inline constexpr size_t kApr1CrcBytes = 4;
inline constexpr size_t kApr1Dims = 4;
/// Known as a signature of 64 bytes and a key of 32 that a tool appends to whole files.
inline constexpr size_t kApr1TailBytes = 96;

namespace apr1_flags {
inline constexpr uint8_t kVocabulary = 1;
inline constexpr uint8_t kFilterbank = 2;
}  // namespace apr1_flags

enum class Apr1Quantization : uint8_t { f32 = 0, f16 = 1, int8 = 2 };

/// apr.md §1.2
struct Apr1Header {
  uint8_t model_type = 0;
  Apr1Quantization quantization = Apr1Quantization::f32;
  bool is_compressed = false;
  uint16_t tensor_count = 0;
  uint8_t flags = 0;
  WhisperDimensions dimensions;
};

/// Numbers of model_type that have a name.
inline constexpr uint8_t kApr1ModelTypes = 13;

/// The offset of the ten dimensions.
inline constexpr uint64_t kApr1DimensionsAt = 12;

/// `bytes`: at least kApr1HeaderBytes. Tells nothing of tensor_count 0, which is another format's mark.
Result<Apr1Header> parse_apr1_header(ByteSpan bytes, Apr1Layout layout);

/// What a header of the padded layout has in common with no other file of its magic; `bytes` are the first 64.
bool looks_like_apr1_padded(ByteSpan bytes);

}  // namespace susurrus
