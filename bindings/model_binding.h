#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine_holder.h"
#include "engine_values.h"
#include "loader_binding.h"
#include "session/whisper_model.h"
#include "slice.h"

namespace susurrus {

/// A loaded model, driven in bounded steps. Nothing but create() may be called before create() succeeded; what comes after
/// engine() and facts(), only of a Whisper.
class ModelBinding : public EngineHolder {
 public:
  /// The loader must have finished, or be able to begin. An early model runs as far as weights have
  /// arrived while the loader goes on.
  ErrorText create(LoaderBinding& loader);
  double address() const { return static_cast<double>(reinterpret_cast<uintptr_t>(this)); }
  /// As JSON.
  std::string facts() const { return EngineHolder::facts(format_, dtypes_, store_->warnings()); }

  WhisperModel& model() const {
    SUSURRUS_CHECK(whisper_ != nullptr);
    return *whisper_;
  }
  uint32_t mel_bands() const { return model().dimensions().n_mels; }
  /// Mel frames of one window.
  uint32_t window_frames() const { return static_cast<uint32_t>(model().window_frames()); }

  /// Ids of ordinary text.
  TokenView tokenize(const std::string& text);
  /// Where ids go before detokenize() and begin_logits(); empty when there are more than the text context holds and
  /// no memory for them.
  TokenView token_window(uint32_t count);
  /// As JSON: a text on its own would lose a U+FEFF at its beginning on the way.
  std::string detokenize() const {
    return JsonWriter().value(model().tokenizer().decode(tokens_)).text();
  }

  /// Samples that frames [first, first + count) look at, in a recording of `sample_count`.
  Range mel_samples(double first_frame, double frame_count, double sample_count) const;
  FloatView sample_window() { return view(std::span<const float>(model().sample_window())); }
  FloatView mel_window() { return view(std::span<const float>(model().mel_window())); }
  /// Log-mel power of some frames into the mel window, from its first row on; returns their maximum.
  float compute_log_mel(double samples_begin, double sample_count, double zero_count,
                        double first_frame, uint32_t frame_count);
  void normalise_mel(uint32_t frame_count, float maximum);

  void begin_encode() { model().begin_encode(); }
  /// Works for up to `milliseconds`; true when done.
  bool encode_step(double milliseconds) {
    return run_slice(milliseconds, false, [this] { return model().encode_step(); });
  }
  FloatView encoder_output() const { return view(model().encoder_output()); }

  /// Computes logits for the tokens in the token window. `appends` continues after the tokens of
  /// the last call instead of starting over.
  ErrorText begin_logits(bool appends);
  bool logits_step(double milliseconds) {
    return run_slice(milliseconds, false, [this] { return model().decode_step(); });
  }
  FloatView logits() { return view(std::span<const float>(model().logits())); }

 private:
  std::unique_ptr<WeightStore> store_;
  WhisperModel* whisper_ = nullptr;  // the engine, if it is one
  std::string format_;
  std::vector<std::string> dtypes_;
  std::vector<uint32_t> tokens_;
};

/// A model beside another one: it transcribes with the same weights while the other one works, and ends before it.
class BesideModelBinding : public EngineHolder {
 public:
  ErrorText create(ModelBinding& model) {
    auto engine = model.model().create_beside();
    if (!engine) return failure(engine);
    engine_ = std::move(engine).value();
    return {};
  }
};

}  // namespace susurrus
