#include "session/transcriber.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "session/language_detector.h"
#include "session/prompt.h"
#include "session/recording_mel.h"
#include "session/window_segments.h"

namespace susurrus {
namespace {

// Text sampled at a temperature above this is not fit to prompt the next window.
constexpr float kPromptResetTemperature = 0.5f;

class WhisperTranscriber final : public Transcriber {
 public:
  WhisperTranscriber(WhisperModel& model, const TranscribeOptions& options,
                     FixedString<16> language, uint64_t sample_count)
      : model_(model), options_(options), language_(language), mel_(model, sample_count) {}

  Result<StepResult> step() override {
    if (!segments_.empty()) return StepResult::segment_ready;
    switch (stage_) {
      case Stage::scan: return scan();
      case Stage::detect_mel: return fill_for_detection();
      case Stage::detect: return detect();
      case Stage::window_mel: return fill_window();
      case Stage::decode: return decode();
      case Stage::done: break;
    }
    return StepResult::done;
  }

  AudioRequest audio_request() const override { return mel_.request(); }
  std::span<float> audio_window() override { return mel_.samples(); }
  Segment take_segment() override {
    if (segments_.empty()) return {};
    Segment segment = std::move(segments_.front());
    segments_.pop_front();
    return segment;
  }
  std::string_view language() const override { return language_.view(); }
  std::string text() const override { return model_.tokenizer().decode(all_tokens_); }
  double progress() const override {
    const auto total = static_cast<double>(mel_.content_frames());
    if (stage_ == Stage::done || total == 0) return 1.0;
    return std::min(1.0, static_cast<double>(seek_) / total);
  }

 private:
  enum class Stage : uint8_t { scan, detect_mel, detect, window_mel, decode, done };

  Result<StepResult> scan() {
    switch (mel_.scan()) {
      case RecordingMel::Progress::need_audio: return StepResult::need_audio;
      case RecordingMel::Progress::working: break;
      case RecordingMel::Progress::done:
        stage_ = language_.empty() ? Stage::detect_mel : Stage::window_mel;
    }
    return StepResult::working;
  }

  /// The language is that of the first window, completed with the silence that is appended to the recording.
  Result<StepResult> fill_for_detection() {
    if (mel_.fill_window(0, model_.window_frames()) == RecordingMel::Progress::need_audio) {
      return StepResult::need_audio;
    }
    model_.begin_encode();
    detector_.emplace(model_);
    stage_ = Stage::detect;
    return StepResult::working;
  }

  Result<StepResult> detect() {
    SUSURRUS_ASSIGN(bool is_done, detector_->step());
    if (is_done) {
      language_ = detector_->language();
      detector_.reset();
      stage_ = Stage::window_mel;
    }
    return StepResult::working;
  }

  /// Windows are cut at the end of the content and completed with 0.0, unlike the first one for the language.
  Result<StepResult> fill_window() {
    if (seek_ >= mel_.content_frames()) {
      stage_ = Stage::done;
      return StepResult::done;
    }
    place_ = {seek_, std::min<uint64_t>(model_.window_frames(), mel_.content_frames() - seek_)};
    if (mel_.fill_window(place_.seek, place_.frame_count) == RecordingMel::Progress::need_audio) {
      return StepResult::need_audio;
    }
    DecodeOptions options = options_.decode;
    options.language = language_;
    SUSURRUS_ASSIGN(window_, WindowDecoder::create(model_, options,
                                                   std::span(all_tokens_).subspan(prompt_begin_)));
    stage_ = Stage::decode;
    return StepResult::working;
  }

  Result<StepResult> decode() {
    SUSURRUS_ASSIGN(bool is_done, window_->step());
    if (!is_done) return StepResult::working;
    const WindowResult& result = window_->result();
    if (is_silence(result)) {
      seek_ = place_.seek + place_.frame_count;
    } else {
      accept(result);
    }
    window_.reset();
    stage_ = Stage::window_mel;
    return segments_.empty() ? StepResult::working : StepResult::segment_ready;
  }

  bool is_silence(const WindowResult& result) const {
    return result.no_speech_prob > options_.no_speech_threshold &&
           !(result.avg_logprob > options_.logprob_threshold);
  }

  void accept(const WindowResult& result) {
    WindowSegments split = split_window(result, place_, model_.tokenizer());
    for (Segment& segment : split.segments) {
      segment.id = segment_count_++;
      all_tokens_.insert(all_tokens_.end(), segment.tokens.begin(), segment.tokens.end());
      segments_.push_back(std::move(segment));
    }
    seek_ = split.next_seek;
    if (!options_.condition_on_previous_text || result.temperature > kPromptResetTemperature) {
      prompt_begin_ = all_tokens_.size();
    }
  }

  WhisperModel& model_;
  TranscribeOptions options_;
  FixedString<16> language_;
  RecordingMel mel_;

  Stage stage_ = Stage::scan;
  uint64_t seek_ = 0;  // mel frames
  WindowPlace place_;
  std::optional<LanguageDetector> detector_;
  std::unique_ptr<WindowDecoder> window_;
  std::deque<Segment> segments_;
  uint32_t segment_count_ = 0;
  std::vector<uint32_t> all_tokens_;
  size_t prompt_begin_ = 0;  // tokens before it prompt no more
};

}  // namespace

Result<std::unique_ptr<Transcriber>> Transcriber::create(WhisperModel& model,
                                                         const TranscribeOptions& options,
                                                         uint64_t sample_count) {
  SUSURRUS_TRY(check_options(options.decode));
  SUSURRUS_ASSIGN(FixedString<16> language, fixed_language(model, options.decode));
  return std::unique_ptr<Transcriber>(
      new WhisperTranscriber(model, options, language, sample_count));
}

}  // namespace susurrus
