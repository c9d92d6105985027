#include "session/networks/acoustic_live.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

/// Multiplications of one step: about a millisecond.
constexpr uint64_t kStepCost = 2'000'000;
/// In seconds.
constexpr double kPause = 0.6;
constexpr double kLongest = 20;
/// Below it, logarithms would not be finite.
constexpr double kLeastConfidence = 1e-30;

}  // namespace

Result<std::unique_ptr<LiveRecognition>> AcousticLive::make(const AcousticModel& model,
                                                            const AcousticOptions& options) {
  if (model.channel_count() != 1) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .with_subject("channels")
        .with_expected("a model that hears one")
        .with_got(model.channel_count());
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      ModelRate rate, ModelRate::make(static_cast<uint32_t>(std::lround(model.sample_rate()))));
  std::unique_ptr<AcousticLive> live(new AcousticLive(model, options, std::move(rate)));
  SUSURRUS_RETURN_IF_ERROR(live->begin_session());
  return std::unique_ptr<LiveRecognition>(std::move(live));
}

Status AcousticLive::begin_session() {
  SUSURRUS_ASSIGN_OR_RETURN(session_, AcousticSession::make(*model_, options_));
  session_begin_ = fed_samples_;
  told_words_ = 0;
  partial_.clear();
  has_sound_ = false;
  return ok_status();
}

Result<size_t> AcousticLive::feed(std::span<const float> samples) {
  const size_t count = std::min(samples.size(), ModelRate::kMostSamples);
  session_->feed(rate_.push(samples.first(count)));
  fed_samples_ += count;
  has_sound_ = has_sound_ || count > 0;
  return count;
}

void AcousticLive::flush() { is_flushing_ = has_sound_; }

Result<bool> AcousticLive::step() {
  auto state = session_->step(kStepCost);
  if (!state && is_flushing_ && state.error().code == ErrorCode::shape_mismatch) {
    // Too short for the network: nothing was said in it.
    is_flushing_ = false;
    SUSURRUS_RETURN_IF_ERROR(begin_session());
    return true;
  }
  if (!state) return state.error();
  switch (*state) {
    case AcousticStep::working: return false;
    case AcousticStep::emissions_ready: tell(false); return false;
    case AcousticStep::done:
      tell(true);
      is_flushing_ = false;
      SUSURRUS_RETURN_IF_ERROR(begin_session());
      return true;
    case AcousticStep::need_samples: break;
  }
  if (!is_flushing_) return true;
  SUSURRUS_ASSIGN_OR_RETURN(const auto rest, rate_.finish());
  session_->feed(rest);
  session_->finish();
  return false;
}

void AcousticLive::tell(bool is_last) {
  const AcousticResult result = session_->result();
  const std::span<const AcousticWord> words(result.words);
  const size_t final_count = is_last ? words.size() : result.final_word_count;
  for (size_t end = told_words_ + 1; end <= final_count; ++end) {
    const double next = end < words.size() ? words[end].start : session_->seconds_done();
    const AcousticWord& word = words[end - 1];
    const bool is_end = is_last && end == words.size();
    if (!is_end && next - word.end < kPause && word.end - words[told_words_].start < kLongest) {
      continue;
    }
    tell_words(LiveEvent::Type::final, words.subspan(told_words_, end - told_words_),
               result.tokens);
    told_words_ = end;
    partial_.clear();
  }
  const auto rest = words.subspan(told_words_);
  std::string text;
  for (const AcousticWord& word : rest) text += " " + word.text;
  if (text == partial_) return;
  partial_ = std::move(text);
  tell_words(LiveEvent::Type::partial, rest, result.tokens);
}

void AcousticLive::tell_words(LiveEvent::Type type, std::span<const AcousticWord> words,
                              std::span<const AcousticToken> tokens) {
  const double begin = static_cast<double>(session_begin_) / kSampleRate;
  LiveEvent& event = events_.emplace_back();
  event.type = type;
  event.time = begin + session_->seconds_done();
  Segment& segment = event.segment;
  segment.id = type == LiveEvent::Type::final ? id_++ : id_;
  double log_sum = 0;
  for (const AcousticWord& word : words) {
    segment.text += " " + word.text;
    segment.words.push_back({" " + word.text, begin + word.start, begin + word.end,
                             static_cast<float>(word.confidence)});
    log_sum += std::log(std::max(word.confidence, kLeastConfidence));
  }
  if (words.empty()) return;
  for (const AcousticToken& token : tokens) {
    if (token.start < words.front().start || token.end > words.back().end) continue;
    segment.tokens.push_back(token.token);
    segment.token_probabilities.push_back(static_cast<float>(token.confidence));
    const bool begins_word =
        std::ranges::find(words, token.start, &AcousticWord::start) != words.end();
    event.tokens.push_back(
        {token.token, model_->tokens().name(token.token), begin + token.start,
         static_cast<float>(std::log(std::max(token.confidence, kLeastConfidence))), begins_word,
         false});
  }
  segment.start = segment.words.front().start;
  segment.end = segment.words.back().end;
  segment.avg_logprob = static_cast<float>(log_sum / static_cast<double>(words.size()));
}

}  // namespace susurrus
