#include "container/apr1/apr1_header.h"

#include <algorithm>

#include "base/byte_cursor.h"
#include "families/whisper/dimension_order.h"

namespace susurrus {
namespace {

// Offsets of the fields, for errors.
enum : uint64_t { kVersionAt = 4, kQuantizationAt = 7, kCompressedAt = 8, kFlagsAt = 11 };

constexpr uint32_t kLargestDimension = 0x7FFFFFFF;
constexpr uint32_t kMoonshineVocabulary = 32768;

Error not_supported(ErrorReason reason, uint64_t offset, const char* subject) {
  return make_error(ErrorCode::unsupported_feature, reason).at(offset).with_subject(subject);
}

uint64_t offset_of(uint32_t WhisperDimensions::* field) {
  uint64_t offset = kApr1DimensionsAt;
  for (const NamedDimension& dimension : kStoredDimensions) {
    if (dimension.field == field) break;
    offset += sizeof(uint32_t);
  }
  return offset;
}

Error bad_dimension(uint32_t WhisperDimensions::* field, const char* expected, uint32_t value) {
  const uint64_t offset = offset_of(field);
  return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
      .at(offset)
      .with_subject(kStoredDimensions[(offset - kApr1DimensionsAt) / sizeof(uint32_t)].name)
      .with_expected(expected)
      .with_got(value);
}

Status check_dimensions(const WhisperDimensions& d) {
  if (d.n_mels == 0 && d.n_vocab == kMoonshineVocabulary) {
    return not_supported(ErrorReason::model, offset_of(&WhisperDimensions::n_mels), "n_mels")
        .with_expected("a Whisper")
        .with_got("0: this is a Moonshine");
  }
  for (const NamedDimension& dimension : kStoredDimensions) {
    const uint32_t value = d.*dimension.field;
    if (value == 0 || value > kLargestDimension) {
      return bad_dimension(dimension.field, "an integer from 1 to 2147483647", value);
    }
  }
  if (d.n_audio_state % d.n_audio_head != 0) {
    return bad_dimension(&WhisperDimensions::n_audio_state, "a multiple of n_audio_head",
                         d.n_audio_state);
  }
  if (d.n_text_state % d.n_text_head != 0) {
    return bad_dimension(&WhisperDimensions::n_text_state, "a multiple of n_text_head",
                         d.n_text_state);
  }
  if (d.n_audio_state != d.n_text_state) {
    return bad_dimension(&WhisperDimensions::n_text_state, "n_audio_state", d.n_text_state);
  }
  return ok_status();
}

WhisperDimensions read_dimensions(ByteSpan bytes) {
  WhisperDimensions d;
  const uint8_t* at = bytes.data() + kApr1DimensionsAt;
  for (const NamedDimension& dimension : kStoredDimensions) {
    d.*dimension.field = load_le<uint32_t>(at);
    at += sizeof(uint32_t);
  }
  return d;
}

}  // namespace

Result<Apr1Header> parse_apr1_header(ByteSpan bytes, Apr1Layout layout) {
  const uint16_t expected_version = layout == Apr1Layout::padded ? 2 : 1;
  ByteCursor cursor(bytes);
  cursor.take(kApr1Magic.size());
  const uint16_t version = cursor.u16();
  Apr1Header header;
  header.model_type = cursor.u8();
  const uint8_t quantization = cursor.u8();
  const uint8_t compressed = cursor.u8();
  header.tensor_count = cursor.u16();
  header.flags = cursor.u8();
  if (version != expected_version) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(kVersionAt)
        .with_subject("version")
        .with_expected(expected_version)
        .with_got(version);
  }
  if (quantization > static_cast<uint8_t>(Apr1Quantization::int8)) {
    return not_supported(ErrorReason::unsupported, kQuantizationAt, "quantization")
        .with_expected("0, 1 or 2: f32, f16 or int8")
        .with_got(quantization);
  }
  if (compressed > 1) {
    return not_supported(ErrorReason::unsupported, kCompressedAt, "compressed")
        .with_expected("0 or 1")
        .with_got(compressed);
  }
  if (header.flags > (apr1_flags::kVocabulary | apr1_flags::kFilterbank)) {
    return not_supported(ErrorReason::unsupported_flag, kFlagsAt, "flags")
        .with_expected("bits 0 and 1 only")
        .with_got(header.flags);
  }
  header.quantization = static_cast<Apr1Quantization>(quantization);
  header.is_compressed = compressed != 0;
  header.dimensions = read_dimensions(bytes);
  // Without tensors the dimensions may be anything: early files have a shorter header.
  if (header.tensor_count > 0) SUSURRUS_RETURN_IF_ERROR(check_dimensions(header.dimensions));
  return header;
}

bool looks_like_apr1_padded(ByteSpan bytes) {
  constexpr size_t kPaddingAt = kApr1HeaderBytes;
  if (bytes.size() < 64 || load_le<uint16_t>(bytes.data() + kVersionAt) != 2) return false;
  const auto padding = bytes.subspan(kPaddingAt);
  if (std::any_of(padding.begin(), padding.end(), [](uint8_t byte) { return byte != 0; })) {
    return false;
  }
  return parse_apr1_header(bytes, Apr1Layout::padded).has_value();
}

}  // namespace susurrus
