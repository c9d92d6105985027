#include "session/language_changes.h"

#include <algorithm>

#include "decode/log_probability.h"
#include "session/window_sound.h"

namespace susurrus {
namespace {

constexpr size_t kPositionsPerSecond = 50;
/// Positions around the middle of a second that its language is read from: fewer say too little.
constexpr size_t kHeardPositions = 3 * kPositionsPerSecond;
/// No second counts more against a language than this, however sure the model is.
constexpr float kLeastLogProbability = -4;
/// What a change costs: two seconds of clear evidence there and back. Of 24 windows in one language (base) none is worth it while somebody
/// speaks, of 14 with a change all are.
constexpr float kChangeCost = 6;
constexpr size_t kLeastSeconds = 2;
/// Where fewer mel frames sound, nothing is known.
constexpr size_t kLeastSoundFrames = 50;

}  // namespace

std::optional<size_t> first_change(const LanguageProfile& profile) {
  const size_t count = profile.language_count;
  const size_t seconds = profile.seconds();
  if (seconds < 2 * kLeastSeconds) return std::nullopt;
  // The best path to each language so far.
  struct Path {
    float score = 0;
    size_t change = 0;  // the first; 0: none so far
  };
  std::vector<Path> paths(count);
  for (size_t t = 0; t < seconds; ++t) {
    const Path best = *std::ranges::max_element(paths, {}, &Path::score);
    const bool may_change = t >= kLeastSeconds && t + kLeastSeconds <= seconds;
    for (size_t i = 0; i < count; ++i) {
      if (may_change && best.score - kChangeCost >= paths[i].score) {
        paths[i] = best;
        paths[i].score -= kChangeCost;
        if (paths[i].change == 0) paths[i].change = t;
      }
      paths[i].score += profile.log_probabilities[t * count + i];
    }
  }
  const Path best = *std::ranges::max_element(paths, {}, &Path::score);
  return best.change > 0 ? std::optional(best.change) : std::nullopt;
}

LanguageChanges::LanguageChanges(WhisperModel& model, std::span<const uint32_t> allowed,
                                 uint64_t frame_count)
    : model_(model),
      languages_(allowed.begin(), allowed.end()),
      seconds_(static_cast<size_t>(frame_count) / (2 * kPositionsPerSecond)) {
  if (languages_.empty()) {
    for (const auto& language : model.special_tokens().languages) {
      languages_.push_back(language.token);
    }
  }
  profile_.language_count = languages_.size();
}

Result<bool> LanguageChanges::step() {
  if (!is_encoded_) {
    if (!model_.encode_step()) return false;
    is_encoded_ = true;
  } else {
    if (!model_.decode_step()) return false;
    std::vector<float> values;
    for (uint32_t token : languages_) values.push_back(model_.logits()[token]);
    const double total = log_sum_exp(model_.kernels(), values);
    for (float value : values) {
      const auto log_probability = static_cast<float>(value - total);
      profile_.log_probabilities.push_back(std::max(log_probability, kLeastLogProbability));
    }
  }
  if (profile_.seconds() == seconds_ || languages_.size() < 2) {
    model_.reset_decoder();
    return true;
  }
  SUSURRUS_RETURN_IF_ERROR(ask());
  return false;
}

LanguageChanges::Heard LanguageChanges::heard(size_t second) const {
  const size_t middle = second * kPositionsPerSecond + kPositionsPerSecond / 2;
  return {middle - std::min(middle, kHeardPositions / 2),
          std::min(middle + kHeardPositions / 2, model_.encoded_positions())};
}

Status LanguageChanges::ask() {
  const Heard part = heard(profile_.seconds());
  model_.reset_decoder_within(part.first, part.end - part.first);
  const uint32_t start[] = {model_.special_tokens().start_of_transcript};
  return model_.begin_decode(start);
}

std::optional<uint64_t> LanguageChanges::find(const QuietFrames& frames, WindowPlace place) const {
  LanguageProfile spoken = profile_;
  for (size_t t = 0; t < spoken.seconds(); ++t) {
    const Heard part = heard(t);
    const size_t sound = frames.sound_count(place.seek + 2 * part.first, place.seek + 2 * part.end);
    if (sound >= kLeastSoundFrames) continue;
    // Silence is in no language.
    std::fill_n(
        spoken.log_probabilities.begin() + static_cast<ptrdiff_t>(t * spoken.language_count),
        spoken.language_count, 0.0f);
  }
  const std::optional<size_t> change = first_change(spoken);
  if (!change) return std::nullopt;
  return pause_near(frames, place, place.seek + 2 * kPositionsPerSecond * *change);
}

}  // namespace susurrus
