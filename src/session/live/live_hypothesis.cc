#include "session/live/live_hypothesis.h"

#include <algorithm>

#include "align/alignment_costs.h"
#include "base/utf8.h"
#include "session/live/said_before.h"
#include "session/prompt.h"
#include "session/window_attempts.h"
#include "session/window_segments.h"
#include "session/word_aligner.h"
#include "session/word_timing.h"

namespace susurrus {
namespace {

/// The most text tokens of a second of speech, and of a moment: more are invented.
constexpr size_t kTokensPerSecond = 12;
constexpr size_t kLeastTokens = 8;
/// A hypothesis with fewer tokens after the committed words is not decoded again.
constexpr size_t kDoubtfulTokens = 4;
/// Text for which the model goes back by more seconds is said a second time by the model alone.
constexpr double kMostRewind = 1.5;
/// Words in a row that leave no more time for each are squeezed into what is left of the sound: made up.
constexpr size_t kSqueezedWords = 3;
constexpr double kSqueezedSeconds = 0.08;
/// Text that the model takes for silence is kept if its words are more probable than this: short
/// windows begin within words.
constexpr double kSilenceLogprob = -1.6;

class DecodedHypothesis final : public LiveHypothesis {
 public:
  DecodedHypothesis(WhisperModel& model, const TranscribeOptions& options, const Window& window)
      : model_(model), options_(options), window_(window) {}

  Status begin() {
    DecodeOptions& decode = decode_ =
        LiveHypothesis::decode_options(model_, options_.decode, window_.frame_count);
    decode.language = window_.language;
    decode.prompt.assign(window_.prompt.begin(), window_.prompt.end());
    decode.prefix.assign(window_.committed.begin(), window_.committed.end());
    // The prefix must fit beside it.
    const size_t half = model_.dimensions().n_text_ctx / 2;
    const size_t room = half - std::min(half - 1, decode.prefix.size());
    decode.sample_length = std::min(*decode.sample_length, static_cast<uint32_t>(room));
    return begin_attempts(
        {0}, window_.is_encoded ? WindowDecoder::Encoding::done : WindowDecoder::Encoding::needed);
  }

  Status begin_attempts(std::vector<double> temperatures, WindowDecoder::Encoding encoding) {
    FallbackOptions fallback = options_.fallback;
    fallback.temperatures = std::move(temperatures);
    fallback.keeps_best = true;
    attempts_.reset();
    SUSURRUS_ASSIGN_OR_RETURN(attempts_,
                              WindowAttempts::create(model_, decode_, fallback, encoding));
    return ok_status();
  }

  Result<bool> step() override {
    if (stage_ == Stage::decode) {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, attempts_->step());
      if (is_done) SUSURRUS_RETURN_IF_ERROR(take_text());
    } else if (stage_ == Stage::align) {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, aligner_->step());
      if (is_done) take_words();
    }
    return stage_ == Stage::done;
  }

  std::vector<ProvisionalWord>& words() override { return words_; }
  bool is_doubtful() const override { return is_doubtful_; }
  bool is_no_prompt() const override { return is_no_prompt_; }

 private:
  enum class Stage : uint8_t { decode, align, done };

  Status take_text() {
    stage_ = Stage::done;
    const WindowResult& result = attempts_->result();
    is_no_prompt_ = result.temperature > kPromptResetTemperature || result.is_loop_broken;
    is_doubtful_ = attempts_->is_doubtful();
    if (is_doubtful_ && window_.is_thorough && !is_second_attempt_ && is_worth_it(result)) {
      is_second_attempt_ = true;
      decode_.encoder_context = {};
      stage_ = Stage::decode;
      return begin_attempts(options_.fallback.temperatures, WindowDecoder::Encoding::needed);
    }
    if (attempts_->is_silence() && double{result.avg_logprob} < kSilenceLogprob) return ok_status();
    tokens_.assign(window_.committed.begin(), window_.committed.end());
    for (uint32_t token : result.tokens) {
      if (token < model_.special_tokens().end_of_text) tokens_.push_back(token);
    }
    drop_cut_character();
    if (tokens_.size() == window_.committed.size()) return ok_status();
    attempts_.reset();
    SUSURRUS_ASSIGN_OR_RETURN(
        aligner_, WordAligner::create(model_, window_.language, options_.decode.task, tokens_,
                                      window_.frame_count));
    stage_ = Stage::align;
    return ok_status();
  }

  /// What the model has begun to say and not said: its rest never comes once the sound is over.
  void drop_cut_character() {
    while (tokens_.size() > window_.committed.size() &&
           ends_inside_character(model_.tokenizer().decode_bytes(tokens_))) {
      tokens_.pop_back();
    }
  }

  /// After committed words there may be nothing to say, which is improbable, too.
  bool is_worth_it(const WindowResult& result) const {
    return window_.committed.empty() || result.tokens.size() >= kDoubtfulTokens;
  }

  void take_words() {
    stage_ = Stage::done;
    const AlignmentCosts* costs = aligner_->costs();
    const size_t frames = costs->costs().size() / (tokens_.size() + 1);
    std::vector<WordTiming>& timed = aligner_->words();
    // Where each word's last token listens to; a mark of punctuation listens anywhere.
    std::vector<double> heard;
    std::vector<WordTiming> fresh;
    size_t row = 0;
    for (WordTiming& word : timed) {
      const size_t end = row + word.tokens.size();
      if (end > window_.committed.size()) {
        if (row < window_.committed.size()) behind_committed(word, window_.committed.size() - row);
        heard.push_back(most_attended(*costs, end - 1, frames));
        fresh.push_back(std::move(word));
      }
      row = end;
    }
    merge_punctuations(fresh, {options_.prepend_punctuations, options_.append_punctuations});
    for (size_t i = 0; i < fresh.size(); ++i) {
      WordTiming& word = fresh[i];
      if (word.tokens.empty()) continue;
      words_.push_back({std::move(word.word), std::move(word.tokens), word.start, word.end,
                        word.probability, heard[i]});
    }
    words_.resize(std::min(rewind_begin(), squeezed_begin()));
    words_.resize(before_hurried_repeat(words_));
    while (!words_.empty() &&
           ends_inside_character(model_.tokenizer().decode_bytes(words_.back().tokens)))
      words_.pop_back();
  }

  /// The first word from which on the model listens to sound far before the words that it has said already.
  size_t rewind_begin() const {
    double furthest = window_.committed_end;
    for (size_t i = 0; i < words_.size(); ++i) {
      const bool is_back = words_[i].heard_at < furthest - kMostRewind;
      const bool goes_on =
          i + 1 < words_.size() && words_[i + 1].heard_at >= furthest - kMostRewind;
      if (is_back && !goes_on) return i;
      furthest = std::max(furthest, words_[i].heard_at);
    }
    return words_.size();
  }

  /// The first word from which on all have hardly any time.
  size_t squeezed_begin() const {
    for (size_t i = 0; i + kSqueezedWords <= words_.size(); ++i) {
      const double most = kSqueezedSeconds * static_cast<double>(words_.size() - i);
      if (words_[i].end - words_[i].start < kSqueezedSeconds &&
          words_.back().end - words_[i].start < most)
        return i;
    }
    return words_.size();
  }

  /// A word that goes on after what is committed of it.
  void behind_committed(WordTiming& word, size_t committed) const {
    word.tokens.erase(word.tokens.begin(), word.tokens.begin() + static_cast<ptrdiff_t>(committed));
    word.word = model_.tokenizer().decode(word.tokens);
  }

  static double most_attended(const AlignmentCosts& costs, size_t row, size_t frames) {
    const std::span<const float> line = costs.costs().subspan(row * frames, frames);
    const auto found = std::ranges::min_element(line);
    return static_cast<double>(found - line.begin()) / kPositionsPerSecond;
  }

  WhisperModel& model_;
  const TranscribeOptions& options_;
  const Window window_;
  DecodeOptions decode_;
  Stage stage_ = Stage::decode;
  std::unique_ptr<WindowAttempts> attempts_;
  bool is_second_attempt_ = false;
  std::vector<uint32_t> tokens_;  // with the committed ones
  std::unique_ptr<WordAligner> aligner_;
  std::vector<ProvisionalWord> words_;
  bool is_doubtful_ = false;
  bool is_no_prompt_ = false;
};

}  // namespace

DecodeOptions LiveHypothesis::decode_options(const WhisperModel& model,
                                             const DecodeOptions& options, size_t frame_count) {
  DecodeOptions decode = options;
  decode.timestamps = false;
  decode.encoder_context = EncoderContext{.is_automatic = true}.fitted(model, frame_count);
  // Doubtful text is decoded again by the hypothesis, not by the attempts.
  decode.encoder_context.is_automatic = false;
  decode.sample_length = static_cast<uint32_t>(frame_count * kTokensPerSecond / 100 + kLeastTokens);
  return decode;
}

Result<std::unique_ptr<LiveHypothesis>> LiveHypothesis::create(WhisperModel& model,
                                                               const TranscribeOptions& options,
                                                               const Window& window) {
  auto hypothesis = std::make_unique<DecodedHypothesis>(model, options, window);
  SUSURRUS_RETURN_IF_ERROR(hypothesis->begin());
  return std::unique_ptr<LiveHypothesis>(std::move(hypothesis));
}

}  // namespace susurrus
