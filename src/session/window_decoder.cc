#include <algorithm>
#include <optional>

#include "decode/compression_ratio.h"
#include "decode/greedy.h"
#include "decode/log_probability.h"
#include "decode/suppression.h"
#include "decode/timestamp_rules.h"
#include "session/language_detector.h"
#include "session/prompt.h"
#include "session/transcriber.h"
#include "text/utf8.h"

namespace susurrus {
namespace {

class GreedyWindowDecoder final : public WindowDecoder {
 public:
  GreedyWindowDecoder(WhisperModel& model, const DecodeOptions& options, FixedString<16> language,
                      std::span<const uint32_t> previous, Encoding encoding)
      : model_(model), options_(options), previous_(previous.begin(), previous.end()) {
    result_.language = language;
    // A vocabulary may lack timestamps altogether.
    if (model.special_tokens().timestamp_count == 0) options_.timestamps = false;
    if (encoding == Encoding::needed) model.begin_encode();
    if (language.empty()) detector_.emplace(model);
    add_filters();
  }

  Result<bool> step() override {
    switch (stage_) {
      case Stage::encode: return encode();
      case Stage::prompt_head:
        if (model_.decode_step()) SUSURRUS_TRY(after_head());
        return stage_ == Stage::done;
      case Stage::tokens:
        if (model_.decode_step()) SUSURRUS_TRY(choose());
        return stage_ == Stage::done;
      case Stage::done: break;
    }
    return true;
  }

  const WindowResult& result() const override { return result_; }

 private:
  enum class Stage : uint8_t { encode, prompt_head, tokens, done };

  void add_filters() {
    const Tokenizer& tokenizer = model_.tokenizer();
    const ModelMetadata& metadata = model_.metadata();
    auto add = [this](LogitFilter* filter) { filters_.emplace_back(filter); };
    add(new SuppressAtBegin(suppressed_at_begin(tokenizer, metadata.begin_suppress_tokens)));
    add(new SuppressTokens(suppressed_tokens(tokenizer, metadata.suppress_tokens)));
    add(new SuppressNameless(tokenizer));
    if (options_.timestamps) {
      add(new TimestampRules(tokenizer.special(), max_initial_timestamp_index(model_)));
    }
  }

  Result<bool> encode() {
    if (detector_) {
      SUSURRUS_ASSIGN(bool is_done, detector_->step());
      if (!is_done) return false;
      result_.language = detector_->language();
    } else if (!model_.encode_step()) {
      return false;
    }
    prompt_ = make_prompt(model_, options_, result_.language.view(), previous_);
    // The token that passes the end of the context can still be chosen, not read.
    const size_t context = model_.dimensions().n_text_ctx;
    const size_t room = context + 1 - std::min<size_t>(prompt_.tokens.size(), context);
    search_.emplace(model_.special_tokens().end_of_text, std::min(context / 2, room));
    model_.reset_decoder();
    SUSURRUS_TRY(model_.begin_decode(std::span(prompt_.tokens).first(prompt_.head_count)));
    stage_ = Stage::prompt_head;
    return false;
  }

  /// The unfiltered logits at <|startoftranscript|> tell how likely there is no speech.
  Status after_head() {
    result_.no_speech_prob =
        softmax_probability(model_.logits(), model_.special_tokens().no_speech);
    auto rest = std::span(prompt_.tokens).subspan(prompt_.head_count);
    stage_ = Stage::tokens;
    return rest.empty() ? choose() : model_.begin_decode(rest);
  }

  Status choose() {
    std::span<float> logits = model_.logits();
    for (const auto& filter : filters_) filter->apply(logits, search_->tokens());
    if (search_->choose(logits)) {
      finish();
      return ok_status();
    }
    return model_.begin_decode(search_->tokens().last(1));
  }

  void finish() {
    auto tokens = search_->tokens();
    result_.tokens.assign(tokens.begin(), tokens.end());
    std::string text = model_.tokenizer().decode(tokens);
    result_.text = strip_white_space(text);
    result_.avg_logprob = static_cast<float>(search_->avg_logprob());
    result_.temperature = options_.temperature;
    result_.compression_ratio = compression_ratio(result_.text);
    stage_ = Stage::done;
  }

  WhisperModel& model_;
  DecodeOptions options_;
  std::vector<uint32_t> previous_;
  std::optional<LanguageDetector> detector_;
  std::vector<std::unique_ptr<LogitFilter>> filters_;
  std::optional<GreedySearch> search_;
  Prompt prompt_;
  WindowResult result_;
  Stage stage_ = Stage::encode;
};

}  // namespace

Result<std::unique_ptr<WindowDecoder>> WindowDecoder::create(
    WhisperModel& model, const DecodeOptions& options, std::span<const uint32_t> prompt_tokens,
    Encoding encoding) {
  SUSURRUS_TRY(check_options(options));
  SUSURRUS_ASSIGN(FixedString<16> language, fixed_language(model, options));
  return std::unique_ptr<WindowDecoder>(
      new GreedyWindowDecoder(model, options, language, prompt_tokens, encoding));
}

}  // namespace susurrus
