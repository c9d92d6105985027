#include "families/acoustic/acoustic_model.h"

#include <cmath>
#include <limits>

#include "families/acoustic/acoustic_settings.h"
#include "graph/bw2l/bw2l_reals.h"

namespace susurrus {
namespace {

/// ASG's transitions, as real numbers.
Result<std::vector<float>> read_transitions(const Bw2lModel& model, ByteSpan file,
                                            uint64_t token_count) {
  const Bw2lSection* section = model.find("transitions");
  if (section == nullptr || section->kind() != Bw2lKind::array) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .at(model.section_count_offset)
        .with_subject("transitions")
        .with_expected("an array");
  }
  const Bw2lArray& array = section->array;
  if (array.count != token_count * token_count) {
    return make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
        .at(array.count_offset)
        .with_subject("transitions")
        .with_expected(token_count * token_count)
        .with_got(array.count);
  }
  std::vector<float> values(static_cast<size_t>(array.count));
  if (!read_bw2l_reals(array, file, 1, 0, values)) {
    return make_error(ErrorCode::malformed, ErrorReason::bounds)
        .at(array.file_offset)
        .with_subject("transitions")
        .with_expected("an array that the file holds");
  }
  for (const float value : values) {
    if (value < std::numeric_limits<float>::infinity()) continue;
    return make_error(ErrorCode::malformed, ErrorReason::bad_scale)
        .at(array.file_offset)
        .with_subject("transitions")
        .with_expected("numbers, or minus infinity");
  }
  return values;
}

bool is_whole(double number) { return number == std::floor(number) && std::fabs(number) < 1e9; }

}  // namespace

AcousticModel::AcousticModel(SpeechFeatures features, AcousticTokens tokens, Bw2lNetwork network)
    : features_(std::move(features)), tokens_(std::move(tokens)), network_(std::move(network)) {}

Result<std::unique_ptr<AcousticModel>> AcousticModel::make(const Bw2lModel& model,
                                                           const Bw2lSettings& settings,
                                                           std::vector<std::string> listed_tokens,
                                                           ByteSpan file) {
  SUSURRUS_ASSIGN_OR_RETURN(const AcousticSettings read, read_acoustic_settings(model, settings));
  SUSURRUS_ASSIGN_OR_RETURN(SpeechFeatures features, SpeechFeatures::make(read.features));
  const bool is_raw = read.features.kind == SpeechFeatureKind::raw;
  const Bw2lInput input{features.feature_count(), is_raw ? 1 : read.features.channel_count,
                        AcousticTokens::label_count(listed_tokens, read.tokens)};
  SUSURRUS_ASSIGN_OR_RETURN(Bw2lNetwork network, compile_bw2l_network(model, file, input));
  SUSURRUS_ASSIGN_OR_RETURN(
      AcousticTokens tokens,
      AcousticTokens::make(std::move(listed_tokens), read.tokens, network.output_count));
  std::unique_ptr<AcousticModel> made(
      new AcousticModel(std::move(features), std::move(tokens), std::move(network)));
  if (read.tokens.is_asg) {
    SUSURRUS_ASSIGN_OR_RETURN(made->transitions_,
                              read_transitions(model, file, made->tokens_.size()));
  }
  return made;
}

double AcousticModel::seconds_per_frame() const {
  return timing().stride * static_cast<double>(features_.hop()) / sample_rate();
}

bool AcousticModel::is_network_limited() const {
  const Bw2lTiming& timing = network_.timing;
  return !timing.sees_all && timing.stride >= 1 && is_whole(timing.stride) &&
         is_whole(timing.first) && is_whole(timing.last);
}

double AcousticModel::right_context_seconds() const {
  if (!is_limited()) return std::numeric_limits<double>::infinity();
  const auto beside =
      static_cast<double>(features_.settings().right_context + 2 * features_.delta_window());
  const double hops = (timing().last + beside) * static_cast<double>(features_.hop());
  return (hops + static_cast<double>(features_.frame_size())) / sample_rate();
}

uint64_t AcousticModel::byte_count() const {
  uint64_t count = transitions_.size() * sizeof(float);
  for (const OwnedTensor& constant : network_.graph.constants)
    count += constant.buffer.byte_count();
  return count;
}

}  // namespace susurrus
