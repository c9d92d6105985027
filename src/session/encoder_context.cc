#include "session/encoder_context.h"

#include <algorithm>
#include <string>

#include "session/decode_options.h"
#include "session/whisper_model.h"

namespace susurrus {
namespace {

// Models are trained on windows of 30 s: the less silence stands after the content, the stranger it is to them.
constexpr uint64_t kLeast = 384;
constexpr uint64_t kMultiple = 64;

}  // namespace

uint64_t EncoderContext::window_frames(const WhisperModel& model) const {
  return positions == 0 || is_automatic ? model.window_frames() : 2 * uint64_t{positions};
}

EncoderContext EncoderContext::fitted(const WhisperModel& model, uint64_t content_frames) const {
  if (!is_automatic) return *this;
  const uint64_t wanted = std::max(kLeast, (content_frames + 1) / 2 + kLeastAudioMargin);
  const uint64_t rounded = (wanted + kMultiple - 1) / kMultiple * kMultiple;
  const uint64_t most = model.dimensions().n_audio_ctx;
  return {.positions = static_cast<uint32_t>(std::min(rounded, most)), .is_automatic = true};
}

Status check_encoder_context(const WhisperModel& model, const EncoderContext& context) {
  const uint32_t most = model.dimensions().n_audio_ctx;
  if (context.positions <= most) return ok_status();
  return option_error("encoderContext", "at most " + std::to_string(most) + " positions")
      .with_got(uint64_t{context.positions});
}

uint64_t fit_encoder_context(const WhisperModel& model, DecodeOptions& options,
                             uint64_t content_frames) {
  content_frames = std::min(content_frames, options.encoder_context.window_frames(model));
  options.encoder_context = options.encoder_context.fitted(model, content_frames);
  return content_frames;
}

Status begin_encode(WhisperModel& model, const EncoderContext& context) {
  SUSURRUS_RETURN_IF_ERROR(check_encoder_context(model, context));
  model.begin_encode(context.positions != 0 ? context.positions : model.dimensions().n_audio_ctx);
  return ok_status();
}

bool is_shortened(const WhisperModel& model, const EncoderContext& context) {
  return context.is_automatic && model.encoded_positions() < model.dimensions().n_audio_ctx;
}

}  // namespace susurrus
