#include "families/speakers/speakers_family.h"

#include "families/speakers/speaker_weights.h"

namespace susurrus {
namespace {

/// The layout of tensors.
constexpr uint64_t kVersion = 1;

Status check(const ModelMetadata& metadata, std::span<const TensorInfo> tensors) {
  const OtherMetadata* other = metadata.other();
  if (other == nullptr) return not_of_family(metadata, kSpeakersFamily.name);
  const auto version = other->find("n_speakers_version");
  if (version != kVersion) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .with_subject("n_speakers_version")
        .with_expected(kVersion)
        .with_got(version.value_or(0));
  }
  return tensors.empty() ? Status(no_tensors()) : ok_status();
}

Result<TensorMatch> match(const ModelMetadata&, std::span<const TensorInfo> tensors,
                          const TensorMatchRules& rules) {
  // No other program writes this: a matrix whose sides are exchanged is a wrong one.
  TensorMatchRules own = rules;
  own.may_reverse_dims = false;
  return match_tensors(SpeakerWeights::wanted(), tensors, kSpeakersFamily.canonical_name, own);
}

}  // namespace

const ModelFamily kSpeakersFamily = {
    .name = "speakers",
    .check = check,
    .check_late = [](const ModelMetadata&) { return ok_status(); },
    .match = match,
    .canonical_name = [](std::string_view name) { return std::string(name); },
    .convolutions_follow = nullptr};

std::span<const ModelFamily* const> speakers_alone() {
  static constexpr const ModelFamily* kFamilies[] = {&kSpeakersFamily};
  return kFamilies;
}

}  // namespace susurrus
