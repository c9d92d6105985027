#include "families/acoustic/acoustic_settings.h"

#include <cmath>

namespace susurrus {
namespace {

SpeechFeatureKind kind_of(Bw2lFeature feature) {
  switch (feature) {
    case Bw2lFeature::mfsc: return SpeechFeatureKind::mfsc;
    case Bw2lFeature::mfcc: return SpeechFeatureKind::mfcc;
    case Bw2lFeature::pow: return SpeechFeatureKind::pow;
    case Bw2lFeature::raw: break;
  }
  return SpeechFeatureKind::raw;
}

/// A count; `number` keeps its default when the flag is not there.
Status read_count(const Bw2lModel& model, const char* flag, uint32_t& number) {
  double value = number;
  SUSURRUS_RETURN_IF_ERROR(read_bw2l_number(model, flag, 0, value));
  if (value != std::floor(value)) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
        .with_subject("flags." + std::string(flag))
        .with_expected("a whole number");
  }
  number = static_cast<uint32_t>(value);
  return ok_status();
}

std::string text_flag(const Bw2lModel& model, const char* flag, const char* usual) {
  const Bw2lSection* flags = model.find("flags");
  const Bw2lPair* pair = flags == nullptr ? nullptr : find_pair(flags->pairs, flag);
  return pair == nullptr ? usual : pair->value;
}

}  // namespace

Result<AcousticSettings> read_acoustic_settings(const Bw2lModel& model,
                                                const Bw2lSettings& settings) {
  if (settings.criterion != Bw2lCriterion::ctc && settings.criterion != Bw2lCriterion::asg) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .with_subject("criterion")
        .with_expected("ctc or asg")
        .with_got(bw2l_criterion_name(settings.criterion));
  }
  AcousticSettings read;
  SpeechFeatureSettings& features = read.features;
  features.kind = kind_of(settings.feature);
  features.sample_rate = settings.samplerate;
  features.frame_size_ms = settings.frame_size_ms;
  features.frame_stride_ms = settings.frame_stride_ms;
  // What is too large is rejected where the features are made.
  features.filterbanks = static_cast<uint32_t>(settings.filterbanks);
  SUSURRUS_RETURN_IF_ERROR(read_count(model, "channels", features.channel_count));
  SUSURRUS_RETURN_IF_ERROR(read_count(model, "mfcccoeffs", features.coefficients));
  SUSURRUS_RETURN_IF_ERROR(read_bw2l_number(model, "melfloor", 0, features.mel_floor));
  SUSURRUS_RETURN_IF_ERROR(read_count(model, "devwin", features.delta_window));
  SUSURRUS_RETURN_IF_ERROR(read_count(model, "localnrmlleftctx", features.left_context));
  SUSURRUS_RETURN_IF_ERROR(read_count(model, "localnrmlrightctx", features.right_context));
  TokenSettings& tokens = read.tokens;
  tokens.is_asg = settings.criterion == Bw2lCriterion::asg;
  tokens.replabel = settings.replabel;
  tokens.has_eos = settings.has_eos_token;
  tokens.uses_word_pieces = read_bw2l_flag(model, "usewordpiece");
  tokens.surround = text_flag(model, "surround", "");
  tokens.separator = text_flag(model, "wordseparator", model.find("flags") == nullptr ? "" : "|");
  return read;
}

}  // namespace susurrus
