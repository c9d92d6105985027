#include "session/candidate_scorer.h"

#include <algorithm>
#include <optional>

#include "decode/log_probability.h"
#include "decode/phrase_tokens.h"
#include "session/language_detector.h"
#include "session/prompt.h"

namespace susurrus {
namespace {

class TracingScorer final : public CandidateScorer {
 public:
  TracingScorer(WhisperModel& model, Prompt prompt, FixedString<16> language,
                std::vector<uint32_t> allowed_languages, std::vector<CandidateScore> scores,
                EncoderContext context)
      : model_(model), prompt_(std::move(prompt)), language_(language), scores_(std::move(scores)) {
    if (language.empty()) detector_.emplace(model, std::move(allowed_languages), context);
  }

  Result<bool> step() override {
    switch (stage_) {
      case Stage::encode: return encode();
      case Stage::trace:
        if (model_.decode_step()) begin_logits();
        return false;
      case Stage::logits:
        if (model_.decode_step()) SUSURRUS_RETURN_IF_ERROR(add_rows());
        return stage_ == Stage::done;
      case Stage::done: break;
    }
    return true;
  }
  const std::vector<CandidateScore>& scores() const override { return scores_; }
  std::string_view language() const override { return language_.view(); }

 private:
  enum class Stage : uint8_t { encode, trace, logits, done };

  Result<bool> encode() {
    if (detector_) {
      SUSURRUS_ASSIGN_OR_RETURN(bool is_done, detector_->step());
      if (!is_done) return false;
      language_ = detector_->language();
      prompt_.tokens[prompt_.head_count] = detector_->probabilities()[0].token;
    } else if (!model_.encode_step()) {
      return false;
    }
    SUSURRUS_RETURN_IF_ERROR(begin_candidate());
    return false;
  }

  Status begin_candidate() {
    tokens_ = prompt_.tokens;
    const std::vector<uint32_t>& text = scores_[candidate_].tokens;
    tokens_.insert(tokens_.end(), text.begin(), text.end());
    row_ = prompt_.tokens.size() - 1;
    stage_ = Stage::trace;
    return model_.begin_traced_decode(tokens_, trace_);
  }

  /// Row i of the trace tells how probable token i + 1 is, the last one that of <|endoftext|>.
  void begin_logits() {
    const size_t width = model_.dimensions().n_text_state;
    row_count_ = std::min(tokens_.size() - row_, kTraceLogitRows);
    model_.begin_logits(trace_.hidden.floats().subspan(row_ * width, row_count_ * width),
                        row_count_);
    stage_ = Stage::logits;
  }

  Status add_rows() {
    CandidateScore& score = scores_[candidate_];
    for (size_t i = 0; i < row_count_; ++i, ++row_) {
      const uint32_t next =
          row_ + 1 < tokens_.size() ? tokens_[row_ + 1] : model_.special_tokens().end_of_text;
      const std::span<const float> logits = model_.logits(i);
      score.logprob += logits[next] - log_sum_exp(model_.kernels(), logits);
    }
    if (row_ < tokens_.size()) {
      begin_logits();
      return ok_status();
    }
    score.avg_logprob = score.logprob / static_cast<double>(score.tokens.size() + 1);
    if (++candidate_ < scores_.size()) return begin_candidate();
    model_.reset_decoder();
    stage_ = Stage::done;
    return ok_status();
  }

  WhisperModel& model_;
  Prompt prompt_;
  FixedString<16> language_;
  std::optional<LanguageDetector> detector_;
  std::vector<CandidateScore> scores_;
  DecoderTrace trace_;
  std::vector<uint32_t> tokens_;  // prompt and candidate
  size_t candidate_ = 0;
  size_t row_ = 0;
  size_t row_count_ = 0;
  Stage stage_ = Stage::encode;
};

}  // namespace

Result<std::unique_ptr<CandidateScorer>> CandidateScorer::create(
    WhisperModel& model, const DecodeOptions& options, std::vector<std::string> candidates) {
  DecodeOptions prompt_options = options;
  prompt_options.timestamps = false;
  prompt_options.prefix.clear();
  SUSURRUS_RETURN_IF_ERROR(check_options(prompt_options));
  SUSURRUS_ASSIGN_OR_RETURN(FixedString<16> language, fixed_language(model, options));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<uint32_t> allowed, allowed_languages(model, options));
  SUSURRUS_ASSIGN_OR_RETURN(Prompt prompt, make_prompt(model, prompt_options, language.view()));
  if (candidates.empty()) return option_error("candidates", "at least one text");
  const size_t room = model.dimensions().n_text_ctx - prompt.tokens.size();
  std::vector<CandidateScore> scores;
  for (std::string& text : candidates) {
    PhraseTokens spellings = phrase_tokens(model.tokenizer(), text);
    CandidateScore& score = scores.emplace_back();
    // As the model writes it: with a space in front, where its script has spaces.
    score.tokens = std::move(spellings.is_unspaced ? spellings.bare : spellings.spaced);
    score.text = std::move(text);
    if (score.tokens.size() <= room) continue;
    return option_error("candidates", "texts of at most " + std::to_string(room) + " tokens")
        .with_got(uint64_t{score.tokens.size()});
  }
  SUSURRUS_RETURN_IF_ERROR(begin_encode(model, options.encoder_context));
  return std::unique_ptr<CandidateScorer>(new TracingScorer(model, std::move(prompt), language,
                                                            std::move(allowed), std::move(scores),
                                                            options.encoder_context));
}

}  // namespace susurrus
