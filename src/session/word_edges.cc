#include "session/word_edges.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sort.h"

namespace susurrus {
namespace {

// Lengths and places are in frames of 10 ms, levels in units of the normalised log-mel (40 dB), costs in what the greatest change of
// sound is worth. All were chosen on synthesised speech with known word times and on marks made by hand.

/// The aligner's times are late by this much.
constexpr float kAttentionLag = 9;
/// An edge is looked for so far before and after the aligner's.
constexpr int kEdgeBefore = 25;
constexpr int kEdgeAfter = 20;
/// A pause so far away may still be the one between two words.
constexpr int kSilenceDistance = 60;
/// Distances cost no more than this one.
constexpr float kMostDistance = 40;
constexpr float kDistanceCost = 0.1f;
constexpr float kChangeGain = 0.5f;
constexpr float kMostChange = 1.5f;
/// Frames before and after a place that are compared for a change.
constexpr int kChangeFrames = 3;
/// A silence between words is as good as so much change, and better with every frame up to kMostSilence.
constexpr float kSilenceGain = 0.5f;
constexpr float kSilenceFrameGain = 0.1f;
constexpr int kMostSilence = 30;
/// Shorter silence is no place between words.
constexpr int kLeastSilence = 3;
/// So long a silence within a word costs something, for every frame: stops are silent for less.
constexpr int kLeastPauseInWord = 14;
constexpr float kPauseFrameCost = 0.3f;
/// SilentFrames is below this share of the way from the quietest to the loudest tenth of the frames.
constexpr float kSilenceLevel = 0.25f;
/// Speech is not softer than 44 dB below the loudest tenth, however silent the rest is.
constexpr float kSpeechLevels = 1.1f;
/// Shorter words cost something for every frame.
constexpr int kShortWordFrames = 6;
constexpr float kShortWordCost = 0.2f;
constexpr int kShortestWordFrames = 2;
/// What a word costs that lasts e times as long, or as short, as its letters do at the speaker's pace.
constexpr float kPaceCost = 3;
/// A word is longer than its letters by so many.
constexpr float kLettersBeside = 0.5f;
/// Words with a longer gap between them have two edges of their own.
constexpr double kGapSeconds = 0.3;
/// Shorter windows show nothing.
constexpr int kLeastWindow = 30;
constexpr float kNoWay = 1e6f;

/// Frames [begin, end).
struct SilentFrames {
  int begin = 0;
  int end = 0;
  int length() const { return end - begin; }
};

/// Where the word before an edge ends and the one behind it starts.
struct EdgePlace {
  int end = 0;
  int start = 0;
  float cost = 0;
};

struct WordEdge {
  Word* before = nullptr;
  Word* behind = nullptr;
  float end = 0;     // expected, of `before`
  float start = 0;   // expected, of `behind`
  float length = 0;  // expected, of `before`
};

/// Letters and digits, or characters of other scripts.
float letters_in(std::string_view word) {
  const auto count = std::ranges::count_if(word, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    return is_letter || (byte >= '0' && byte <= '9') || byte >= 0xc0;
  });
  return static_cast<float>(count) + kLettersBeside;
}

/// What is asked about the sound of a window, made in one pass over it.
class WindowSound {
 public:
  explicit WindowSound(const WindowMel& mel)
      : mel_(mel), count_(static_cast<int>(mel.frames.size() / mel.n_mels)) {
    measure_levels();
    find_silences();
    measure_changes();
  }

  int frame_count() const { return count_; }
  const std::vector<SilentFrames>& silences() const { return silences_; }
  bool is_silent(int frame) const { return frame < 0 || frame >= count_ || is_silent_[at(frame)]; }
  /// How much the sound changes at a frame, 1: thrice the mean.
  float change(int frame) const { return changes_[at(frame)]; }
  /// What the pauses between two places cost a word.
  float pause_cost(int begin, int end) const {
    return pause_costs_[at(end)] - pause_costs_[at(begin)];
  }

 private:
  static size_t at(int frame) { return static_cast<size_t>(frame); }
  const float* frame(int i) const { return &mel_.frames[at(i) * mel_.n_mels]; }

  /// Levels of the bands that most of speech is in: about 100 Hz to 4 kHz.
  void measure_levels() {
    const size_t first = mel_.n_mels * 3 / 80;
    const size_t last = std::max(mel_.n_mels * 55 / 80, first + 1);
    for (int i = 0; i < count_; ++i) {
      float sum = 0;
      for (size_t bin = first; bin < last; ++bin) sum += frame(i)[bin];
      levels_.push_back(sum / static_cast<float>(last - first));
    }
  }

  void find_silences() {
    std::vector<float> sorted = levels_;
    heap_sort(sorted, [](float a, float b) { return a < b; });
    const float loud = sorted[sorted.size() * 9 / 10];
    const float floor = std::max(sorted[sorted.size() / 10], loud - kSpeechLevels);
    const float limit = floor + kSilenceLevel * (loud - floor);
    is_silent_.assign(levels_.size(), false);
    pause_costs_.assign(1, 0);
    for (int begin = 0; begin < count_;) {
      int end = begin;
      while (end < count_ && levels_[at(end)] < limit) ++end;
      const SilentFrames silence{begin, end};
      const bool is_at_end = begin == 0 || end == count_;
      if (silence.length() >= (is_at_end ? 1 : kLeastSilence)) {
        silences_.push_back(silence);
        std::fill(is_silent_.begin() + begin, is_silent_.begin() + end, true);
      }
      const float cost = silence.length() >= kLeastPauseInWord ? kPauseFrameCost : 0;
      for (; begin < end; ++begin) pause_costs_.push_back(pause_costs_.back() + cost);
      if (begin == count_) break;
      pause_costs_.push_back(pause_costs_.back());
      ++begin;
    }
  }

  void measure_changes() {
    const size_t bins = mel_.n_mels;
    std::vector<float> difference(bins);
    changes_.assign(at(count_) + 1, 0);
    auto add = [&](int i, float sign) {
      for (size_t bin = 0; bin < bins; ++bin) difference[bin] += sign * frame(i)[bin];
    };
    for (int i = 0; i < kChangeFrames; ++i) add(i, -1);
    for (int i = kChangeFrames; i < 2 * kChangeFrames; ++i) add(i, 1);
    float total = 0;
    for (int i = kChangeFrames; i + kChangeFrames <= count_; ++i) {
      float sum = 0;
      for (float each : difference) sum += std::abs(each);
      changes_[at(i)] = sum;
      total += sum;
      if (i + kChangeFrames == count_) break;
      add(i - kChangeFrames, 1);
      add(i, -2);
      add(i + kChangeFrames, 1);
    }
    const float unit = 3 * total / static_cast<float>(count_);
    for (float& change : changes_) change = unit > 0 ? change / unit : 0;
  }

  const WindowMel& mel_;
  int count_;
  std::vector<float> levels_;
  std::vector<bool> is_silent_;
  std::vector<SilentFrames> silences_;
  std::vector<float> pause_costs_;  // of all frames before
  std::vector<float> changes_;
};

/// Places all edges of a row of words at once: the cheapest of all ways that keep the words' order.
class EdgeSearch {
 public:
  EdgeSearch(const WindowSound& sound, double mel_begin, int first, int last)
      : sound_(sound), mel_begin_(mel_begin), first_(first), last_(last) {}

  /// False, and nothing is moved, where there is no way.
  bool place(std::span<Word* const> words) {
    std::vector<WordEdge> edges = edges_of(words);
    std::vector<std::vector<EdgePlace>> places;
    std::vector<std::vector<uint32_t>> origins(edges.size());
    for (const WordEdge& edge : edges) places.push_back(places_of(edge));
    for (size_t i = 1; i < edges.size(); ++i) {
      for (EdgePlace& place : places[i])
        origins[i].push_back(reach(places[i - 1], place, edges[i]));
    }
    const auto best = std::ranges::min_element(places.back(), {}, &EdgePlace::cost);
    if (best == places.back().end() || best->cost >= kNoWay / 2) return false;
    auto taken = static_cast<size_t>(best - places.back().begin());
    for (size_t i = edges.size(); i-- > 0;) {
      const EdgePlace& place = places[i][taken];
      if (edges[i].before) edges[i].before->end = seconds(place.end);
      if (edges[i].behind) edges[i].behind->start = seconds(place.start);
      if (i > 0) taken = origins[i][taken];
    }
    return true;
  }

 private:
  /// The end of the window has no lag.
  float expected(double time) const {
    const auto frame = static_cast<float>((time - mel_begin_) * 100);
    return frame < static_cast<float>(sound_.frame_count()) ? frame - kAttentionLag : frame;
  }
  /// As hundredths are written, so that times that are equal stay so.
  double seconds(int frame) const { return std::nearbyint(mel_begin_ * 100 + frame) / 100; }

  /// Frames a letter.
  float pace(std::span<Word* const> words) const {
    float letters = 0;
    for (const Word* word : words) letters += letters_in(word->word);
    int frames = 0;
    const int end = static_cast<int>(expected(words.back()->end) + kAttentionLag);
    for (int i = static_cast<int>(expected(words.front()->start)); i < end; ++i) {
      if (!sound_.is_silent(i)) ++frames;
    }
    return static_cast<float>(std::max(frames, 1)) / letters;
  }

  std::vector<WordEdge> edges_of(std::span<Word* const> words) const {
    const float letter = pace(words);
    std::vector<WordEdge> edges;
    for (size_t i = 0; i <= words.size(); ++i) {
      Word* const before = i > 0 ? words[i - 1] : nullptr;
      Word* const behind = i < words.size() ? words[i] : nullptr;
      const float end = before ? expected(before->end) : expected(behind->start);
      const float start = behind ? expected(behind->start) : end;
      const float length = before ? letters_in(before->word) * letter : 0;
      if (before && behind && behind->start - before->end >= kGapSeconds) {
        edges.push_back({before, nullptr, end, end, length});
        edges.push_back({nullptr, behind, start, start, 0});
      } else {
        edges.push_back({before, behind, end, start, length});
      }
    }
    return edges;
  }

  static float distance_cost(float distance) {
    return kDistanceCost * std::clamp(distance, 0.0f, kMostDistance);
  }

  std::vector<EdgePlace> places_of(const WordEdge& edge) const {
    std::vector<EdgePlace> places;
    const int begin = std::max(first_, static_cast<int>(edge.end) - kEdgeBefore);
    const int end = std::min(last_, static_cast<int>(edge.start) + kEdgeAfter);
    for (int i = begin; i <= end; ++i) {
      // No word starts or ends in silence.
      if ((edge.behind && sound_.is_silent(i)) || (edge.before && sound_.is_silent(i - 1)))
        continue;
      const auto at = static_cast<float>(i);
      places.push_back({i, i,
                        distance_cost(std::max(edge.end - at, at - edge.start)) -
                            kChangeGain * std::min(sound_.change(i), kMostChange)});
    }
    for (const SilentFrames& silence : sound_.silences()) {
      const SilentFrames within{std::clamp(silence.begin, first_, last_),
                                std::clamp(silence.end, first_, last_)};
      if (within.length() == 0) continue;
      const float before = edge.end - static_cast<float>(within.end);
      const float behind = static_cast<float>(within.begin) - edge.start;
      const float distance = std::max(before, behind);
      if (distance > kSilenceDistance) continue;
      const auto length = static_cast<float>(std::min(within.length(), kMostSilence));
      places.push_back({within.begin, within.end,
                        distance_cost(distance) - kSilenceGain - kSilenceFrameGain * length});
    }
    return places;
  }

  /// Adds what the cheapest way to a place costs; the place it comes from.
  uint32_t reach(std::span<const EdgePlace> origins, EdgePlace& place, const WordEdge& edge) const {
    float least = 2 * kNoWay;
    uint32_t best = 0;
    for (uint32_t i = 0; i < origins.size(); ++i) {
      const float cost = origins[i].cost + way_cost(origins[i].start, place, edge);
      if (cost < least) {
        least = cost;
        best = i;
      }
    }
    place.cost += least;
    return best;
  }

  float way_cost(int start, const EdgePlace& place, const WordEdge& edge) const {
    if (!edge.before) return place.start < start ? kNoWay : 0;
    const int length = place.end - start;
    if (length < kShortestWordFrames) return kNoWay;
    const float shortness =
        static_cast<float>(std::max(kShortWordFrames - length, 0)) * kShortWordCost;
    const float ratio = std::log(static_cast<float>(length) / edge.length);
    return kPaceCost * ratio * ratio + shortness + sound_.pause_cost(start, place.end);
  }

  const WindowSound& sound_;
  double mel_begin_;
  int first_;
  int last_;
};

}  // namespace

void refine_word_edges(std::span<Segment> segments, const WindowMel& mel, TimeBounds bounds) {
  if (mel.frames.size() / mel.n_mels < kLeastWindow) return;
  std::optional<WindowSound> sound;
  // A segment without words stays, and words stay on their side of it.
  for (size_t begin = 0; begin < segments.size();) {
    size_t end = begin;
    std::vector<Word*> words;
    for (; end < segments.size() && !segments[end].words.empty(); ++end) {
      for (Word& word : segments[end].words) words.push_back(&word);
    }
    if (!words.empty()) {
      if (!sound) sound.emplace(mel);
      auto frame = [&](double seconds) {
        const auto at = static_cast<int>(std::nearbyint((seconds - mel.begin) * 100));
        return std::clamp(at, 0, sound->frame_count());
      };
      const double first = begin > 0 ? segments[begin - 1].end : bounds.begin;
      const double last = end < segments.size() ? segments[end].start : bounds.end;
      EdgeSearch(*sound, mel.begin, frame(first), frame(last)).place(words);
      for (Segment& segment : segments.subspan(begin, end - begin)) {
        segment.start = segment.words.front().start;
        segment.end = segment.words.back().end;
      }
    }
    begin = end + 1;
  }
}

}  // namespace susurrus
