// Live audio through a model. Options and results are JSON with the API's names.
#include <emscripten/bind.h>

#include <iterator>

#include "engine_holder.h"
#include "engine_values.h"
#include "input_window.h"
#include "request.h"
#include "session/results_json.h"
#include "slice.h"

namespace susurrus {
namespace {

/// Sound to events while it comes, of a model of any family, which must outlive it.
class LiveBinding {
 public:
  /// The most samples of one feed().
  static constexpr size_t kWindowBytes = 64 << 10;

  ErrorText begin(EngineHolder& model, const std::string& options_json) {
    auto options = parse_request(options_json);
    if (!options) return failure(options);
    auto live = model.engine().begin_live(options->root());
    if (!live) return failure(live);
    live_ = std::move(live).value();
    return {};
  }
  /// Announces that `sample_count` samples follow at once, in several feed()s.
  void expect(double sample_count) { live_->expect(static_cast<uint64_t>(sample_count)); }
  /// For the bytes of samples, 16 kHz mono.
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  /// Only when step() has answered Step.needAudio.
  ErrorText feed(double byte_count) {
    auto bytes = window_.filled(byte_count);
    if (!bytes) return failure(bytes);
    waiting_ = {reinterpret_cast<const float*>(bytes->data()), bytes->size() / sizeof(float)};
    return {};
  }
  void flush() { live_->flush(); }
  /// Skips `sample_count` samples, after a flush() whose steps are done.
  void skip(double sample_count) {
    take();
    skipped_seconds_ += sample_count / kSampleRate;
    live_->skip(static_cast<uint64_t>(sample_count));
  }
  /// Works for up to `milliseconds`, or until all fed samples are processed.
  Step step(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] { return step_once(); });
  }
  /// After Step.failed.
  ErrorText error() const { return error_; }
  /// Those since the last call, as a JSON array.
  std::string take_events() {
    take();
    return to_json(std::exchange(events_, {}));
  }

 private:
  Step step_once() {
    auto is_done = live_->step();
    if (is_done && *is_done && !waiting_.empty()) {
      auto count = live_->feed(waiting_);
      if (!count) return fail(count.error());
      waiting_ = waiting_.subspan(*count);
      return Step::working;
    }
    if (!is_done) return fail(is_done.error());
    return *is_done ? Step::need_audio : Step::working;
  }
  Step fail(const Error& error) {
    error_ = to_text(error);
    return Step::failed;
  }
  /// With the times of all sound, of which some was left out.
  void take() {
    for (LiveEvent& event : live_->take_events()) {
      event.time += skipped_seconds_;
      event.segment.start += skipped_seconds_;
      event.segment.end += skipped_seconds_;
      for (Word& word : event.segment.words) {
        word.start += skipped_seconds_;
        word.end += skipped_seconds_;
      }
      for (LiveToken& token : event.tokens) token.time += skipped_seconds_;
      events_.push_back(std::move(event));
    }
  }

  std::unique_ptr<LiveRecognition> live_;
  InputWindow window_{kWindowBytes};
  std::span<const float> waiting_;
  double skipped_seconds_ = 0;
  std::vector<LiveEvent> events_;
  ErrorText error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(live) {
  emscripten::class_<LiveBinding>("Live")
      .constructor<>()
      .function("begin(model, options)", &LiveBinding::begin)
      .function("expect(sampleCount)", &LiveBinding::expect)
      .function("inputWindow(byteCount)", &LiveBinding::input_window)
      .function("feed(byteCount)", &LiveBinding::feed)
      .function("flush", &LiveBinding::flush)
      .function("skip(sampleCount)", &LiveBinding::skip)
      .function("step(milliseconds)", &LiveBinding::step)
      .function("error", &LiveBinding::error)
      .function("takeEvents", &LiveBinding::take_events);
}

}  // namespace susurrus
