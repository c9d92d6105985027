// Models that run on graphs: loading them, and sound through them as it comes.
#include <emscripten/bind.h>

#include "engine_holder.h"
#include "engine_values.h"
#include "network_loader_binding.h"
#include "request.h"
#include "session/results_json.h"
#include "slice.h"

namespace susurrus {
namespace {

/// Nothing but create() may be called before it has succeeded.
class NetworkModelBinding : public EngineHolder {
 public:
  /// Of a loader that has finished.
  ErrorText create(NetworkLoaderBinding& loader) {
    auto engine = loader.file().take_engine();
    if (!engine) return failure(engine);
    engine_ = std::move(engine).value();
    format_ = loader.file().format();
    dtypes_.assign(loader.file().dtypes().begin(), loader.file().dtypes().end());
    warnings_.assign(loader.file().warnings().begin(), loader.file().warnings().end());
    return {};
  }
  /// As JSON.
  std::string facts() const { return EngineHolder::facts(format_, dtypes_, warnings_); }

 private:
  std::string format_;
  std::vector<std::string> dtypes_;
  std::vector<std::string> warnings_;
};

/// Sound to events while it comes. The model must outlive it.
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
  /// Goes on for so many milliseconds, or until all that was fed is done.
  Step step(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] { return step_once(); });
  }
  /// After Step.failed.
  ErrorText error() const { return error_; }
  /// Those since the last call, as a JSON array.
  std::string take_events() { return to_json(live_->take_events()); }

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

  std::unique_ptr<LiveRecognition> live_;
  InputWindow window_{kWindowBytes};
  std::span<const float> waiting_;
  ErrorText error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(network_model) {
  emscripten::class_<NetworkLoaderBinding>("Loader")
      .constructor<>()
      .function("inputWindow(byteCount)", &NetworkLoaderBinding::input_window)
      .function("setByteCount(byteCount)", &NetworkLoaderBinding::set_byte_count)
      .function("setWeights(dtype)", &NetworkLoaderBinding::set_weights)
      .function("expectText(name)", &NetworkLoaderBinding::expect_text)
      .function("beginText(name, byteCount)", &NetworkLoaderBinding::begin_text)
      .function("push(byteCount)", &NetworkLoaderBinding::push)
      .function("finish", &NetworkLoaderBinding::finish);
  emscripten::class_<NetworkModelBinding, emscripten::base<EngineHolder>>("Model")
      .constructor<>()
      .function("create(loader)", &NetworkModelBinding::create)
      .function("facts", &NetworkModelBinding::facts);
  emscripten::class_<LiveBinding>("Live")
      .constructor<>()
      .function("begin(model, options)", &LiveBinding::begin)
      .function("inputWindow(byteCount)", &LiveBinding::input_window)
      .function("feed(byteCount)", &LiveBinding::feed)
      .function("flush", &LiveBinding::flush)
      .function("step(milliseconds)", &LiveBinding::step)
      .function("error", &LiveBinding::error)
      .function("takeEvents", &LiveBinding::take_events);
}

}  // namespace susurrus
