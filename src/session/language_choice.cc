#include "session/language_choice.h"

#include <algorithm>
#include <cmath>

#include "text/spoken_letters.h"

namespace susurrus {
namespace {

/// How many languages, from the front, detection cannot tell apart.
size_t count_candidates(const std::vector<LanguageProbability>& found, const LanguageRule& rule) {
  const float least = rule.least_share * found[0].probability;
  size_t count = 0;
  while (count < std::min(found.size(), rule.most) && found[count].probability >= least) ++count;
  return count;
}

DecodeOptions greedy(DecodeOptions options) {
  options.task = Task::transcribe;
  options.temperature = 0;
  options.best_of = 1;
  options.beam_size.reset();
  options.patience.reset();
  options.break_loops = true;
  options.prompt.clear();
  options.prefix.clear();
  options.hotwords.clear();
  options.allowed.clear();
  return options;
}

}  // namespace

LanguageChoice::LanguageChoice(WhisperModel& model, DecodeOptions options,
                               std::vector<uint32_t> allowed, const LanguageRule& rule)
    : model_(model), options_(greedy(std::move(options))), rule_(rule) {
  detector_.emplace(model, std::move(allowed), options_.encoder_context);
}

Result<bool> LanguageChoice::step() {
  if (detector_) {
    SUSURRUS_ASSIGN_OR_RETURN(bool is_detected, detector_->step());
    if (!is_detected) return false;
    found_ = detector_->probabilities();
    detector_.reset();
    take_candidates();
    if (candidate_count_ < 2) return true;
    SUSURRUS_RETURN_IF_ERROR(begin_text());
    return false;
  }
  if (!decoder_) return true;
  SUSURRUS_ASSIGN_OR_RETURN(bool is_decoded, decoder_->step());
  if (!is_decoded) return false;
  judge(decoder_->result());
  // First gives back the memory of the decoder before.
  decoder_.reset();
  if (++index_ < candidate_count_) {
    SUSURRUS_RETURN_IF_ERROR(begin_text());
    return false;
  }
  const auto chosen = found_.begin() + static_cast<ptrdiff_t>(best_.value_or(0));
  std::rotate(found_.begin(), chosen, chosen + 1);
  return true;
}

void LanguageChoice::take_candidates() {
  candidate_count_ = 0;
  if (found_.empty()) return;
  const auto token = model_.special_tokens().language_token(rule_.before);
  const bool is_change = token && found_[0].token != *token;
  if (found_[0].probability >= rule_.sure && !is_change) return;
  candidate_count_ = count_candidates(found_, rule_);
  if (is_change) add_candidate(*token);
  const float least = rule_.least_share * found_[0].probability;
  for (const LanguageProbability& one : rule_.lately) {
    if (one.probability >= least) add_candidate(one.token);
  }
}

void LanguageChoice::add_candidate(uint32_t token) {
  const auto begin = found_.begin() + static_cast<ptrdiff_t>(candidate_count_);
  const auto found = std::ranges::find(begin, found_.end(), token, &LanguageProbability::token);
  if (found == found_.end()) return;
  std::rotate(begin, found, found + 1);
  ++candidate_count_;
}

Status LanguageChoice::begin_text() {
  options_.language = model_.special_tokens().language_code(found_[index_].token);
  SUSURRUS_ASSIGN_OR_RETURN(decoder_,
                            WindowDecoder::create(model_, options_, WindowDecoder::Encoding::done));
  return ok_status();
}

/// No text at all is very probable in any language, and so is text in circles: neither says which one was spoken; nor does
/// a text that the model itself does not believe.
void LanguageChoice::judge(const WindowResult& result) {
  if (result.is_loop_broken || spoken_letters(result.text).empty()) return;
  if (result.avg_logprob < rule_.least_logprob) return;
  const LanguageProbability& own = found_[index_];
  const float score = result.avg_logprob + rule_.detection_weight * std::log(probability_of(own));
  if (best_ && score <= best_score_) return;
  best_ = index_;
  best_score_ = score;
}

float LanguageChoice::probability_of(const LanguageProbability& own) const {
  if (model_.special_tokens().language_code(own.token) == rule_.before)
    return found_[0].probability;
  const auto lately = std::ranges::find(rule_.lately, own.token, &LanguageProbability::token);
  return lately == rule_.lately.end() ? own.probability
                                      : std::max(own.probability, lately->probability);
}

}  // namespace susurrus
