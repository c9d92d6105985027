// Who speaks when.
#include <emscripten/bind.h>

#include <memory>
#include <optional>

#include "base/json_writer.h"
#include "container/apr2/apr2_reader.h"
#include "engine_values.h"
#include "families/speakers/speaker_finder.h"
#include "families/speakers/speakers_family.h"
#include "families/speakers/trained_speaker_networks.h"
#include "input_window.h"
#include "slice.h"

namespace susurrus {
namespace {

/// The two networks, from their file.
class SpeakerNetworksBinding {
 public:
  ByteView input_window(double byte_count) { return window_.fill(byte_count); }
  ErrorText push(double byte_count) { return window_.push_to(reader_, byte_count); }
  /// The file is complete.
  ErrorText finish() {
    window_.release();
    if (auto status = reader_.finish(); !status) return failure(status);
    auto networks = TrainedSpeakerNetworks::create(store_, default_kernels());
    if (!networks) return failure(networks);
    networks_ = std::move(networks).value();
    return {};
  }
  /// Memory: weights, and what both work in.
  double byte_count() const {
    return static_cast<double>(store_.weight_byte_count() +
                               (networks_ == nullptr ? 0 : networks_->byte_count()));
  }

  SpeakerNetworks* networks() const { return networks_.get(); }

 private:
  WeightStore store_{speakers_alone(), default_kernels().packing};
  Apr2Reader reader_{store_};
  InputWindow window_{256 << 10};
  std::unique_ptr<TrainedSpeakerNetworks> networks_;
};

/// One recording. Nothing but create() may be called before it has succeeded.
class SpeakerFinderBinding {
 public:
  /// `networks` outlive it. Of so many speakers at least and at most; 0: as many as there are. `windows` are heard at once; 0: as many as
  /// the networks take.
  ErrorText create(SpeakerNetworksBinding& networks, uint32_t least, uint32_t most,
                   uint32_t windows) {
    if (networks.networks() == nullptr) {
      return to_text(make_error(ErrorCode::wrong_state, ErrorReason::state));
    }
    auto finder =
        SpeakerFinder::make(*networks.networks(), {.limits = {least, most}, .windows = windows});
    if (!finder) return failure(finder);
    finder_ = std::move(finder).value();
    return {};
  }
  /// Where the next samples go, 32-bit floats at 16 kHz; empty while steps are to be taken first.
  ByteView input_window(double byte_count) {
    const auto room = std::as_bytes(finder_->room());
    const auto count =
        static_cast<size_t>(std::max(byte_count, 0.0)) / sizeof(float) * sizeof(float);
    return view(
        std::span(reinterpret_cast<const uint8_t*>(room.data()), std::min(room.size(), count)));
  }
  /// So many bytes were written there.
  void hear(double byte_count) { finder_->heard(static_cast<size_t>(byte_count) / sizeof(float)); }
  /// The recording is over.
  void end() { finder_->end(); }
  /// Works for up to `milliseconds`: up to Step.needAudio or, after end(), Step.done.
  Step step(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] {
      const auto step = finder_->step();
      error_ = failure(step);
      if (!step) return Step::failed;
      if (*step == SpeakerStep::working) return Step::working;
      return *step == SpeakerStep::done ? Step::done : Step::need_audio;
    });
  }
  /// After Step.failed.
  std::string error() const { return error_; }
  /// After Step.done: {seconds, turns: [[start, end, speaker]], speakers: [{seconds, vector}]} as JSON.
  std::string found() const { return voices(finder_->turns(), finder_->speakers()); }

  /// Looks for the speakers of what is complete so far: settle() up to Step.done, then settled().
  void begin_settling() {
    settling_ = finder_->seconds_done() > 0 ? finder_->settle_so_far() : nullptr;
  }
  /// Works for up to `milliseconds`; after Step.failed settling may begin anew.
  Step settle(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] {
      if (settling_ == nullptr) return Step::done;
      const auto is_done = settling_->step();
      error_ = failure(is_done);
      if (!is_done) return Step::failed;
      return *is_done ? Step::done : Step::working;
    });
  }
  /// As found(), of what is complete.
  std::string settled() const {
    if (settling_ == nullptr) return voices({}, {});
    return voices(settling_->turns(), settling_->speakers());
  }

 private:
  std::string voices(std::span<const SpeakerTurn> turns,
                     std::span<const FoundSpeaker> speakers) const {
    JsonWriter json;
    json.begin_object().field("seconds", finder_->seconds_done()).key("turns").begin_array();
    for (const SpeakerTurn& turn : turns) {
      json.begin_array().value(turn.start).value(turn.end).value(turn.speaker).end_array();
    }
    json.end_array().key("speakers").begin_array();
    for (const FoundSpeaker& speaker : speakers) {
      json.begin_object().field("seconds", speaker.seconds);
      json.field("vector", std::span<const float>(speaker.centre)).end_object();
    }
    return std::move(json.end_array().end_object()).text();
  }

  std::unique_ptr<SpeakerFinder> finder_;
  std::unique_ptr<SpeakerSettling> settling_;
  ErrorText error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(speakers) {
  emscripten::class_<SpeakerNetworksBinding>("SpeakerNetworks")
      .constructor<>()
      .function("inputWindow(byteCount)", &SpeakerNetworksBinding::input_window)
      .function("push(byteCount)", &SpeakerNetworksBinding::push)
      .function("finish", &SpeakerNetworksBinding::finish)
      .function("byteCount", &SpeakerNetworksBinding::byte_count);
  emscripten::class_<SpeakerFinderBinding>("SpeakerFinder")
      .constructor<>()
      .function("create(networks, least, most, windows)", &SpeakerFinderBinding::create)
      .function("inputWindow(byteCount)", &SpeakerFinderBinding::input_window)
      .function("hear(byteCount)", &SpeakerFinderBinding::hear)
      .function("end", &SpeakerFinderBinding::end)
      .function("step(milliseconds)", &SpeakerFinderBinding::step)
      .function("error", &SpeakerFinderBinding::error)
      .function("found", &SpeakerFinderBinding::found)
      .function("beginSettling", &SpeakerFinderBinding::begin_settling)
      .function("settle(milliseconds)", &SpeakerFinderBinding::settle)
      .function("settled", &SpeakerFinderBinding::settled);
}

}  // namespace susurrus
