#pragma once
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace susurrus {

enum class SampleEncoding : uint8_t { integer, floating, a_law, mu_law };

/// What a WAV file's fmt chunk says, checked: everything here can be decoded.
struct WavFormat {
  SampleEncoding encoding = SampleEncoding::integer;
  bool big_endian = false;
  /// Container size: 24 bits may take 3 bytes or, left-justified, 4. One-byte integers are
  /// unsigned.
  uint32_t bytes_per_sample = 0;
  uint32_t channels = 0;
  uint32_t sample_rate = 0;
  /// Which speakers the channels are, in the order of the bits (WAVEFORMATEXTENSIBLE); 0 when the file does not say.
  uint32_t channel_mask = 0;
};

inline constexpr uint32_t kMinSourceRate = 1000;
inline constexpr uint32_t kMaxSourceRate = 768000;

/// The bytes of a fmt chunk that matter; longer ones end in a codec's own data.
inline constexpr size_t kWavFormatBytes = 40;

/// `chunk` is the chunk's body, cut to kWavFormatBytes; `offset` is where in the file it starts.
Result<WavFormat> parse_wav_format(ByteSpan chunk, uint64_t offset, bool big_endian);

}  // namespace susurrus
