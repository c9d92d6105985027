#include "audio/wav_format.h"

#include <bit>
#include <cstring>

namespace susurrus {
namespace {

constexpr uint16_t kTagPcm = 1;
constexpr uint16_t kTagFloat = 3;
constexpr uint16_t kTagALaw = 6;
constexpr uint16_t kTagMuLaw = 7;
constexpr uint16_t kTagExtensible = 0xfffe;

// Offsets of the fields in the fmt chunk.
constexpr uint64_t kTagAt = 0;
constexpr uint64_t kChannelsAt = 2;
constexpr uint64_t kRateAt = 4;
constexpr uint64_t kFrameBytesAt = 12;
constexpr uint64_t kBitsAt = 14;
constexpr uint64_t kMaskAt = 20;
constexpr uint64_t kSubFormatAt = 24;

// The GUID of a sub-format is a tag and one of these: Microsoft's, or that of ambisonic B-format files.
constexpr uint8_t kMediaGuidTail[14] = {0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80,
                                        0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71};
constexpr uint8_t kAmbisonicGuidTail[14] = {0x00, 0x00, 0x21, 0x07, 0xd3, 0x11, 0x86,
                                            0x44, 0xc8, 0xc1, 0xca, 0x00, 0x00, 0x00};

Error bad_format(ErrorCode code, uint64_t offset, const char* subject) {
  return make_error(code, ErrorReason::bad_audio).at(offset).with_subject(subject);
}

bool is_known_guid(const uint8_t* tail) {
  return std::memcmp(tail, kMediaGuidTail, sizeof kMediaGuidTail) == 0 ||
         std::memcmp(tail, kAmbisonicGuidTail, sizeof kAmbisonicGuidTail) == 0;
}

/// Containers' sizes that the encodings come in.
bool is_decodable(SampleEncoding encoding, uint32_t bytes) {
  switch (encoding) {
    case SampleEncoding::integer: return (bytes >= 1 && bytes <= 4) || bytes == 8;
    case SampleEncoding::floating: return bytes == 4 || bytes == 8;
    case SampleEncoding::a_law:
    case SampleEncoding::mu_law: return bytes == 1;
  }
  return false;
}

}  // namespace

Result<WavFormat> parse_wav_format(ByteSpan chunk, uint64_t offset, bool big_endian) {
  if (chunk.size() < 16) {
    return bad_format(ErrorCode::malformed, offset, "WAV fmt chunk")
        .with_expected("16 bytes or more")
        .with_got(chunk.size());
  }
  auto u16 = [&](uint64_t at) {
    uint16_t value = load_le<uint16_t>(chunk.data() + at);
    return big_endian ? __builtin_bswap16(value) : value;
  };
  auto u32 = [&](uint64_t at) {
    uint32_t value = load_le<uint32_t>(chunk.data() + at);
    return big_endian ? __builtin_bswap32(value) : value;
  };

  WavFormat format;
  format.big_endian = big_endian;
  uint16_t tag = u16(kTagAt);
  uint64_t tag_at = kTagAt;
  if (tag == kTagExtensible) {
    if (chunk.size() < 40) {
      return bad_format(ErrorCode::malformed, offset, "WAV extensible fmt chunk")
          .with_expected("40 bytes or more")
          .with_got(chunk.size());
    }
    tag_at = kSubFormatAt;
    tag = u16(tag_at);
    if (!is_known_guid(chunk.data() + kSubFormatAt + 2)) {
      return bad_format(ErrorCode::unsupported_feature, offset + tag_at, "WAV sub-format")
          .with_expected("PCM, float, A-law or mu-law");
    }
    format.channel_mask = u32(kMaskAt);
  }
  switch (tag) {
    case kTagPcm: format.encoding = SampleEncoding::integer; break;
    case kTagFloat: format.encoding = SampleEncoding::floating; break;
    case kTagALaw: format.encoding = SampleEncoding::a_law; break;
    case kTagMuLaw: format.encoding = SampleEncoding::mu_law; break;
    default:
      return bad_format(ErrorCode::unsupported_feature, offset + tag_at, "WAV codec")
          .with_expected("1 (PCM), 3 (float), 6 (A-law) or 7 (mu-law)")
          .with_got(tag);
  }

  format.channels = u16(kChannelsAt);
  if (format.channels == 0) {
    return bad_format(ErrorCode::malformed, offset + kChannelsAt, "WAV channels")
        .with_expected("1 or more")
        .with_got(uint64_t{0});
  }
  if (std::popcount(format.channel_mask) != static_cast<int>(format.channels)) {
    format.channel_mask = 0;
  }
  format.sample_rate = u32(kRateAt);
  if (format.sample_rate == 0) {
    return bad_format(ErrorCode::malformed, offset + kRateAt, "WAV sample rate")
        .with_expected("1000 to 768000")
        .with_got(uint64_t{0});
  }
  if (format.sample_rate < kMinSourceRate || format.sample_rate > kMaxSourceRate) {
    return bad_format(ErrorCode::unsupported_feature, offset + kRateAt, "WAV sample rate")
        .with_expected("1000 to 768000")
        .with_got(format.sample_rate);
  }

  const bool is_law =
      format.encoding == SampleEncoding::a_law || format.encoding == SampleEncoding::mu_law;
  const uint32_t bits =
      is_law ? 8 : u16(kBitsAt);  // G.711 has no other size, whatever the file says.
  const uint32_t needed = (bits + 7) / 8;
  const uint32_t frame_bytes = u16(kFrameBytesAt);
  format.bytes_per_sample = needed;
  // The frame's size tells the container's; where the two disagree, or the size is missing, the bits count.
  if (frame_bytes % format.channels == 0) {
    const uint32_t container = frame_bytes / format.channels;
    if (bits != 0 && container > needed && is_decodable(format.encoding, container)) {
      format.bytes_per_sample = container;
    }
  }
  if (!is_decodable(format.encoding, format.bytes_per_sample)) {
    return bad_format(bits == 0 ? ErrorCode::malformed : ErrorCode::unsupported_feature,
                      offset + kBitsAt, "WAV bits per sample")
        .with_expected("8, 16, 24, 32 or 64")
        .with_got(bits);
  }
  return format;
}

}  // namespace susurrus
