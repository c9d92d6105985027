#include "session/networks/transducer_live.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

/// Multiplications of one step: about a millisecond.
constexpr uint64_t kStepLimit = 2'000'000;

}  // namespace

Result<std::unique_ptr<LiveRecognition>> TransducerLive::make(const TransducerModel& model,
                                                              AprilFrontEnd front_end) {
  SUSURRUS_ASSIGN_OR_RETURN(ModelRate rate,
                            ModelRate::make(static_cast<uint32_t>(model.params().samplerate)));
  std::unique_ptr<TransducerLive> live(new TransducerLive(model, std::move(rate)));
  SUSURRUS_ASSIGN_OR_RETURN(live->session_, TransducerSession::make(model, front_end, *live));
  return std::unique_ptr<LiveRecognition>(std::move(live));
}

Result<size_t> TransducerLive::feed(std::span<const float> samples) {
  size_t count = std::min(samples.size(), ModelRate::kMostSamples);
  if (rate_.is_same()) {
    count = session_->feed(samples);
  } else {
    waiting_ = rate_.push(samples.first(count));
  }
  fed_samples_ += count;
  return count;
}

Result<bool> TransducerLive::step() {
  SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, session_->step(kStepLimit));
  if (!is_done) return false;
  if (!waiting_.empty()) {
    waiting_ = waiting_.subspan(session_->feed(waiting_));
    return false;
  }
  switch (flush_) {
    case Flush::none: return true;
    case Flush::wanted: {
      SUSURRUS_ASSIGN_OR_RETURN(waiting_, rate_.finish());
      flush_ = Flush::sound_ended;
      return false;
    }
    case Flush::sound_ended:
      session_->begin_flush();
      flush_ = Flush::under_way;
      return false;
    case Flush::under_way: break;
  }
  flush_ = Flush::none;
  const uint64_t fed_ms = fed_samples_ * 1000 / kSampleRate;
  padding_ms_ = session_->now_ms() - std::min(session_->now_ms(), fed_ms);
  return true;
}

double TransducerLive::seconds(uint64_t session_ms) const {
  return static_cast<double>(session_ms - std::min(session_ms, padding_ms_)) / 1000;
}

void TransducerLive::on_event(const TransducerEvent& event) {
  LiveEvent& told = events_.emplace_back();
  told.time = seconds(event.now_ms);
  told.segment = segment_of(event.tokens);
  told.segment.id = id_;
  for (const TransducerToken& token : event.tokens) {
    told.tokens.push_back({token.id, std::string(model_->vocabulary().text(token.id)),
                           seconds(token.time_ms), token.logit,
                           (token.flags & TransducerToken::kBeginsWord) != 0,
                           (token.flags & TransducerToken::kEndsSentence) != 0});
  }
  switch (event.type) {
    case TransducerEvent::Type::partial: told.type = LiveEvent::Type::partial; break;
    case TransducerEvent::Type::final:
      told.type = LiveEvent::Type::final;
      ++id_;
      break;
    case TransducerEvent::Type::silence: told.type = LiveEvent::Type::silence; break;
  }
}

Segment TransducerLive::segment_of(std::span<const TransducerToken> tokens) const {
  Segment segment;
  segment.language.assign(model_->language());
  const AprilParams& params = model_->params();
  const double step = params.segment_step * params.frame_shift_ms / 1000.0;
  float log_sum = 0;
  size_t word_tokens = 0;
  for (const TransducerToken& token : tokens) {
    const std::string_view text = model_->vocabulary().text(token.id);
    const double time = seconds(token.time_ms);
    if (segment.words.empty() || (token.flags & TransducerToken::kBeginsWord) != 0) {
      if (!segment.words.empty())
        segment.words.back().end =
            std::min(segment.words.back().end, std::max(time, segment.words.back().start));
      segment.words.push_back({{}, time, time, 0});
      word_tokens = 0;
    }
    Word& word = segment.words.back();
    word.word += text;
    word.end = time + step;
    // The mean so far.
    word.probability += (token.probability - word.probability) / static_cast<float>(++word_tokens);
    segment.text += text;
    segment.tokens.push_back(token.id);
    segment.token_probabilities.push_back(token.probability);
    log_sum += std::log(std::max(token.probability, 1e-30f));
  }
  if (!tokens.empty()) {
    segment.start = segment.words.front().start;
    segment.end = segment.words.back().end;
    segment.avg_logprob = log_sum / static_cast<float>(tokens.size());
  }
  return segment;
}

}  // namespace susurrus
