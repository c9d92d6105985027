#include "session/networks/streamed_recognition.h"

#include <algorithm>

#include "session/results_json.h"

namespace susurrus {
namespace {

/// A quarter of a second: short enough that aborts are quick, long enough that asking costs nothing.
constexpr size_t kWindowSamples = 4000;

}  // namespace

Result<std::unique_ptr<Recognition>> StreamedRecognition::make(
    std::unique_ptr<LiveRecognition> live, std::optional<uint64_t> sample_count,
    std::string_view language, bool has_words) {
  std::unique_ptr<StreamedRecognition> recognition(
      new StreamedRecognition(std::move(live), sample_count, language, has_words));
  SUSURRUS_ASSIGN_OR_RETURN(recognition->window_,
                            AlignedBuffer::allocate(kWindowSamples * sizeof(float), "audio"));
  return std::unique_ptr<Recognition>(std::move(recognition));
}

Result<StepResult> StreamedRecognition::step() {
  if (!segments_.empty()) return StepResult::segment_ready;
  if (is_working_) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, live_->step());
    is_working_ = !is_done;
    take_segments();
    return segments_.empty() ? StepResult::working : StepResult::segment_ready;
  }
  if (is_waiting_) {
    is_waiting_ = false;
    position_ += wanted_;
    taken_ = 0;
  }
  if (taken_ < wanted_) {
    const auto rest = window_.floats().first(wanted_).subspan(taken_);
    SUSURRUS_ASSIGN_OR_RETURN(const size_t count, live_->feed(rest));
    taken_ += count;
    is_working_ = true;
    return StepResult::working;
  }
  if (!sample_count_ || position_ < *sample_count_) {
    is_waiting_ = true;
    const uint64_t left = sample_count_ ? *sample_count_ - position_ : kWindowSamples;
    wanted_ = static_cast<size_t>(std::min<uint64_t>(left, kWindowSamples));
    return StepResult::need_audio;
  }
  if (is_flushed_) return StepResult::done;
  is_flushed_ = true;
  live_->flush();
  is_working_ = true;
  return StepResult::working;
}

AudioRequest StreamedRecognition::audio_request() const { return {position_, position_ + wanted_}; }

std::span<float> StreamedRecognition::audio_window() { return window_.floats().first(wanted_); }

void StreamedRecognition::end_audio(uint64_t sample_count) {
  // What is left of it is asked for again.
  sample_count_ = std::max(sample_count, position_);
  is_waiting_ = false;
  wanted_ = 0;
  taken_ = 0;
}

void StreamedRecognition::take_segments() {
  for (LiveEvent& event : live_->take_events()) {
    if (event.type != LiveEvent::Type::final) continue;
    text_ += event.segment.text;
    segments_.push_back(std::move(event.segment));
  }
}

std::string StreamedRecognition::take_event() {
  const Segment segment = std::move(segments_.front());
  segments_.pop_front();
  return to_json(segment, has_words_);
}

double StreamedRecognition::progress() const {
  if (!sample_count_ || *sample_count_ == 0) return sample_count_ ? 1 : 0;
  return static_cast<double>(position_) / static_cast<double>(*sample_count_);
}

}  // namespace susurrus
