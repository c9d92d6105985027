#include "session/language_track.h"

#include <algorithm>

namespace susurrus {

bool LanguageTrack::detected(std::span<const LanguageProbability> found,
                             const SpecialTokens& special) {
  if (found.empty()) return false;
  const bool is_first = current_.empty();
  const std::string_view best = special.language_code(found[0].token);
  if (!is_first && found[0].probability < min_probability_) return false;
  const bool is_changed = best != current_.view();
  current_ = best;
  return is_changed && !is_first;
}

void LanguageTrack::add_time(double seconds) {
  auto share = std::ranges::find_if(
      shares_, [&](const Share& each) { return each.language.view() == current_.view(); });
  if (share == shares_.end()) share = shares_.insert(share, {current_, 0.0});
  share->seconds += seconds;
}

std::string_view LanguageTrack::main() const {
  if (shares_.empty()) return current_.view();
  return std::ranges::max_element(shares_, {}, &Share::seconds)->language.view();
}

}  // namespace susurrus
