#pragma once
#include "families/transducer/transducer_session.h"
#include "session/live_recognition.h"
#include "session/networks/model_rate.h"

namespace susurrus {

/// Live audio through an .april model.
class TransducerLive : public LiveRecognition, private TransducerListener {
 public:
  /// The model must outlive it.
  static Result<std::unique_ptr<LiveRecognition>> make(const TransducerModel& model,
                                                       AprilFrontEnd front_end);

  Result<size_t> feed(std::span<const float> samples) override;
  void flush() override { flush_ = Flush::wanted; }
  Result<bool> step() override;
  std::vector<LiveEvent> take_events() override { return std::exchange(events_, {}); }
  uint64_t byte_count() const override { return session_->byte_count(); }

 private:
  TransducerLive(const TransducerModel& model, ModelRate rate)
      : model_(&model), rate_(std::move(rate)) {}
  enum class Flush : uint8_t { none, wanted, sound_ended, under_way };
  void on_event(const TransducerEvent& event) override;
  Segment segment_of(std::span<const TransducerToken> tokens) const;
  /// Converts the session's time to seconds of the input audio.
  double seconds(uint64_t session_ms) const;

  const TransducerModel* model_;
  std::unique_ptr<TransducerSession> session_;
  ModelRate rate_;
  /// At the model's rate, not fed yet.
  std::span<const float> waiting_;
  uint64_t fed_samples_ = 0;
  /// Silence that flushes have put into the session.
  uint64_t padding_ms_ = 0;
  Flush flush_ = Flush::none;
  uint32_t id_ = 0;
  std::vector<LiveEvent> events_;
};

}  // namespace susurrus
