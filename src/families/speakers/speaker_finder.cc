#include "families/speakers/speaker_finder.h"

namespace susurrus {
namespace {

constexpr uint64_t kWindowSamples = SpeakerNetworks::kWindowSamples;
constexpr size_t kMels = SpeakerNetworks::kMelBins;
/// Samples before a window that the first frame of its features sees.
constexpr uint64_t kSamplesBefore = VoiceFeatures::kLength / 2;
/// Frames of features that a step makes.
constexpr size_t kStepFeatures = 100;

size_t largest_class(std::span<const float> values) {
  size_t largest = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[largest]) largest = i;
  }
  return largest;
}

}  // namespace

Result<std::unique_ptr<SpeakerFinder>> SpeakerFinder::make(SpeakerNetworks& networks,
                                                           const SpeakerOptions& options) {
  if (options.limits.most > 0 && options.limits.fewest > options.limits.most) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("speakers")
        .with_expected("no fewer at most than at least")
        .with_got(options.limits.most);
  }
  std::unique_ptr<SpeakerFinder> finder(new SpeakerFinder(networks, options));
  SUSURRUS_RETURN_IF_ERROR(finder->make_buffers());
  return finder;
}

SpeakerFinder::SpeakerFinder(SpeakerNetworks& networks, const SpeakerOptions& options)
    : networks_(&networks),
      most_windows_(options.windows == 0 ? networks.most_windows()
                                         : std::min(options.windows, networks.most_windows())),
      settling_options_{options.limits, options.most_items} {}

Status SpeakerFinder::make_buffers() {
  SUSURRUS_ASSIGN_OR_RETURN(features_, VoiceFeatures::make());
  room_ = kSamplesBefore + kWindowSamples + most_windows_ * kHopSamples;
  SUSURRUS_ASSIGN_OR_RETURN(
      samples_, AlignedBuffer::allocate((room_ + kFrameStep) * sizeof(float), "speakers"));
  SUSURRUS_ASSIGN_OR_RETURN(
      piece_features_,
      AlignedBuffer::allocate(PieceFrames::kMost * kMels * sizeof(float), "speakers"));
  return windows_.fill(most_windows_, nullptr);
}

std::span<float> SpeakerFinder::room() {
  if (has_ended_ || has_failed_) return {};
  const auto used = static_cast<size_t>(heard_.samples - origin_);
  return samples_.floats().subspan(used, room_ - used);
}

void SpeakerFinder::heard(size_t sample_count) {
  SUSURRUS_CHECK(sample_count <= room().size());
  heard_.samples += sample_count;
}

void SpeakerFinder::end() { has_ended_ = true; }

Result<SpeakerStep> SpeakerFinder::step() {
  if (has_failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("speakers");
  }
  auto step = take_step();
  has_failed_ = !step.has_value();
  return step;
}

Result<SpeakerStep> SpeakerFinder::take_step() {
  switch (stage_) {
    case Stage::listening: return begin_windows();
    case Stage::segmenting:
      if (networks_->step()) SUSURRUS_RETURN_IF_ERROR(end_windows());
      break;
    case Stage::cutting: SUSURRUS_RETURN_IF_ERROR(cut_window()); break;
    case Stage::gathering: gather_features(); break;
    case Stage::voicing:
      if (networks_->step()) SUSURRUS_RETURN_IF_ERROR(end_piece());
      break;
    case Stage::settling: {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, settling_->step());
      if (!is_done) break;
      stage_ = Stage::done;
      return SpeakerStep::done;
    }
    case Stage::done: return SpeakerStep::done;
  }
  return SpeakerStep::working;
}

size_t SpeakerFinder::ready_windows() const {
  const uint64_t last = last_window_start(heard_.samples);
  // The next one starts a hop later if that is no later than the last one's start.
  const uint64_t hops = last >= next_start_ ? (last - next_start_) / kWindowHop : 0;
  if (!has_ended_) return std::min<uint64_t>(hops, most_windows_);
  const bool is_last_between = (last - next_start_) % kWindowHop != 0;
  return std::min<uint64_t>(hops + 1 + is_last_between, most_windows_);
}

Result<SpeakerStep> SpeakerFinder::begin_windows() {
  if (has_ended_ && heard_.samples < VoiceFeatures::kLength) {
    stage_ = Stage::done;
    return SpeakerStep::done;
  }
  const size_t count = ready_windows();
  if (!has_ended_ && count < most_windows_) return SpeakerStep::need_audio;
  const uint64_t last = last_window_start(heard_.samples);
  for (size_t i = 0; i < count; ++i) {
    SUSURRUS_RETURN_IF_ERROR(heard_.starts.add(static_cast<uint32_t>(next_start_)));
    const uint64_t first_sample = next_start_ * kFrameStep;
    windows_[i] = sample(first_sample);
    if (first_sample + kWindowSamples > heard_.samples) {
      std::fill(sample(heard_.samples), sample(first_sample + kWindowSamples), 0.0F);
    }
    was_last_ = has_ended_ && next_start_ == last;
    next_start_ += kWindowHop;
    if (has_ended_) next_start_ = std::min(next_start_, last);
  }
  networks_->begin_windows(windows_.all().first(count));
  stage_ = Stage::segmenting;
  return SpeakerStep::working;
}

Status SpeakerFinder::end_windows() {
  const std::span<const float> values = networks_->log_probabilities();
  const size_t frames = values.size() / SpeakerNetworks::kClasses;
  SUSURRUS_ASSIGN_OR_RETURN(const std::span<uint8_t> classes, heard_.classes.extend(frames));
  SUSURRUS_CHECK(heard_.classes.size() == heard_.starts.size() * SpeakerNetworks::kWindowFrames);
  for (size_t i = 0; i < frames; ++i) {
    classes[i] = static_cast<uint8_t>(
        largest_class(values.subspan(i * SpeakerNetworks::kClasses, SpeakerNetworks::kClasses)));
  }
  stage_ = Stage::cutting;
  return ok_status();
}

Status SpeakerFinder::cut_window() {
  const size_t window = heard_.complete_windows;
  WindowPlace place = heard_.place(window, heard_.starts.size());
  if (window + 1 == heard_.starts.size() && !was_last_) place.after = next_start_;
  piece_ = heard_.pieces.size();
  SUSURRUS_RETURN_IF_ERROR(find_pieces(static_cast<uint32_t>(window), heard_.classes_of(window),
                                       place.middle(), heard_.pieces));
  begin_piece();
  return ok_status();
}

void SpeakerFinder::begin_piece() {
  const size_t window = heard_.complete_windows;
  const uint64_t feature_count = VoiceFeatures::frame_count(heard_.samples);
  for (; piece_ < heard_.pieces.size(); ++piece_) {
    frames_ = PieceFrames(heard_.pieces[piece_], heard_.classes_of(window), heard_.starts[window],
                          feature_count);
    if (frames_.size() == 0) continue;
    gathered_ = 0;
    stage_ = Stage::gathering;
    return;
  }
  end_window();
}

void SpeakerFinder::gather_features() {
  const std::span<float> all = piece_features_.floats().first(frames_.size() * kMels);
  const size_t end = std::min(frames_.size(), gathered_ + kStepFeatures);
  for (; gathered_ < end; ++gathered_) {
    const float* const first = sample(frames_[gathered_] * VoiceFeatures::kShift);
    features_.frame(std::span<const float, VoiceFeatures::kLength>(first, VoiceFeatures::kLength),
                    std::span<float, kMels>(all.data() + gathered_ * kMels, kMels));
  }
  if (gathered_ < frames_.size()) return;
  networks_->begin_voice(all);
  stage_ = Stage::voicing;
}

Status SpeakerFinder::end_piece() {
  SUSURRUS_RETURN_IF_ERROR(heard_.add_vector(heard_.pieces[piece_], networks_->vector()));
  ++piece_;
  begin_piece();
  return ok_status();
}

void SpeakerFinder::end_window() {
  ++heard_.complete_windows;
  if (heard_.complete_windows < heard_.starts.size()) {
    stage_ = Stage::cutting;
  } else if (was_last_) {
    settling_ = settle_so_far();
    stage_ = Stage::settling;
  } else {
    drop_samples();
    stage_ = Stage::listening;
  }
}

/// Those that no later window sees.
void SpeakerFinder::drop_samples() {
  const uint64_t first = next_start_ * kFrameStep - kSamplesBefore;
  std::memmove(samples_.data(), sample(first), (heard_.samples - first) * sizeof(float));
  origin_ = first;
}

std::span<const SpeakerTurn> SpeakerFinder::turns() const {
  if (stage_ != Stage::done || settling_ == nullptr) return {};
  return settling_->turns();
}

std::span<const FoundSpeaker> SpeakerFinder::speakers() const {
  if (stage_ != Stage::done || settling_ == nullptr) return {};
  return settling_->speakers();
}

std::unique_ptr<SpeakerSettling> SpeakerFinder::settle_so_far() const {
  return std::make_unique<SpeakerSettling>(heard_, settling_options_);
}

double SpeakerFinder::seconds_done() const {
  if (heard_.complete_windows == 0) return 0;
  const uint64_t start = heard_.starts[heard_.complete_windows - 1];
  const uint64_t samples = was_last_ && heard_.complete_windows == heard_.starts.size()
                               ? heard_.samples
                               : start * kFrameStep + (kWindowSamples + kHopSamples) / 2;
  return static_cast<double>(std::min(samples, heard_.samples)) / SpeakerNetworks::kSampleRate;
}

uint64_t SpeakerFinder::byte_count() const {
  return samples_.byte_count() + piece_features_.byte_count() + heard_.byte_count() +
         (settling_ == nullptr ? 0 : settling_->byte_count());
}

}  // namespace susurrus
