#pragma once
#include "container/bw2l/bw2l_settings.h"
#include "families/acoustic/speech_features.h"
#include "families/acoustic/token_decoding.h"

namespace susurrus {

/// What the flags of a BW2L file say about features and tokens, each with its default.
struct AcousticSettings {
  SpeechFeatureSettings features;
  TokenSettings tokens;
};

/// malformed, naming the flag: no number, or one out of range. unsupported_feature: a criterion other than ctc and asg.
Result<AcousticSettings> read_acoustic_settings(const Bw2lModel& model,
                                                const Bw2lSettings& settings);

}  // namespace susurrus
