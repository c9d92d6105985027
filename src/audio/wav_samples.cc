#include "audio/wav_samples.h"

#include <bit>

#include "base/check.h"

namespace susurrus {
namespace {

/// ITU-T G.711, as 16-bit samples.
int a_law_to_s16(int code) {
  code ^= 0x55;
  const int segment = (code & 0x70) >> 4;
  int magnitude = (code & 0x0f) << 4;
  magnitude += segment == 0 ? 0x008 : 0x108;
  if (segment > 1) magnitude <<= segment - 1;
  return (code & 0x80) != 0 ? magnitude : -magnitude;
}
int mu_law_to_s16(int code) {
  code = ~code & 0xff;
  const int magnitude = ((((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4)) - 0x84;
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

template <int (*ToS16)(int)>
void expand(const uint8_t* bytes, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(ToS16(bytes[i])) / 32768.0f;
}

/// Loads `Bytes` bytes as the upper end of an unsigned number, so that its sign stands in place.
template <typename Unsigned, int Bytes, bool BigEndian>
Unsigned load_high(const uint8_t* at) {
  Unsigned value = 0;
  for (int i = 0; i < Bytes; ++i) {
    const int significance = BigEndian ? Bytes - 1 - i : i;
    value |= static_cast<Unsigned>(at[i])
             << (8 * (static_cast<int>(sizeof(Unsigned)) - Bytes + significance));
  }
  return value;
}

template <int Bytes, bool BigEndian>
void decode_integers(const uint8_t* bytes, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i, bytes += Bytes) {
    if constexpr (Bytes == 8) {
      const auto value = static_cast<int64_t>(load_high<uint64_t, 8, BigEndian>(bytes));
      out[i] = static_cast<float>(value) * 0x1p-63f;
    } else {
      const auto value = static_cast<int32_t>(load_high<uint32_t, Bytes, BigEndian>(bytes));
      out[i] = static_cast<float>(value) * 0x1p-31f;
    }
  }
}

template <int Bytes, bool BigEndian>
void decode_floats(const uint8_t* bytes, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i, bytes += Bytes) {
    if constexpr (Bytes == 4) {
      out[i] = std::bit_cast<float>(load_high<uint32_t, 4, BigEndian>(bytes));
    } else {
      // Beyond float's range the conversion gives infinity, which AudioConverter deals with.
      out[i] = static_cast<float>(std::bit_cast<double>(load_high<uint64_t, 8, BigEndian>(bytes)));
    }
  }
}

template <bool BigEndian>
void decode(const WavFormat& format, const uint8_t* bytes, size_t count, float* out) {
  if (format.encoding == SampleEncoding::floating) {
    return format.bytes_per_sample == 4 ? decode_floats<4, BigEndian>(bytes, count, out)
                                        : decode_floats<8, BigEndian>(bytes, count, out);
  }
  switch (format.bytes_per_sample) {
    case 1:
      for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(bytes[i] - 128) / 128.0f;
      return;
    case 2: return decode_integers<2, BigEndian>(bytes, count, out);
    case 3: return decode_integers<3, BigEndian>(bytes, count, out);
    case 4: return decode_integers<4, BigEndian>(bytes, count, out);
    default: return decode_integers<8, BigEndian>(bytes, count, out);
  }
}

}  // namespace

void decode_wav_samples(const WavFormat& format, const uint8_t* bytes, size_t count, float* out) {
  if (format.encoding == SampleEncoding::a_law) return expand<a_law_to_s16>(bytes, count, out);
  if (format.encoding == SampleEncoding::mu_law) return expand<mu_law_to_s16>(bytes, count, out);
  return format.big_endian ? decode<true>(format, bytes, count, out)
                           : decode<false>(format, bytes, count, out);
}

}  // namespace susurrus
