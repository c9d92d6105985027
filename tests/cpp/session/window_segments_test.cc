// Where a window is cut into segments, and where the next one begins.
#include "session/window_segments.h"

#include <cmath>
#include <string>
#include <vector>

#include "harness.h"

namespace susurrus::testing::window_segments_test {
namespace {

constexpr uint32_t kEnd = 256;
constexpr uint32_t kZero = 265;

Tokenizer byte_tokenizer() {
  std::vector<uint8_t> bytes(256);
  std::vector<uint32_t> ends(256);
  for (uint32_t i = 0; i < 256; ++i) {
    bytes[i] = static_cast<uint8_t>(i);
    ends[i] = i + 1;
  }
  Vocabulary vocabulary(VocabularyBytes(std::move(bytes), std::move(ends)));
  // The eight control tokens, one language, 1501 timestamps.
  SpecialTokens special = SpecialTokens::locate(vocabulary, kEnd + 9 + 1501, std::nullopt);
  return Tokenizer(std::move(vocabulary), std::move(special));
}

WindowSegments split(const std::vector<uint32_t>& tokens, WindowPlace place,
                     bool is_loop_broken = false) {
  WindowResult result;
  result.tokens = tokens;
  result.token_logprobs.assign(tokens.size(), std::log(0.5f));
  result.avg_logprob = -0.5f;
  result.is_loop_broken = is_loop_broken;
  if (is_loop_broken) {
    result.cut_tokens = {'x', 'x', 'x'};
    result.cut_logprobs.assign(3, std::log(0.25f));
  }
  return split_window(result, place, byte_tokenizer());
}

void expect_segment(const Segment& segment, double start, double end, std::string_view text,
                    size_t tokens) {
  EXPECT_NEAR(segment.start, start, 1e-9);
  EXPECT_NEAR(segment.end, end, 1e-9);
  EXPECT_EQ(segment.text, text);
  EXPECT_EQ(segment.tokens.size(), tokens);
  EXPECT_EQ(segment.token_probabilities.size(), tokens);
}

}  // namespace

SUSURRUS_TEST(two_timestamps_that_meet_end_a_segment_and_the_window) {
  ASSERT_EQ(byte_tokenizer().special().timestamp_begin, kZero);
  // What follows the last meeting is decoded again from there.
  auto result =
      split({kZero, 'a', kZero + 50, kZero + 60, 'b', kZero + 100, kZero + 100, 'c'}, {1000, 3000});
  ASSERT_EQ(result.segments.size(), 2u);
  expect_segment(result.segments[0], 10.0, 11.0, "a", 3);
  expect_segment(result.segments[1], 11.2, 12.0, "b", 3);
  EXPECT_EQ(result.segments[0].seek, 1000u);
  EXPECT_EQ(result.segments[0].avg_logprob, -0.5f);
  EXPECT_NEAR(result.segments[0].token_probabilities[1], 0.5, 1e-6);
  EXPECT_EQ(result.next_seek, 1200u);
  EXPECT_FALSE(result.is_single_timestamp_ending);
}

SUSURRUS_TEST(a_single_timestamp_at_the_end_means_nothing_follows_it) {
  auto result = split({kZero, 'a', kZero + 50, kZero + 60, 'b', kZero + 100}, {1000, 2500});
  ASSERT_EQ(result.segments.size(), 2u);
  expect_segment(result.segments[1], 11.2, 12.0, "b", 3);
  EXPECT_EQ(result.next_seek, 3500u);
  EXPECT_TRUE(result.is_single_timestamp_ending);
}

SUSURRUS_TEST(a_window_without_meetings_is_one_segment) {
  auto result = split({kZero + 10, 'a', kZero + 50}, {1000, 3000});
  ASSERT_EQ(result.segments.size(), 1u);
  // From the window's beginning to the last timestamp, as the reference has it.
  expect_segment(result.segments[0], 10.0, 11.0, "a", 3);
  EXPECT_EQ(result.next_seek, 4000u);

  result = split({'a', 'b'}, {0, 1234});
  expect_segment(result.segments[0], 0.0, 12.34, "ab", 2);
  EXPECT_EQ(result.next_seek, 1234u);

  // <|0.00|> alone says nothing of the end.
  result = split({kZero, 'a'}, {0, 3000});
  expect_segment(result.segments[0], 0.0, 30.0, "a", 2);
}

SUSURRUS_TEST(segments_without_length_or_text_are_cleared) {
  auto result = split({kZero + 5, 'a', kZero + 5, kZero + 5, ' ', kZero + 9, kZero + 9, 'b',
                       kZero + 20, kZero + 20},
                      {0, 3000});
  ASSERT_EQ(result.segments.size(), 3u);
  for (Segment& segment : result.segments) segment.words.resize(1);
  std::vector<Segment> rejected;
  clear_empty_segments(result.segments, rejected);
  expect_segment(result.segments[0], 0.1, 0.1, "", 0);
  expect_segment(result.segments[1], 0.1, 0.18, "", 0);
  expect_segment(result.segments[2], 0.18, 0.4, "b", 3);
  EXPECT_TRUE(result.segments[0].words.empty());
  EXPECT_EQ(result.next_seek, 40u);
  // The text is not lost.
  ASSERT_EQ(rejected.size(), 1u);
  expect_segment(rejected[0], 0.1, 0.1, "a", 3);
  EXPECT_TRUE(rejected[0].decision == Decision::dropped_zero_length);
}

SUSURRUS_TEST(after_a_broken_loop_the_window_goes_on_where_the_text_was_cut) {
  // Closed: decoding continues after the text, whether timestamps meet or a single one ends it.
  auto result = split({kZero, 'a', kZero + 50}, {1000, 3000}, true);
  ASSERT_EQ(result.segments.size(), 1u);
  expect_segment(result.segments[0], 10.0, 11.0, "a", 3);
  EXPECT_EQ(result.next_seek, 1100u);
  result = split({kZero, 'a', kZero + 50, kZero + 60, 'b', kZero + 100}, {1000, 3000}, true);
  ASSERT_EQ(result.segments.size(), 2u);
  expect_segment(result.segments[1], 11.2, 12.0, "b", 3);
  EXPECT_EQ(result.next_seek, 1200u);
  EXPECT_FALSE(result.is_single_timestamp_ending);
  // Open: after the meeting before it; where there is none, the end is not known.
  result = split({kZero, 'a', kZero + 50, kZero + 50, 'b'}, {1000, 3000}, true);
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_EQ(result.next_seek, 1100u);
  result = split({kZero + 20, 'a', 'b'}, {1000, 3000}, true);
  expect_segment(result.segments[0], 10.0, 40.0, "ab", 3);
  EXPECT_EQ(result.next_seek, 4000u);
}

SUSURRUS_TEST(what_a_broken_loop_loses_is_told) {
  const auto expect_lost = [](const WindowSegments& window, bool is_lost) {
    EXPECT_EQ(window.rejected.has_value(), is_lost);
    if (!window.rejected) return;
    expect_segment(*window.rejected, 10.0, 40.0, "xxx", 3);
    EXPECT_TRUE(window.rejected->decision == Decision::dropped_repetition);
    EXPECT_NEAR(window.rejected->token_probabilities[2], 0.25, 1e-6);
    EXPECT_EQ(window.next_seek, 4000u);
  };
  expect_lost(split({kZero, 'a'}, {1000, 3000}, true), true);
  expect_lost(split({'a'}, {1000, 3000}, true), true);
  expect_lost(split({}, {1000, 3000}, true), true);
  expect_lost(split({kZero, 'a', kZero}, {1000, 3000}, true), true);
  // Decoded again from where the text was closed.
  expect_lost(split({kZero, 'a', kZero + 50}, {1000, 3000}, true), false);
  expect_lost(split({kZero, 'a', kZero + 50, kZero + 50, 'b'}, {1000, 3000}, true), false);
  expect_lost(split({kZero, 'a'}, {1000, 3000}), false);

  WindowResult result;
  result.tokens = {'a'};
  result.token_logprobs = {0};
  result.is_loop_broken = true;
  result.cut_tokens = {'x', 'x', 'x'};
  result.cut_logprobs.assign(3, std::log(0.25f));
  expect_lost(whole_window(result, {1000, 3000}, byte_tokenizer()), true);
  result.cut_tokens = {' ', ' ', ' '};
  expect_lost(whole_window(result, {1000, 3000}, byte_tokenizer()), false);
}

SUSURRUS_TEST(a_whole_window_has_its_own_times) {
  WindowResult result;
  result.tokens = {'a', kZero + 50, kZero + 3, 'b'};
  result.token_logprobs.resize(4);
  const WindowSegments window = whole_window(result, {1000, 250}, byte_tokenizer());
  ASSERT_EQ(window.segments.size(), 1u);
  expect_segment(window.segments[0], 10.0, 12.5, "ab", 4);
  EXPECT_EQ(window.next_seek, 1250u);
}

SUSURRUS_TEST(a_part_without_an_opening_timestamp_begins_where_the_reference_says) {
  auto result = split({'a', kZero + 50, kZero + 60, 'b', kZero + 70}, {1000, 3000});
  ASSERT_EQ(result.segments.size(), 2u);
  // The id of 'a' taken for a timestamp.
  EXPECT_NEAR(result.segments[0].start, 10.0 + (97.0 - kZero) * 0.02, 1e-9);
}

SUSURRUS_TEST(a_window_without_tokens_moves_on) {
  auto result = split({}, {500, 3000});
  ASSERT_EQ(result.segments.size(), 1u);
  expect_segment(result.segments[0], 5.0, 35.0, "", 0);
  EXPECT_EQ(result.next_seek, 3500u);
  // Two timestamps of zero make no progress; the caller handles that.
  EXPECT_EQ(split({kZero, kZero, 'a'}, {500, 3000}).next_seek, 500u);
}

SUSURRUS_TEST(control_tokens_are_no_text) {
  auto result = split({kZero, 'a', kEnd + 7, kZero + 50}, {0, 3000});
  expect_segment(result.segments[0], 0.0, 1.0, "a", 4);
}

SUSURRUS_TEST(a_word_has_a_letter_or_a_digit) {
  for (std::string_view text : {" a", " 5.", "\xC3\xA9", "\xE4\xBD\xA0", "?!\xEF\xBF\xBD"}) {
    EXPECT_TRUE(has_words(text));
  }
  for (std::string_view text : {"", " ", " . . .", " \xE2\x99\xAA", "-", "\xE3\x80\x82"}) {
    EXPECT_FALSE(has_words(text));
  }
}

}  // namespace susurrus::testing::window_segments_test
