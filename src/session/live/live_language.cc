#include "session/live/live_language.h"

#include <algorithm>

namespace susurrus {
namespace {

/// A vote is clear after so many seconds of sound, with such a share of them for one language.
constexpr double kSureSeconds = 15;
constexpr double kSureShare = 0.8;
/// Votes of a lower probability are noise.
constexpr float kLeastProbability = 0.01f;

}  // namespace

bool LiveLanguage::wants_detection() const {
  if (is_fixed_) return false;
  return scope_ == Scope::stream ? !is_sure_ : !is_settled_;
}

bool LiveLanguage::detected(std::span<const LanguageProbability> found, double seconds,
                            const SpecialTokens& special) {
  if (found.empty()) return false;
  if (scope_ == Scope::utterance) {
    const bool is_likely = current_.empty() || found[0].probability >= min_probability_;
    if (is_likely) return take(special.language_code(found[0].token), found[0].probability);
    // The language before goes on.
    const auto same = std::ranges::find(found, special.language_token(current_.view()),
                                        [](const auto& each) { return std::optional(each.token); });
    probability_ = same == found.end() ? 0 : same->probability;
    return false;
  }
  window_seconds_ = seconds;
  window_.clear();
  for (const LanguageProbability& each : found) {
    if (each.probability < kLeastProbability && !window_.empty()) break;
    window_.push_back({each.token, seconds * double{each.probability}});
  }
  std::vector<Vote> sums = votes_;
  add(window_, sums);
  const Vote& best = *std::ranges::max_element(sums, {}, &Vote::seconds);
  const std::string_view code = special.language_code(best.token);
  const double heard = voted_seconds_ + window_seconds_;
  const auto share = static_cast<float>(heard > 0 ? best.seconds / heard : 0);
  is_sure_ = heard >= kSureSeconds && share >= kSureShare;
  // Words are said in a language; only a clear vote changes it before the utterance is over.
  if (is_settled_ && !is_sure_ && code != current_.view()) return false;
  return take(code, share);
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
