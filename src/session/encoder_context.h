#pragma once
#include <cstdint>

#include "base/result.h"

namespace susurrus {

class WhisperModel;
struct DecodeOptions;

/// Positions with silence alone that an automatic choice leaves after the content.
inline constexpr uint32_t kLeastAudioMargin = 256;

/// How many of the encoder's n_audio_ctx positions (20 ms each) are computed for a window.
struct EncoderContext {
  /// 0: all of them. Another number also limits the length of windows.
  uint32_t positions = 0;
  /// Chosen for each window by its content. A window with a doubtful result is encoded in full and decoded again.
  bool is_automatic = false;

  /// Mel frames of the longest window.
  uint64_t window_frames(const WhisperModel& model) const;
  /// For a window of `content_frames` mel frames.
  EncoderContext fitted(const WhisperModel& model, uint64_t content_frames) const;
};

/// invalid_argument for more positions than the model has.
Status check_encoder_context(const WhisperModel& model, const EncoderContext& context);

/// Sets `options` for a window of `content_frames`; returns how many of them the encoder covers.
uint64_t fit_encoder_context(const WhisperModel& model, DecodeOptions& options,
                             uint64_t content_frames);

/// Checks `context` and starts the encoder on that much of mel_window().
Status begin_encode(WhisperModel& model, const EncoderContext& context);

/// The model holds a window that an automatic choice has shortened.
bool is_shortened(const WhisperModel& model, const EncoderContext& context);

}  // namespace susurrus
