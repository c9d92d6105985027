#pragma once
#include <cstddef>
#include <cstdint>

#include "audio/wav_format.h"

namespace susurrus {

/// Decodes `count` whole samples; full scale is [-1, 1], floating-point samples stay as they are.
void decode_wav_samples(const WavFormat& format, const uint8_t* bytes, size_t count, float* out);

}  // namespace susurrus
