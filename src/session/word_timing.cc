#include "session/word_timing.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "audio/log_mel.h"
#include "base/sort.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

constexpr std::string_view kSentenceEnds = ".。!！?？";
constexpr double kLongestMedian = 0.7;  // seconds
constexpr double kPauseInMedians =
    4;  // silence before a segment that makes its first words suspect
constexpr double kDisagreement =
    0.5;  // seconds by which a segment's time is better than its word's

bool is_listed(std::string_view word, std::string_view marks) {
  return marks.find(word) != std::string_view::npos;
}

/// As numpy does it: half to even, on the value times a hundred.
double round_to_hundredths(double seconds) { return std::nearbyint(seconds * 100) / 100; }

/// The median of the nonzero durations; 0 if there are none.
double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  heap_sort(values, [](double a, double b) { return a < b; });
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

/// What the words of a window say about how long a word is.
struct UsualDurations {
  double median = 0;
  double longest = 0;  // twice the median
};

UsualDurations usual_durations(std::span<const WordTiming> words) {
  std::vector<double> durations;
  durations.reserve(words.size());
  for (const WordTiming& word : words) {
    if (word.end != word.start) durations.push_back(word.end - word.start);
  }
  const double middle = std::min(kLongestMedian, median(durations));
  return {middle, 2 * middle};
}

/// The pause after a sentence is not part of its last mark, nor of the first word of the next one.
void shorten_at_sentence_ends(std::span<WordTiming> words, double longest) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (!(words[i].end - words[i].start > longest)) continue;
    if (is_listed(words[i].word, kSentenceEnds)) {
      words[i].end = words[i].start + longest;
    } else if (is_listed(words[i - 1].word, kSentenceEnds)) {
      words[i].start = words[i].end - longest;
    }
  }
}

void move_text(WordTiming& from, WordTiming& to, bool to_front) {
  to.word.insert(to_front ? 0 : to.word.size(), from.word);
  to.tokens.insert(to_front ? to.tokens.begin() : to.tokens.end(), from.tokens.begin(),
                   from.tokens.end());
  from.word.clear();
  from.tokens.clear();
}

/// The first word after a pause, or the first two, did not begin with the silence.
void shorten_after_pause(std::vector<Word>& words, const UsualDurations& usual,
                         double last_speech_end) {
  Word& first = words[0];
  Word* const second = words.size() > 1 ? &words[1] : nullptr;
  if (!(first.end - last_speech_end > usual.median * kPauseInMedians)) return;
  const bool is_first_long = first.end - first.start > usual.longest;
  const bool are_both_long = second && second->end - first.start > usual.longest * 2;
  if (!is_first_long && !are_both_long) return;
  if (second && second->end - second->start > usual.longest) {
    first.end = second->start = std::max(second->end / 2, second->end - usual.longest);
  }
  first.start = std::max(0.0, first.end - usual.longest);
}

/// Words and segment agree on where they begin and end. The words know better, unless they are off by far too much.
void settle_ends(Segment& segment, const UsualDurations& usual) {
  Word& first = segment.words.front();
  if (segment.start < first.end && segment.start - kDisagreement > first.start) {
    first.start = std::max(0.0, std::min(first.end - usual.median, segment.start));
  } else {
    segment.start = first.start;
  }
  Word& last = segment.words.back();
  if (segment.end > last.start && segment.end + kDisagreement < last.end) {
    last.end = std::max(last.start + usual.median, segment.end);
  } else {
    segment.end = last.end;
  }
}

bool is_text(uint32_t token, const SpecialTokens& special) { return token < special.end_of_text; }

}  // namespace

std::vector<uint32_t> text_tokens(std::span<const Segment> segments, const SpecialTokens& special) {
  std::vector<uint32_t> tokens;
  for (const Segment& segment : segments) {
    std::ranges::copy_if(segment.tokens, std::back_inserter(tokens),
                         [&](uint32_t token) { return is_text(token, special); });
  }
  return tokens;
}

void merge_punctuations(std::vector<WordTiming>& words, const PunctuationMarks& marks) {
  if (words.empty()) return;
  for (size_t next = words.size() - 1, i = next; i-- > 0;) {
    WordTiming& word = words[i];
    if (word.word.starts_with(' ') && is_listed(strip_white_space(word.word), marks.prepended)) {
      move_text(word, words[next], true);
    } else {
      next = i;
    }
  }
  for (size_t previous = 0, i = 1; i < words.size(); ++i) {
    if (!words[previous].word.ends_with(' ') && is_listed(words[i].word, marks.appended)) {
      move_text(words[i], words[previous], false);
    } else {
      previous = i;
    }
  }
}

void add_word_timestamps(std::span<Segment> segments, std::vector<WordTiming>& words,
                         const SpecialTokens& special, const PunctuationMarks& marks,
                         double last_speech_end) {
  if (segments.empty()) return;
  const UsualDurations usual = usual_durations(words);
  shorten_at_sentence_ends(words, usual.longest);
  merge_punctuations(words, marks);

  const double offset = static_cast<double>(segments[0].seek * kHopSamples) / kSampleRate;
  auto word = words.begin();
  for (Segment& segment : segments) {
    const auto token_count = static_cast<size_t>(std::ranges::count_if(
        segment.tokens, [&](uint32_t token) { return is_text(token, special); }));
    segment.words.clear();
    for (size_t taken = 0; word != words.end() && taken < token_count; ++word) {
      taken += word->tokens.size();
      if (word->word.empty()) continue;
      segment.words.push_back({word->word, round_to_hundredths(offset + word->start),
                               round_to_hundredths(offset + word->end), word->probability});
    }
    if (segment.words.empty()) continue;
    shorten_after_pause(segment.words, usual, last_speech_end);
    settle_ends(segment, usual);
    last_speech_end = segment.end;
  }
}

std::optional<double> speech_end(std::span<const Segment> segments) {
  if (segments.empty()) return std::nullopt;
  for (size_t i = segments.size(); i-- > 0;) {
    if (!segments[i].words.empty()) return segments[i].words.back().end;
  }
  return segments.back().end;
}

}  // namespace susurrus
