#pragma once
#include <deque>

#include "session/engine.h"

namespace susurrus {

/// A recording through a live recognition: its final events are the segments.
class StreamedRecognition : public Recognition {
 public:
  /// `sample_count` at 16 kHz in all; nullopt for a stream whose end is not known.
  static Result<std::unique_ptr<Recognition>> make(std::unique_ptr<LiveRecognition> live,
                                                   std::optional<uint64_t> sample_count,
                                                   std::string_view language, bool has_words);

  Result<StepResult> step() override;
  AudioRequest audio_request() const override;
  std::span<float> audio_window() override;
  void end_audio(uint64_t sample_count) override;
  std::string take_event() override;
  std::string state() const override { return {}; }
  std::string_view language() const override { return language_; }
  std::string text() const override { return text_; }
  double progress() const override;

 private:
  StreamedRecognition(std::unique_ptr<LiveRecognition> live, std::optional<uint64_t> sample_count,
                      std::string_view language, bool has_words)
      : live_(std::move(live)),
        sample_count_(sample_count),
        language_(language),
        has_words_(has_words) {}
  void take_segments();

  std::unique_ptr<LiveRecognition> live_;
  std::optional<uint64_t> sample_count_;
  std::string language_;
  bool has_words_;
  AlignedBuffer window_;
  /// Samples that were asked for, and how many of those in the window were taken.
  uint64_t position_ = 0;
  size_t taken_ = 0;
  size_t wanted_ = 0;
  bool is_waiting_ = false;
  bool is_working_ = false;
  bool is_flushed_ = false;
  std::deque<Segment> segments_;
  std::string text_;
};

}  // namespace susurrus
