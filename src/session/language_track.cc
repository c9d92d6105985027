#include "session/language_track.h"

#include <algorithm>

#include "base/json_writer.h"

namespace susurrus {

bool LanguageTrack::detected(std::span<const LanguageProbability> found,
                             const SpecialTokens& special) {
  if (found.empty()) return false;
  const bool is_first = current_.empty();
  const std::string_view best = special.language_code(found[0].token);
  if (!is_first && found[0].probability < min_probability_) return false;
  const bool is_changed = best != current_.view();
  current_ = best;
  probability_ = found[0].probability;
  return is_changed && !is_first;
}

void LanguageTrack::add_time(double seconds) {
  auto share = std::ranges::find_if(
      shares_, [&](const Share& each) { return each.language.view() == current_.view(); });
  if (share == shares_.end()) share = shares_.insert(share, Share{current_});
  share->seconds += seconds;
  share->probability = std::max(share->probability, probability_);
}

const LanguageTrack::Share* LanguageTrack::main_share() const {
  return shares_.empty() ? nullptr : &*std::ranges::max_element(shares_, {}, &Share::seconds);
}

std::string_view LanguageTrack::main() const {
  const Share* share = main_share();
  return share ? share->language.view() : current_.view();
}

double LanguageTrack::main_probability() const {
  const Share* share = main_share();
  return share ? share->probability : probability_;
}

std::string to_json(const LanguageTrack& languages) {
  JsonWriter json;
  json.begin_object();
  if (const double probability = languages.main_probability(); probability > 0) {
    json.field("languageProbability", probability);
  }
  json.key("languages").begin_array();
  for (const LanguageTrack::Share& share : languages.shares()) {
    json.begin_object()
        .field("language", share.language.view())
        .field("seconds", share.seconds)
        .end_object();
  }
  return std::move(json.end_array().end_object()).text();
}

}  // namespace susurrus
