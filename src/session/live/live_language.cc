#include "session/live/live_language.h"

#include <algorithm>
#include <functional>

namespace susurrus {
namespace {

/// A vote is sure after so many seconds of sound, with such a share of them for one language; earlier, and with less, it is clear.
constexpr double kSureSeconds = 15;
constexpr double kSureShare = 0.8;
constexpr double kClearSeconds = 3;
constexpr double kClearShare = 0.5;
/// Votes of a lower probability are noise.
constexpr float kLeastProbability = 0.01f;
/// A shorter beginning of an utterance says little, so the language before goes on. What is no longer has detection's language.
constexpr double kLeastSeconds = 1.5;
/// With so much sound after the committed words it may be in another language; it is where theirs has no more than such a share of the
/// most probable one's probability.
constexpr double kCheckedSeconds = 2;
constexpr float kLeftShare = 0.1f;
/// Texts are compared up to a higher probability than offline, since the sound is shorter, and fewer of them, since a caption waits.
constexpr LanguageRule kLiveRule = {.sure = 0.9f, .most = 3};
/// The next window may miss the right language, so languages that once had this probability stay in the comparison: at most so many.
constexpr float kLatelyProbability = 0.1f;
constexpr size_t kMostLately = 3;

float probability_of(std::string_view code, std::span<const LanguageProbability> found,
                     const SpecialTokens& special) {
  const auto own = std::ranges::find(found, special.language_token(code),
                                     [](const auto& each) { return std::optional(each.token); });
  return own == found.end() ? 0 : own->probability;
}

}  // namespace

bool LiveLanguage::wants_detection(double seconds, bool is_last) const {
  if (is_fixed_) return false;
  if (!is_per_utterance()) return !is_sure_;
  return !is_settled_ && (said_.empty() || is_last || seconds >= kLeastSeconds);
}

LanguageRule LiveLanguage::rule(double seconds) const {
  // A word or two fit any language.
  if (seconds < kLeastSeconds) return kDetectionAlone;
  LanguageRule rule = kLiveRule;
  rule.before = said_.view();
  rule.lately = lately_;
  return rule;
}

bool LiveLanguage::detected(std::span<const LanguageProbability> found, bool is_by_text,
                            double seconds, const SpecialTokens& special) {
  if (found.empty()) return false;
  if (is_per_utterance()) {
    if (said_.empty() || is_by_text || found[0].probability >= min_probability_)
      return take(special.language_code(found[0].token), found[0].probability);
    return take(said_.view(), probability_of(said_.view(), found, special));
  }
  remember(found);
  window_seconds_ = seconds;
  window_.clear();
  // The language whose text was chosen has the votes of the most probable one, that one those of the next.
  std::vector<LanguageProbability> shares(found.begin(), found.end());
  std::ranges::stable_sort(shares, std::greater(), &LanguageProbability::probability);
  for (size_t i = 0; i < found.size(); ++i) {
    const float share = shares[i].probability;
    if (share < kLeastProbability && i > 0) break;
    window_.push_back({found[i].token, seconds * double{share}});
  }
  std::vector<Vote> sums = votes_;
  add(window_, sums);
  const Vote& best = *std::ranges::max_element(sums, {}, &Vote::seconds);
  const std::string_view code = special.language_code(best.token);
  const double heard = voted_seconds_ + window_seconds_;
  const auto share = static_cast<float>(heard > 0 ? best.seconds / heard : 0);
  is_sure_ = heard >= kSureSeconds && share >= kSureShare;
  // Words are said in a language; only a clear vote changes it before the utterance is over.
  const bool is_clear = heard >= kClearSeconds && share >= kClearShare;
  if (is_settled_ && !is_clear && code != current_.view()) return false;
  return take(code, share);
}

void LiveLanguage::settle() {
  is_settled_ = true;
  said_ = current_;
}

bool LiveLanguage::wants_check(double seconds) const {
  return !is_fixed_ && is_per_utterance() && is_settled_ && seconds >= kCheckedSeconds;
}

bool LiveLanguage::is_left(std::span<const LanguageProbability> found,
                           const SpecialTokens& special) {
  if (found.empty()) return false;
  const float own = probability_of(current_.view(), found, special);
  if (own > kLeftShare * found[0].probability) return false;
  is_settled_ = false;
  return true;
}

void LiveLanguage::remember(std::span<const LanguageProbability> found) {
  for (const LanguageProbability& one : found) {
    if (one.probability < kLatelyProbability) continue;
    const auto known = std::ranges::find(lately_, one.token, &LanguageProbability::token);
    if (known == lately_.end())
      lately_.push_back(one);
    else
      known->probability = std::max(known->probability, one.probability);
  }
  std::ranges::stable_sort(lately_, std::greater(), &LanguageProbability::probability);
  lately_.resize(std::min(lately_.size(), kMostLately));
}

void LiveLanguage::end_window() {
  add(window_, votes_);
  voted_seconds_ += window_seconds_;
  window_.clear();
  window_seconds_ = 0;
}

void LiveLanguage::end_utterance() {
  end_window();
  is_settled_ = false;
}

void LiveLanguage::add(std::span<const Vote> votes, std::vector<Vote>& sums) {
  for (const Vote& vote : votes) {
    auto sum = std::ranges::find(sums, vote.token, &Vote::token);
    if (sum == sums.end()) sum = sums.insert(sum, {vote.token, 0});
    sum->seconds += vote.seconds;
  }
}

bool LiveLanguage::take(std::string_view code, float probability) {
  const bool is_changed = !current_.empty() && code != current_.view();
  current_ = code;
  probability_ = probability;
  return is_changed;
}

}  // namespace susurrus
