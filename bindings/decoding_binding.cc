// Work on a window, driven step by step. Options and results are JSON with the API's names.
#include <emscripten/bind.h>

#include "base/json_document.h"
#include "base/json_writer.h"
#include "model_binding.h"
#include "request.h"
#include "session/candidate_scorer.h"
#include "session/language_detector.h"
#include "session/options_json.h"
#include "session/prompt.h"
#include "session/results_json.h"
#include "session/window_attempts.h"
#include "session/window_words.h"
#include "slice.h"

namespace susurrus {
namespace {

/// What can be asked about the window in mel_window().
class WindowTask {
 public:
  virtual ~WindowTask() = default;
  /// True when done.
  virtual Result<bool> step() = 0;
  /// JSON, once done.
  virtual std::string result() const = 0;
};
using NewTask = Result<std::unique_ptr<WindowTask>>;

class DecodeTask : public WindowTask {
 public:
  static NewTask create(WhisperModel& model, TranscribeOptions options, uint64_t frame_count) {
    if (!options.is_openai_compatible) options.decode.content_frames = frame_count;
    SUSURRUS_ASSIGN_OR_RETURN(auto attempts,
                              WindowAttempts::create(model, options.decode, options.fallback));
    return NewTask(std::unique_ptr<WindowTask>(
        new DecodeTask(model, std::move(options), frame_count, std::move(attempts))));
  }

  Result<bool> step() override {
    if (words_) return words_->step();
    SUSURRUS_ASSIGN_OR_RETURN(bool is_decoded, attempts_->step());
    if (!is_decoded || !options_.word_timestamps) return is_decoded;
    SUSURRUS_ASSIGN_OR_RETURN(
        words_, WindowWords::create(model_, options_, attempts_->result(), frame_count_));
    return false;
  }
  std::string result() const override {
    return to_json(*attempts_, words_ ? &words_->words() : nullptr);
  }

 private:
  DecodeTask(WhisperModel& model, TranscribeOptions options, uint64_t frame_count,
             std::unique_ptr<WindowAttempts> attempts)
      : model_(model),
        options_(std::move(options)),
        frame_count_(frame_count),
        attempts_(std::move(attempts)) {}

  WhisperModel& model_;
  TranscribeOptions options_;
  uint64_t frame_count_;
  std::unique_ptr<WindowAttempts> attempts_;
  std::unique_ptr<WindowWords> words_;
};

class ScoreTask : public WindowTask {
 public:
  static NewTask create(WhisperModel& model, const DecodeOptions& options, JsonValue candidates) {
    std::vector<std::string> texts;
    for (JsonValue candidate : candidates.items()) {
      texts.emplace_back(candidate.text().value_or(""));
    }
    SUSURRUS_ASSIGN_OR_RETURN(auto scorer,
                              CandidateScorer::create(model, options, std::move(texts)));
    return NewTask(std::unique_ptr<WindowTask>(new ScoreTask(std::move(scorer))));
  }
  Result<bool> step() override { return scorer_->step(); }
  std::string result() const override { return to_json(scorer_->scores()); }

 private:
  explicit ScoreTask(std::unique_ptr<CandidateScorer> scorer) : scorer_(std::move(scorer)) {}
  std::unique_ptr<CandidateScorer> scorer_;
};

class AlignTask : public WindowTask {
 public:
  static NewTask create(WhisperModel& model, const TranscribeOptions& options,
                        std::string_view text, uint64_t frame_count) {
    SUSURRUS_ASSIGN_OR_RETURN(auto words, WindowWords::create(model, options, text, frame_count));
    return NewTask(std::unique_ptr<WindowTask>(new AlignTask(std::move(words))));
  }
  Result<bool> step() override { return words_->step(); }
  std::string result() const override { return to_json(words_->words()); }

 private:
  explicit AlignTask(std::unique_ptr<WindowWords> words) : words_(std::move(words)) {}
  std::unique_ptr<WindowWords> words_;
};

class LanguageTask : public WindowTask {
 public:
  static NewTask create(WhisperModel& model, const DecodeOptions& options) {
    SUSURRUS_ASSIGN_OR_RETURN(auto allowed, allowed_languages(model, options));
    SUSURRUS_RETURN_IF_ERROR(begin_encode(model, options.encoder_context));
    return NewTask(std::unique_ptr<WindowTask>(
        new LanguageTask(model, std::move(allowed), options.encoder_context)));
  }
  Result<bool> step() override { return detector_.step(); }
  std::string result() const override {
    return to_json(detector_.probabilities(), model_.special_tokens());
  }

 private:
  LanguageTask(WhisperModel& model, std::vector<uint32_t> allowed, EncoderContext context)
      : model_(model), detector_(model, std::move(allowed), context) {}
  WhisperModel& model_;
  LanguageDetector detector_;
};

/// `name`: the method of the JavaScript API.
NewTask create_task(WhisperModel& model, std::string_view name, JsonValue request,
                    uint64_t frame_count) {
  SUSURRUS_ASSIGN_OR_RETURN(TranscribeOptions options,
                            parse_window_options(request["options"], model.tokenizer()));
  frame_count = fit_encoder_context(model, options.decode, frame_count);
  if (name == "decode") return DecodeTask::create(model, std::move(options), frame_count);
  if (name == "score") return ScoreTask::create(model, options.decode, request["candidates"]);
  if (name == "align") {
    return AlignTask::create(model, options, request["text"].text().value_or(""), frame_count);
  }
  return LanguageTask::create(model, options.decode);
}

/// A task on the mel window. The model must outlive it.
class WindowWorkBinding {
 public:
  /// `request`: {options, candidates, text} as JSON. `sample_count`: samples in the window, without the silence after.
  ErrorText begin(ModelBinding& model, const std::string& name, const std::string& request,
                  double sample_count) {
    const auto frame_count = static_cast<uint64_t>(sample_count) / kHopSamples;
    auto json = parse_request(request);
    if (!json) return failure(json);
    auto task = create_task(model.model(), name, json->root(), frame_count);
    if (!task) return failure(task);
    task_ = std::move(task).value();
    model_ = &model.model();
    return {};
  }
  /// Works for up to `milliseconds`.
  Step step(double milliseconds) {
    return run_slice(milliseconds, Step::working, [this] {
      auto is_done = task_->step();
      if (is_done && *is_done) return Step::done;
      if (is_done) return model_->needs_weights() ? Step::need_weights : Step::working;
      error_ = to_text(is_done.error());
      return Step::failed;
    });
  }
  /// After Step.failed.
  ErrorText error() const { return error_; }
  /// After Step.done.
  std::string result() const { return task_->result(); }

 private:
  std::unique_ptr<WindowTask> task_;
  WhisperModel* model_ = nullptr;
  ErrorText error_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(decoding) {
  emscripten::class_<WindowWorkBinding>("WindowWork")
      .constructor<>()
      .function("begin(model, task, request, sampleCount)", &WindowWorkBinding::begin)
      .function("step(milliseconds)", &WindowWorkBinding::step)
      .function("error", &WindowWorkBinding::error)
      .function("result", &WindowWorkBinding::result);
}

}  // namespace susurrus
