// Where text is taken for invented amid silence, and where the next window begins then.
#include "session/silence_skip.h"

#include "harness.h"

namespace susurrus::testing::silence_skip_test {
namespace {

constexpr float kSpoken = 0.9f;
constexpr float kInvented = 0.01f;

/// Words of 0.4 s, one after the other.
Segment segment(double start, double end, float probability) {
  Segment segment;
  segment.start = start;
  segment.end = end;
  segment.text = " word";
  for (double at = start; at + 0.2 < end; at += 0.4) {
    segment.words.push_back({" word", at, std::min(end, at + 0.4), probability});
  }
  segment.words.back().end = end;
  return segment;
}

/// A window of 30 s at 100 s, of a recording of ten minutes.
SpokenWindow window_at(uint64_t seek = 10000) {
  return {.place = {seek, 3000},
          .window_frames = 3000,
          .content_frames = 60000,
          .is_single_timestamp_ending = false,
          .last_speech_end = 99};
}

SilenceSkip skip(const std::vector<Segment>& segments, const SpokenWindow& window,
                 double threshold = 2) {
  return skip_silence(segments, window, threshold, seek_by_words(segments, window, 13000));
}

}  // namespace

SUSURRUS_TEST(the_next_window_begins_where_the_last_word_ends) {
  SpokenWindow window = window_at();
  std::vector<Segment> segments = {segment(101, 103, kSpoken), segment(104, 120.25, kSpoken)};
  EXPECT_EQ(seek_by_words(segments, window, 13000), 12025u);
  // Half a frame goes to the even neighbour.
  segments[1].words.back().end = 120.125;
  EXPECT_EQ(seek_by_words(segments, window, 13000), 12012u);
  // A segment without words after it does not count, unless none has any.
  segments[1].words.clear();
  EXPECT_EQ(seek_by_words(segments, window, 13000), 10300u);
  window.is_single_timestamp_ending = true;
  EXPECT_EQ(seek_by_words(segments, window, 13000), 13000u);
  window.is_single_timestamp_ending = false;
  segments = {segment(99.5, 100, kSpoken)};
  EXPECT_EQ(seek_by_words(segments, window, 13000), 13000u);
  EXPECT_EQ(seek_by_words({}, window, 13000), 13000u);
}

SUSURRUS_TEST(speech_that_is_like_speech_stays) {
  const std::vector<Segment> segments = {segment(101, 103, kSpoken), segment(115, 120, kSpoken)};
  const SilenceSkip result = skip(segments, window_at());
  EXPECT_EQ(result.kept_count, 2u);
  EXPECT_FALSE(result.is_window_dropped);
  EXPECT_EQ(result.next_seek, 12000u);
  EXPECT_EQ(skip({}, window_at()).next_seek, 13000u);
}

SUSURRUS_TEST(a_short_rest_of_the_window_is_passed_over) {
  const std::vector<Segment> segments = {segment(101, 128.5, kSpoken)};
  EXPECT_EQ(skip(segments, window_at(), 2).next_seek, 13000u);
  EXPECT_EQ(skip(segments, window_at(), 1).next_seek, 12850u);
  // As long as the threshold is short, too.
  EXPECT_EQ(skip(segments, window_at(), 1.5).next_seek, 13000u);
}

SUSURRUS_TEST(a_window_that_begins_with_silence_and_invention_is_heard_again) {
  const std::vector<Segment> segments = {segment(105.5, 106, kInvented),
                                         segment(106, 110, kSpoken)};
  SilenceSkip result = skip(segments, window_at());
  EXPECT_TRUE(result.is_window_dropped);
  EXPECT_EQ(result.kept_count, 0u);
  EXPECT_EQ(result.next_seek, 10550u);
  // Not where it begins soon enough; there it is judged by what surrounds it.
  result = skip(segments, window_at(), 6);
  EXPECT_FALSE(result.is_window_dropped);
  EXPECT_EQ(result.kept_count, 2u);
}

SUSURRUS_TEST(invention_between_silences_is_dropped_with_all_that_follows) {
  std::vector<Segment> segments = {segment(101, 103, kSpoken), segment(110, 110.5, kInvented),
                                   segment(115, 120, kSpoken)};
  SilenceSkip result = skip(segments, window_at());
  EXPECT_EQ(result.kept_count, 1u);
  EXPECT_EQ(result.next_seek, 11000u);
  // Speech right before it, or right after it, speaks for it.
  segments[0] = segment(101, 109.5, kSpoken);
  EXPECT_EQ(skip(segments, window_at()).kept_count, 3u);
  segments[0] = segment(101, 103, kSpoken);
  segments[2] = segment(111, 120, kSpoken);
  EXPECT_EQ(skip(segments, window_at()).kept_count, 3u);
  // Invention right after it does not.
  segments[2] = segment(111, 111.5, kInvented);
  EXPECT_EQ(skip(segments, window_at()).kept_count, 1u);
  // Nothing after it: silence to the end of the content, or of the window.
  segments.resize(2);
  EXPECT_EQ(skip(segments, window_at()).kept_count, 1u);
  segments[1] = segment(128.5, 129, kInvented);
  EXPECT_EQ(skip(segments, window_at()).kept_count, 1u);
}

SUSURRUS_TEST(invention_near_the_beginning_goes_on_a_second_later) {
  const SilenceSkip result = skip({segment(100.3, 100.8, kInvented)}, window_at());
  EXPECT_EQ(result.kept_count, 0u);
  EXPECT_FALSE(result.is_window_dropped);
  EXPECT_EQ(result.next_seek, 10100u);
}

SUSURRUS_TEST(invention_near_the_end_ends_the_recording) {
  SpokenWindow window = window_at();
  const std::vector<Segment> segments = {segment(101, 103, kSpoken),
                                         segment(128.5, 129, kInvented)};
  EXPECT_EQ(skip(segments, window).next_seek, 12850u);
  window.content_frames = 13000;
  EXPECT_EQ(skip(segments, window).next_seek, 13000u);
  // The end of a stream is unknown.
  window.content_frames = kUnknownFrames;
  EXPECT_EQ(skip(segments, window).next_seek, 12850u);
}

SUSURRUS_TEST(silence_is_counted_from_the_speech_of_earlier_windows) {
  SpokenWindow window = window_at();
  const std::vector<Segment> segments = {segment(103, 103.5, kInvented)};
  // 3 s into the window, so only the speech before it can tell. (A gap above the threshold drops the window.)
  window.last_speech_end = 102.9;
  EXPECT_EQ(skip(segments, window, 3.5).kept_count, 1u);
  window.last_speech_end = 99;
  EXPECT_EQ(skip(segments, window, 3.5).kept_count, 0u);
}

}  // namespace susurrus::testing::silence_skip_test
