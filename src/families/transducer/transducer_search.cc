#include "families/transducer/transducer_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace susurrus {
namespace {

/// What a blank's logit is lowered by for the first token of an encoder output.
constexpr float kEarly[] = {1, 0, 0};
/// How far below blank a full stop or comma still counts.
constexpr float kPunctuationMargin = 3.5f;
/// How far below blank a token is still shown, as a tentative one, and what its logit is then lowered by.
constexpr float kTentativeMargin = 4;
constexpr float kTentativePenalty = 8;
/// The longer nothing came, the less is shown.
constexpr float kPatienceMs = 3000;
constexpr uint64_t kSilenceMs = 2200;
/// When there are too many tokens, the last word is kept back if it begins no earlier than this.
constexpr size_t kLeastKeptBack = 3;

}  // namespace

TransducerSearch::TransducerSearch(const TransducerVocabulary& vocabulary, size_t context_size,
                                   TransducerScorer& scorer, TransducerListener& listener)
    : vocabulary_(&vocabulary),
      scorer_(&scorer),
      listener_(&listener),
      context_(context_size, int64_t{vocabulary.blank()}) {
  SUSURRUS_CHECK(context_size >= 2);
}

Status TransducerSearch::advance(uint64_t now_ms) {
  now_ms_ = now_ms;
  if (!has_begun_) {
    SUSURRUS_RETURN_IF_ERROR(scorer_->set_context(context_));
    has_begun_ = true;
  }
  for (float early : kEarly) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_token, step(early));
    if (!is_token) break;
  }
  return ok_status();
}

Status TransducerSearch::finish(uint64_t now_ms) {
  now_ms_ = now_ms;
  if (active_count_ > 0) finalise_all();
  return report_silence();
}

Result<bool> TransducerSearch::step(float early) {
  Candidate best;
  SUSURRUS_RETURN_IF_ERROR(best_candidate(best));
  if (best.is_repeated) early = 0;
  const float logit = best.token.logit;
  bool is_blank = best.blank - early > logit;
  const bool is_after_token = context_[1] != int64_t{vocabulary_->blank()};
  if (is_after_token && best.is_punctuation && !best.is_repeated &&
      logit > best.blank - kPunctuationMargin) {
    is_blank = false;
  }
  Status status = is_blank ? refuse(best) : accept(best.token);
  if (!status) return status.error();
  return !is_blank;
}

Status TransducerSearch::best_candidate(Candidate& best) {
  SUSURRUS_ASSIGN_OR_RETURN(const std::span<const float> logits, scorer_->logits());
  SUSURRUS_CHECK(logits.size() == vocabulary_->size());
  const uint32_t blank = vocabulary_->blank();
  best.token = {blank, 0, -std::numeric_limits<float>::infinity(), now_ms_, 0};
  best.blank = logits[blank];
  for (uint32_t id = 0; id < logits.size(); ++id) {
    if (!std::isfinite(logits[id])) {
      return make_error(ErrorCode::malformed, ErrorReason::model)
          .with_subject("joiner.logits")
          .with_expected("finite numbers")
          .with_got("another for token " + std::to_string(id) + " at " + std::to_string(now_ms_) +
                    " ms");
    }
    if (id != blank && logits[id] > best.token.logit) {
      best.token.id = id;
      best.token.logit = logits[id];
    }
  }
  // A vocabulary of the blank alone.
  if (best.token.id == blank) return ok_status();
  const float most = std::max(best.token.logit, best.blank);
  float sum = 0;
  for (float logit : logits) sum += std::exp(logit - most);
  best.token.probability = std::exp(best.token.logit - most) / sum;
  classify(best);
  return ok_status();
}

void TransducerSearch::classify(Candidate& candidate) const {
  TransducerToken& token = candidate.token;
  const TransducerVocabulary& words = *vocabulary_;
  candidate.is_repeated = context_[1] == int64_t{token.id};
  bool ends_sentence = words.ends_sentence(token.id);
  candidate.is_punctuation = ends_sentence || words.is_comma(token.id);
  // The point of a number.
  if (words.text(token.id) == "." && active_count_ > 0 &&
      words.begins_with_digit(active().back().id)) {
    ends_sentence = false;
    candidate.is_punctuation = false;
  }
  if (words.begins_word(token.id)) token.flags |= TransducerToken::kBeginsWord;
  if (ends_sentence) token.flags |= TransducerToken::kEndsSentence;
}

Status TransducerSearch::accept(const TransducerToken& token) {
  last_token_ms_ = now_ms_;
  std::shift_left(context_.begin(), context_.end(), 1);
  context_.back() = token.id;
  SUSURRUS_RETURN_IF_ERROR(scorer_->set_context(context_));

  bool is_final = active_count_ >= kMostActive;
  if (active_count_ > 0 && (token.flags & TransducerToken::kBeginsWord) != 0) {
    TransducerToken& last = active_[active_count_ - 1];
    if (vocabulary_->ends_sentence(last.id)) {
      last.flags |= TransducerToken::kEndsSentence;
      is_final = true;
    }
  }
  if (is_final) finalise_before(token);
  active_[active_count_++] = token;
  report(TransducerEvent::Type::partial, active_count_);
  reported_count_ = active_count_;
  is_silence_reported_ = false;
  return ok_status();
}

void TransducerSearch::finalise_before(const TransducerToken& token) {
  if (active_count_ == 0) return;
  size_t kept = active_count_;
  if ((token.flags & TransducerToken::kBeginsWord) == 0) {
    for (size_t i = active_count_; i-- > kLeastKeptBack;) {
      if ((active_[i].flags & TransducerToken::kBeginsWord) == 0) continue;
      kept = i;
      break;
    }
  }
  if (kept == active_count_) {
    finalise_all();
    return;
  }
  report(TransducerEvent::Type::final, kept);
  std::copy(active_.begin() + kept, active_.begin() + active_count_, active_.begin());
  active_count_ -= kept;
}

Status TransducerSearch::refuse(const Candidate& candidate) {
  const uint64_t quiet_ms = now_ms_ - last_token_ms_;
  if (quiet_ms >= kSilenceMs) {
    if (active_count_ > 0) finalise_all();
    return report_silence();
  }
  const float logit = candidate.token.logit - static_cast<float>(quiet_ms) / kPatienceMs;
  if (!candidate.is_repeated && logit > candidate.blank - kTentativeMargin) {
    TransducerToken& tentative = active_[active_count_];
    if (reported_count_ == active_count_ + 1 && tentative.id == candidate.token.id) {
      return ok_status();
    }
    tentative = candidate.token;
    tentative.logit -= kTentativePenalty;
    reported_count_ = active_count_ + 1;
    report(TransducerEvent::Type::partial, reported_count_);
  } else if (reported_count_ != active_count_) {
    report(TransducerEvent::Type::partial, active_count_);
    reported_count_ = active_count_;
  }
  return ok_status();
}

void TransducerSearch::finalise_all() {
  report(TransducerEvent::Type::final, active_count_);
  reported_count_ = active_count_;
  active_count_ = 0;
}

void TransducerSearch::report(TransducerEvent::Type type, size_t count) {
  listener_->on_event({type, now_ms_, std::span(active_).first(count)});
}

Status TransducerSearch::report_silence() {
  SUSURRUS_RETURN_IF_ERROR(clear_context());
  if (!is_silence_reported_) listener_->on_event({TransducerEvent::Type::silence, now_ms_, {}});
  is_silence_reported_ = true;
  return ok_status();
}

Status TransducerSearch::clear_context() {
  const int64_t blank = vocabulary_->blank();
  // As april-asr has it: a context with one token, the last, is kept.
  if (context_[0] == blank) return ok_status();
  std::ranges::fill(context_, blank);
  return scorer_->set_context(context_);
}

}  // namespace susurrus
