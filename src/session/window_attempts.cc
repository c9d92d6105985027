#include "session/window_attempts.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "decode/repetition.h"
#include "decode/seeded_random.h"
#include "session/window_segments.h"

namespace susurrus {
namespace {

// With little silence after it, text tends to be written down twice. Text tokens of a phrase that is too long for chance.
constexpr size_t kDoubtfulPhrase = 4;

// So far below the threshold of log probabilities, a text is made up (drawn at temperature 1, mostly).
constexpr double kHopelessMargin = 0.5;

// Results are f32: so are the thresholds they are held against, or 12/5 would be above 2.4.
bool is_above(float value, std::optional<double> threshold) {
  return threshold && value > static_cast<float>(*threshold);
}
bool is_below(float value, std::optional<double> threshold) {
  return threshold && value < static_cast<float>(*threshold);
}

class FallbackAttempts final : public WindowAttempts {
 public:
  FallbackAttempts(WhisperModel& model, const DecodeOptions& options,
                   const FallbackOptions& fallback)
      : model_(model), options_(options), fallback_(fallback) {
    attempts_.reserve(fallback.temperatures.size() + 1);
  }

  Status begin(WindowDecoder::Encoding encoding) {
    DecodeOptions options = options_;
    options.temperature = fallback_.temperatures[index_];
    options.seed = derive_seed(options_.seed, index_);
    if (options.temperature > 0) {
      options.beam_size.reset();
      options.patience.reset();
    } else {
      options.best_of = 1;
    }
    // First gives back the memory of the attempt before.
    decoder_.reset();
    SUSURRUS_ASSIGN_OR_RETURN(decoder_, WindowDecoder::create(model_, options, encoding));
    return ok_status();
  }

  Result<bool> step() override {
    if (is_done_) return true;
    SUSURRUS_ASSIGN_OR_RETURN(bool is_attempt_done, decoder_->step());
    if (!is_attempt_done) return false;
    const WindowResult& result = decoder_->result();
    const Decision decision = judge(result);
    attempts_.push_back({result.temperature, result.avg_logprob, result.no_speech_prob,
                         result.compression_ratio, result.encoder_context, decision, result.text});
    if (attempts_.size() == 1) decision_ = decision;
    if (decision == Decision::retried_encoder_context) {
      options_.encoder_context = {};
      SUSURRUS_RETURN_IF_ERROR(begin(WindowDecoder::Encoding::needed));
      return false;
    }
    if (decision == Decision::kept || !chosen_ || !fallback_.keeps_best ||
        is_better(result, result_)) {
      result_ = result;
      chosen_ = attempts_.size() - 1;
    }
    const bool is_same_temperature = decision == Decision::retried_repetition && lower_hotwords();
    is_done_ = decision == Decision::kept ||
               (!is_same_temperature && index_ + 1 == fallback_.temperatures.size());
    if (is_done_) {
      attempts_[*chosen_].decision = Decision::kept;
      decoder_.reset();
    } else {
      if (!is_same_temperature) ++index_;
      // A language that was detected stays.
      options_.language = result.language;
      SUSURRUS_RETURN_IF_ERROR(begin(WindowDecoder::Encoding::done));
    }
    return is_done_;
  }

  const WindowResult& result() const override { return result_; }
  const std::vector<Attempt>& attempts() const override { return attempts_; }
  Decision decision() const override { return attempts_.size() > 1 ? decision_ : Decision::kept; }
  bool is_silence() const override {
    return is_above(result_.no_speech_prob, fallback_.no_speech_threshold) &&
           !is_above(result_.avg_logprob, fallback_.logprob_threshold);
  }
  bool is_doubtful() const override {
    return result_.is_loop_broken || is_improbable(result_) || is_compressible(result_) ||
           is_broken_off(result_);
  }

 private:
  bool is_improbable(const WindowResult& result) const {
    return is_below(result.avg_logprob, fallback_.logprob_threshold);
  }
  bool is_hopeless(const WindowResult& result) const {
    return fallback_.logprob_threshold &&
           result.avg_logprob < static_cast<float>(*fallback_.logprob_threshold - kHopelessMargin);
  }
  bool is_compressible(const WindowResult& result) const {
    return is_above(result.compression_ratio, fallback_.compression_ratio_threshold);
  }

  /// However probable the few tokens are, nobody says half a character. The reference has no such rule, nor has a caller
  /// who set no threshold.
  bool is_broken_off(const WindowResult& result) const {
    return fallback_.keeps_best && fallback_.logprob_threshold && !result.is_unfinished &&
           is_inside_character(result);
  }

  Decision judge(const WindowResult& result) const {
    // Silence too is believed only when all of the window says so.
    if (is_shortened(model_, options_.encoder_context) &&
        (is_improbable(result) || is_compressible(result) || result.is_loop_broken ||
         result.is_unfinished || has_late_timestamp(result) ||
         has_phrase_twice(result.tokens, model_.special_tokens(), kDoubtfulPhrase))) {
      return Decision::retried_encoder_context;
    }
    // Silence is no better at another temperature.
    if (is_improbable(result) && is_above(result.no_speech_prob, fallback_.no_speech_threshold)) {
      return Decision::kept;
    }
    if (result.is_loop_broken) return Decision::retried_repetition;
    if (is_compressible(result)) return Decision::retried_compression_ratio;
    const bool is_refused = is_improbable(result) || is_broken_off(result);
    return is_refused ? Decision::retried_log_probability : Decision::kept;
  }

  /// Both are below the standard. A text that ends inside a character is the worst one, however probable it is; then a
  /// repetitive one; then one that loses the rest of the window, unless the other is so improbable that nobody can have
  /// said it.
  bool is_better(const WindowResult& result, const WindowResult& other) const {
    const bool is_inside = is_inside_character(result);
    if (is_inside != is_inside_character(other)) return !is_inside;
    if (is_compressible(result) != is_compressible(other)) return is_compressible(other);
    const SpecialTokens& special = model_.special_tokens();
    const bool is_cut = loses_rest(result, special);
    if (is_cut != loses_rest(other, special) && !is_hopeless(is_cut ? other : result)) {
      return !is_cut;
    }
    return result.avg_logprob > other.avg_logprob;
  }

  bool is_inside_character(const WindowResult& result) const {
    return ends_inside_character(model_.tokenizer().decode_bytes(result.tokens));
  }

  /// Wishes that are too strong make text go in circles: half as strong at first, then none. False where none are left.
  bool lower_hotwords() {
    const auto is_wish = [](const Hotword& one) { return one.weight > 0; };
    if (std::ranges::none_of(options_.hotwords, is_wish)) return false;
    if (has_halved_hotwords_) {
      std::erase_if(options_.hotwords, is_wish);
      return true;
    }
    for (Hotword& one : options_.hotwords) {
      if (is_wish(one)) one.weight /= 2;
    }
    has_halved_hotwords_ = true;
    return true;
  }

  /// Text is timed where the shortened context holds nothing but silence.
  bool has_late_timestamp(const WindowResult& result) const {
    const size_t first = model_.special_tokens().timestamp_begin + model_.encoded_positions();
    return std::ranges::any_of(result.tokens,
                               [&](uint32_t token) { return token + kLeastAudioMargin > first; });
  }

  WhisperModel& model_;
  DecodeOptions options_;
  const FallbackOptions fallback_;
  std::unique_ptr<WindowDecoder> decoder_;
  std::vector<Attempt> attempts_;
  size_t index_ = 0;  // of the temperature
  WindowResult result_;
  std::optional<size_t> chosen_;  // attempt, which result_ is of
  bool has_halved_hotwords_ = false;
  Decision decision_ = Decision::kept;  // of the first attempt
  bool is_done_ = false;
};

}  // namespace

Result<std::unique_ptr<WindowAttempts>> WindowAttempts::create(WhisperModel& model,
                                                               const DecodeOptions& options,
                                                               const FallbackOptions& fallback,
                                                               WindowDecoder::Encoding encoding) {
  SUSURRUS_RETURN_IF_ERROR(check_options(fallback));
  auto attempts = std::make_unique<FallbackAttempts>(model, options, fallback);
  SUSURRUS_RETURN_IF_ERROR(attempts->begin(encoding));
  return std::unique_ptr<WindowAttempts>(std::move(attempts));
}

}  // namespace susurrus
