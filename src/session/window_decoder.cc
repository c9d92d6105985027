#include "session/window_decoder.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "decode/allowed_phrases.h"
#include "decode/beam.h"
#include "decode/candidate_ranking.h"
#include "decode/compression_ratio.h"
#include "decode/greedy.h"
#include "decode/hotword_bias.h"
#include "decode/log_probability.h"
#include "decode/repetition.h"
#include "decode/sampling.h"
#include "decode/suppression.h"
#include "decode/timestamp_rules.h"
#include "session/language_detector.h"
#include "session/prompt.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

// One step of the timestamps: one encoder position, two mel frames.
constexpr uint64_t kFramesPerTimestamp = 2;

size_t most_sequences(const DecodeOptions& options) {
  return options.beam_size.value_or(options.best_of);
}

/// As in the reference, callers adapt the options to the temperature that they choose.
Status check_conflicts(const DecodeOptions& options) {
  if (options.best_of == 1) return ok_status();
  if (options.beam_size) return option_error("bestOf", "none beside beamSize");
  if (options.temperature == 0) return option_error("bestOf", "a temperature above 0");
  return ok_status();
}

Status check_suppressed(const DecodeOptions& options, uint32_t n_vocab) {
  if (!options.suppress_tokens) return ok_status();
  for (int64_t token : *options.suppress_tokens) {
    if (token >= int64_t{n_vocab}) {
      return option_error("suppressTokens", "token ids below " + std::to_string(n_vocab))
          .with_got(static_cast<uint64_t>(token));
    }
  }
  return ok_status();
}

/// The filters of a window, in the order in which they are applied.
class WindowFilters {
 public:
  WindowFilters(const WhisperModel& model, const DecodeOptions& options, size_t max_tokens) {
    const Tokenizer& tokenizer = model.tokenizer();
    const WhisperMetadata& metadata = model.metadata();
    std::unique_ptr<AllowedPhrases> allowed;
    if (!options.allowed.empty()) {
      allowed = std::make_unique<AllowedPhrases>(tokenizer, options.allowed, max_tokens);
    }
    // The tokens of the phrases must be possible, even if they are suppressed otherwise.
    auto without_allowed = [&](std::vector<uint32_t> tokens) {
      if (!allowed) return tokens;
      const std::vector<uint32_t> wanted = allowed->tokens();
      std::erase_if(tokens,
                    [&](uint32_t token) { return std::ranges::binary_search(wanted, token); });
      return tokens;
    };
    if (options.suppress_blank) {
      add<SuppressAtBegin>(
          without_allowed(suppressed_at_begin(tokenizer, metadata.begin_suppress_tokens)));
    }
    add<SuppressTokens>(without_allowed(
        suppressed_tokens(tokenizer, metadata.suppress_tokens, options.suppress_tokens)));
    add<SuppressNameless>(tokenizer);
    if (!options.hotwords.empty()) {
      std::vector<WeightedPhrase> phrases;
      for (const Hotword& hotword : options.hotwords) {
        phrases.push_back({hotword.text, hotword.weight});
      }
      add<HotwordBias>(tokenizer, phrases);
    }
    if (allowed) {
      allowed_ = allowed.get();
      filters_.push_back(std::move(allowed));
    }
    if (has_timestamps(model, options)) {
      std::optional<uint32_t> last_index;
      if (options.content_frames) {
        last_index = static_cast<uint32_t>(
            std::min<uint64_t>(*options.content_frames, model.window_frames()) /
            kFramesPerTimestamp);
      }
      add<TimestampRules>(model.kernels(), tokenizer.special(),
                          max_initial_timestamp_index(model, options), last_index);
    }
  }

  void apply(std::span<float> logits, std::span<const uint32_t> sampled) const {
    for (const auto& filter : filters_) filter->apply(logits, sampled);
  }

  /// How many of `tokens`, from the front, may stand as a result.
  size_t complete_length(std::span<const uint32_t> tokens) const {
    return allowed_ ? allowed_->complete_length(tokens) : tokens.size();
  }

 private:
  template <typename Filter, typename... Arguments>
  void add(Arguments&&... arguments) {
    filters_.push_back(std::make_unique<Filter>(std::forward<Arguments>(arguments)...));
  }

  std::vector<std::unique_ptr<LogitFilter>> filters_;
  const AllowedPhrases* allowed_ = nullptr;
};

std::unique_ptr<TokenSearch> make_search(const WhisperModel& model, const DecodeOptions& options,
                                         size_t max_tokens) {
  const KernelTable& kernels = model.kernels();
  const uint32_t end_of_text = model.special_tokens().end_of_text;
  if (options.beam_size && !options.allowed.empty()) {
    return std::make_unique<BeamSearch>(kernels, end_of_text, max_tokens, *options.beam_size,
                                        BeamSearch::ClosedVocabulary{});
  }
  if (options.beam_size) {
    return std::make_unique<BeamSearch>(kernels, end_of_text, max_tokens, *options.beam_size,
                                        beam_candidate_count(*options.beam_size, options.patience));
  }
  if (options.temperature > 0) {
    return std::make_unique<SamplingSearch>(kernels, end_of_text, max_tokens, options.temperature,
                                            options.best_of, options.seed);
  }
  return std::make_unique<GreedySearch>(kernels, end_of_text, max_tokens);
}

class SearchingWindowDecoder final : public WindowDecoder {
 public:
  SearchingWindowDecoder(WhisperModel& model, const DecodeOptions& options, Prompt prompt,
                         FixedString<16> language, std::vector<uint32_t> allowed_languages,
                         size_t max_tokens)
      : model_(model),
        options_(options),
        prompt_(std::move(prompt)),
        filters_(model, options_, max_tokens),
        max_tokens_(max_tokens),
        search_(make_search(model, options_, max_tokens)) {
    result_.language = language;
    if (language.empty()) {
      detector_.emplace(model, std::move(allowed_languages), options.encoder_context);
    }
    rows_.reserve(most_sequences(options));
  }
  ~SearchingWindowDecoder() override {
    if (most_sequences(options_) == 1) return;
    model_.reset_decoder();
    // Giving memory back does not fail.
    (void)model_.reserve_sequences(1, 0);
  }

  Result<bool> step() override {
    switch (stage_) {
      case Stage::encode: return encode();
      case Stage::prompt_head:
        if (model_.decode_step()) SUSURRUS_RETURN_IF_ERROR(after_head());
        return stage_ == Stage::done;
      case Stage::tokens:
        if (model_.decode_step()) SUSURRUS_RETURN_IF_ERROR(choose());
        return stage_ == Stage::done;
      case Stage::done: break;
    }
    return true;
  }

  const WindowResult& result() const override { return result_; }

 private:
  enum class Stage : uint8_t { encode, prompt_head, tokens, done };

  Result<bool> encode() {
    if (detector_) {
      SUSURRUS_ASSIGN_OR_RETURN(bool is_done, detector_->step());
      if (!is_done) return false;
      result_.language = detector_->language();
      prompt_.tokens[prompt_.head_count] = detector_->probabilities()[0].token;
    } else if (!model_.encode_step()) {
      return false;
    }
    model_.reset_decoder();
    SUSURRUS_RETURN_IF_ERROR(
        model_.begin_decode(std::span(prompt_.tokens).first(prompt_.head_count)));
    stage_ = Stage::prompt_head;
    return false;
  }

  /// The unfiltered logits at <|startoftranscript|> tell how likely there is no speech.
  Status after_head() {
    result_.no_speech_prob =
        softmax_probability(model_.kernels(), model_.logits(), model_.special_tokens().no_speech);
    auto rest = std::span(prompt_.tokens).subspan(prompt_.head_count);
    stage_ = Stage::tokens;
    return rest.empty() ? choose() : model_.begin_decode(rest);
  }

  Status choose() {
    rows_.clear();
    for (size_t i = 0; i < search_->sequence_count(); ++i) {
      std::span<float> logits = model_.logits(i);
      filters_.apply(logits, search_->tokens(i));
      rows_.push_back(logits);
    }
    if (search_->choose(rows_) || goes_in_circles()) {
      finish();
      return ok_status();
    }
    if (most_sequences(options_) == 1) return model_.begin_decode(search_->last_tokens());
    model_.fork(search_->sources());
    return model_.begin_decode_each(search_->last_tokens());
  }

  /// The best beam, or every sample that is still under way, ends in a loop: more tokens will not make it better.
  bool goes_in_circles() const {
    if (!options_.break_loops) return false;
    const size_t count = options_.beam_size ? 1 : search_->sequence_count();
    for (size_t i = 0; i < count; ++i) {
      if (!find_repetition(search_->tokens(i), model_.tokenizer())) return false;
    }
    return true;
  }

  void finish() {
    std::vector<TokenCandidate> candidates = search_->finish();
    // The most probable text of a closed vocabulary is wanted, be it long or short.
    const auto length_penalty =
        options_.allowed.empty() ? options_.length_penalty : std::optional(0.0);
    TokenCandidate& best = candidates[rank_candidates(candidates, length_penalty)];
    result_.is_unfinished = best.tokens.size() >= max_tokens_;
    cut(best);
    result_.tokens = std::move(best.tokens);
    result_.token_logprobs = std::move(best.token_logprobs);
    const std::string text = model_.tokenizer().decode(result_.tokens);
    result_.text = strip_white_space(text);
    result_.avg_logprob =
        static_cast<float>(best.sum_logprob / static_cast<double>(result_.tokens.size() + 1));
    result_.temperature = options_.temperature;
    result_.encoder_context = static_cast<uint32_t>(model_.encoded_positions());
    result_.compression_ratio = static_cast<float>(compression_ratio(result_.text));
    stage_ = Stage::done;
  }

  /// Back to the first round of a loop, and to the last whole phrase of a list.
  void cut(TokenCandidate& candidate) {
    size_t keep = candidate.tokens.size();
    if (options_.break_loops) {
      if (auto loop = find_repetition(candidate.tokens, model_.tokenizer())) {
        keep = loop->keep;
        result_.is_loop_broken = true;
      }
    }
    keep = filters_.complete_length(std::span(candidate.tokens).first(keep));
    if (keep == candidate.tokens.size()) return;
    if (result_.is_loop_broken) {
      result_.cut_tokens.assign(candidate.tokens.begin() + static_cast<ptrdiff_t>(keep),
                                candidate.tokens.end());
      result_.cut_logprobs.assign(candidate.token_logprobs.begin() + static_cast<ptrdiff_t>(keep),
                                  candidate.token_logprobs.end());
    }
    candidate.tokens.resize(keep);
    candidate.token_logprobs.resize(keep);
    candidate.sum_logprob = 0;
    for (float logprob : candidate.token_logprobs) {
      candidate.sum_logprob = add_logprob(candidate.sum_logprob, logprob);
    }
  }

  WhisperModel& model_;
  const DecodeOptions options_;
  Prompt prompt_;
  const WindowFilters filters_;
  const size_t max_tokens_;
  const std::unique_ptr<TokenSearch> search_;
  std::optional<LanguageDetector> detector_;
  std::vector<std::span<const float>> rows_;
  WindowResult result_;
  Stage stage_ = Stage::encode;
};

}  // namespace

Result<std::unique_ptr<WindowDecoder>> WindowDecoder::create(WhisperModel& model,
                                                             const DecodeOptions& options,
                                                             Encoding encoding) {
  SUSURRUS_RETURN_IF_ERROR(check_options(options));
  SUSURRUS_RETURN_IF_ERROR(check_conflicts(options));
  SUSURRUS_RETURN_IF_ERROR(check_suppressed(options, model.dimensions().n_vocab));
  SUSURRUS_ASSIGN_OR_RETURN(FixedString<16> language, fixed_language(model, options));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<uint32_t> allowed, allowed_languages(model, options));
  SUSURRUS_ASSIGN_OR_RETURN(Prompt prompt, make_prompt(model, options, language.view()));

  // The token that passes the end of the context can still be chosen, not read.
  const size_t room = model.dimensions().n_text_ctx + 1 - prompt.tokens.size();
  const size_t max_tokens = std::min(sample_length(model, options), room);
  if (most_sequences(options) > 1) {
    SUSURRUS_RETURN_IF_ERROR(model.reserve_sequences(most_sequences(options), max_tokens));
  }
  if (encoding == Encoding::needed)
    SUSURRUS_RETURN_IF_ERROR(begin_encode(model, options.encoder_context));
  return std::unique_ptr<WindowDecoder>(new SearchingWindowDecoder(
      model, options, std::move(prompt), language, std::move(allowed), max_tokens));
}

}  // namespace susurrus
