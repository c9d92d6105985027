#pragma once
#include "families/acoustic/acoustic_session.h"
#include "session/live_recognition.h"
#include "session/networks/model_rate.h"

namespace susurrus {

/// Live audio through a BW2L model. A model that sees whole recordings gives its text with flush().
///
/// A final event ends before a pause, or where it has become long.
class AcousticLive : public LiveRecognition {
 public:
  /// The model must outlive it. unsupported_feature: the model takes several channels.
  static Result<std::unique_ptr<LiveRecognition>> make(const AcousticModel& model,
                                                       const AcousticOptions& options);

  Result<size_t> feed(std::span<const float> samples) override;
  void flush() override;
  Result<bool> step() override;
  std::vector<LiveEvent> take_events() override { return std::exchange(events_, {}); }
  uint64_t byte_count() const override { return session_->byte_count(); }

 private:
  AcousticLive(const AcousticModel& model, const AcousticOptions& options, ModelRate rate)
      : model_(&model), options_(options), rate_(std::move(rate)) {}
  Status begin_session();
  /// Events of what is new since the last call.
  void tell(bool is_last);
  void tell_words(LiveEvent::Type type, std::span<const AcousticWord> words,
                  std::span<const AcousticToken> tokens);

  const AcousticModel* model_;
  AcousticOptions options_;
  ModelRate rate_;
  std::unique_ptr<AcousticSession> session_;
  /// Where the session begins, in 16 kHz samples.
  uint64_t session_begin_ = 0;
  uint64_t fed_samples_ = 0;
  bool has_sound_ = false;
  bool is_flushing_ = false;
  /// Words of the session that are in final events.
  size_t told_words_ = 0;
  std::string partial_;
  uint32_t id_ = 0;
  std::vector<LiveEvent> events_;
};

}  // namespace susurrus
