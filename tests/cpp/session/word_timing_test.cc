// Words of a window dealt out to its segments, and how times at pauses are set right. The expected times are what the
// reference makes of the same words.
#include "session/word_timing.h"

#include <string>

#include "harness.h"
#include "session/hallucination.h"

namespace susurrus::testing::word_timing_test {
namespace {

constexpr uint32_t kEndOfText = 1000;
constexpr uint32_t kTimestamp = 1100;
const PunctuationMarks kMarks = {"\"'“¿([{-", "\"'.。,，!！?？:：”)]}、"};

SpecialTokens special_tokens() {
  SpecialTokens special;
  special.end_of_text = kEndOfText;
  special.timestamp_begin = kTimestamp;
  return special;
}

/// Words of one token each.
std::vector<WordTiming> words_of(const std::vector<std::string>& texts) {
  std::vector<WordTiming> words;
  for (const std::string& text : texts) {
    words.push_back({text, {static_cast<uint32_t>(words.size())}, 0, 0, 0.5f});
  }
  return words;
}

struct Spoken {
  const char* text;
  double end;
};
/// Each begins where the one before ends.
std::vector<WordTiming> spoken_from(double start, const std::vector<Spoken>& list) {
  std::vector<WordTiming> words;
  for (const Spoken& each : list) {
    words.push_back({each.text, {static_cast<uint32_t>(words.size())}, start, each.end, 0.5f});
    start = each.end;
  }
  return words;
}

Segment segment_of(double start, double end, size_t token_count, uint64_t seek = 0) {
  Segment segment;
  segment.seek = seek;
  segment.start = start;
  segment.end = end;
  segment.tokens.push_back(kTimestamp);
  segment.tokens.insert(segment.tokens.end(), token_count, 7);
  segment.tokens.push_back(kTimestamp + 50);
  return segment;
}

std::string joined(const std::vector<WordTiming>& words) {
  std::string text;
  for (const WordTiming& word : words) {
    text += (text.empty() ? "" : "|") + word.word + std::to_string(word.tokens.size());
  }
  return text;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) {
    char times[80];
    std::snprintf(times, sizeof times, "%s[%.3f %.3f]", text.empty() ? "" : " ", word.start,
                  word.end);
    text += times + word.word;
  }
  return text;
}

std::string merged(const std::vector<std::string>& texts, const PunctuationMarks& marks = kMarks) {
  std::vector<WordTiming> words = words_of(texts);
  merge_punctuations(words, marks);
  return joined(words);
}

Segment one_segment(Segment segment, std::vector<WordTiming> words, double last_speech_end) {
  add_word_timestamps({&segment, 1}, words, special_tokens(), kMarks, last_speech_end);
  return segment;
}

Word word_of(const char* text, double start, double end, float probability) {
  return {text, start, end, probability};
}

}  // namespace

SUSURRUS_TEST(punctuation_joins_its_word) {
  EXPECT_EQ(merged({" He", " (", "she", ")", "."}), " He1|0| (she).4|0|0");
  EXPECT_EQ(merged({" \"", " Yes", ",", "\"", " no"}), "0| \" Yes,\"4|0|0| no1");
  EXPECT_EQ(merged({" ¿", "Qué", "?"}), "0| ¿Qué?3|0");
  // Prepended marks need the space, so that a closing quote does not open the next word.
  EXPECT_EQ(merged({"a", "'", " b"}), "a'2|0| b1");
  EXPECT_EQ(merged({"。", "，"}), "。，2|0");
  // A run of marks counts only where the list has it as a whole.
  EXPECT_EQ(merged({"a", ",."}), "a1|,.1");
  EXPECT_EQ(merged({"a", ".。"}), "a.。2|0");
  // White space alone is prepended like a mark, and text after a space takes nothing.
  EXPECT_EQ(merged({" ", "a"}), "0| a2");
  EXPECT_EQ(merged({"a ", "."}), "a 1|.1");
  EXPECT_EQ(merged({" (", "a", "!"}, {"", ""}), " (1|a1|!1");
  EXPECT_EQ(merged({}), "");
}

SUSURRUS_TEST(words_are_dealt_out_by_token_count) {
  std::vector<Segment> segments = {segment_of(10, 11, 2, 1000), segment_of(11, 11.5, 2, 1000),
                                   segment_of(11.5, 12, 0, 1000), segment_of(12, 13, 1, 1000)};
  std::vector<WordTiming> words =
      spoken_from(0.2, {{" one", 0.4}, {" two", 0.6}, {" three", 1.2}, {" four", 2.4}});
  // The second word spans the first two segments: the first one has it.
  words[1].tokens = {1, 2};
  const std::vector<uint32_t> tokens = text_tokens(segments, special_tokens());
  EXPECT_EQ(tokens.size(), 5u);
  add_word_timestamps(segments, words, special_tokens(), kMarks, 9.9);
  EXPECT_EQ(joined(segments[0].words), "[10.200 10.400] one [10.400 10.600] two");
  EXPECT_EQ(joined(segments[1].words), "[10.600 11.200] three [11.200 11.600] four");
  EXPECT_EQ(segments[0].start, 10.2);
  EXPECT_EQ(segments[0].end, 10.6);
  EXPECT_EQ(segments[1].start, 10.6);
  // Without words the times stay.
  EXPECT_EQ(segments[2].end, 12.0);
  EXPECT_TRUE(segments[3].words.empty());
  EXPECT_EQ(*speech_end(segments), segments[1].words.back().end);
  EXPECT_FALSE(speech_end({}).has_value());
  EXPECT_EQ(*speech_end(std::span(segments).last(1)), 13.0);
}

SUSURRUS_TEST(a_pause_after_a_sentence_belongs_to_no_word) {
  // Durations 0.2 0.2 1.6 1.5 0.2: none may be longer than 0.4 beside a full stop.
  const Segment segment = one_segment(
      segment_of(0, 5, 5),
      spoken_from(0, {{" a", 0.2}, {" b", 0.4}, {".", 2.0}, {" c", 3.5}, {" d", 3.7}}), 0);
  EXPECT_EQ(joined(segment.words),
            "[0.000 0.200] a [0.200 0.400] b. [3.100 3.500] c [3.500 3.700] d");
  EXPECT_EQ(segment.end, 3.7);
}

SUSURRUS_TEST(a_usual_word_is_at_most_seven_tenths_of_a_second) {
  // The median of 1 2 1.5 would allow 3 s.
  const Segment segment =
      one_segment(segment_of(0, 9, 3), spoken_from(0, {{" a", 1}, {".", 3}, {" c", 4.5}}), 0);
  EXPECT_EQ(joined(segment.words), "[0.000 1.000] a. [3.100 4.500] c");
}

SUSURRUS_TEST(the_median_leaves_out_words_without_length) {
  // 0.1 0.2 1.0: the median is 0.2, not 0.15.
  const Segment segment = one_segment(
      segment_of(0, 9, 5),
      spoken_from(0, {{" a", 0.1}, {" b", 0.1}, {" c", 0.3}, {"!", 0.3}, {" d", 1.3}}), 0);
  EXPECT_EQ(joined(segment.words),
            "[0.000 0.100] a [0.100 0.100] b [0.100 0.300] c! [0.900 1.300] d");
}

SUSURRUS_TEST(words_after_a_pause_are_shortened) {
  const std::vector<Spoken> first_long = {{" a", 5.2}, {" b", 5.4}, {" c", 5.6}, {" d", 5.8}};
  Segment segment = one_segment(segment_of(5, 6, 4), spoken_from(3, first_long), 0);
  EXPECT_EQ(joined(segment.words),
            "[4.800 5.200] a [5.200 5.400] b [5.400 5.600] c [5.600 5.800] d");
  EXPECT_EQ(segment.start, 4.8);
  EXPECT_EQ(segment.end, 5.8);

  // Together too long for two: the first ends where the second may begin.
  const std::vector<Spoken> second_long = {{" a", 3.2}, {" b", 5.4}, {" c", 5.6}, {" d", 5.8}};
  segment = one_segment(segment_of(5, 6, 4), spoken_from(3, second_long), 0);
  EXPECT_EQ(joined(segment.words),
            "[4.600 5.000] a [5.000 5.400] b [5.400 5.600] c [5.600 5.800] d");

  // Speech went on until just before: the words keep their length, but for what the segment says.
  segment = one_segment(segment_of(5, 6, 4), spoken_from(3, first_long), 4.9);
  EXPECT_EQ(joined(segment.words),
            "[5.000 5.200] a [5.200 5.400] b [5.400 5.600] c [5.600 5.800] d");
}

SUSURRUS_TEST(a_segment_knows_its_ends_better_than_a_word_that_is_far_off) {
  Segment segment =
      one_segment(segment_of(0.8, 6, 2), spoken_from(0, {{" a", 1.0}, {" b", 2.4}}), 0.9);
  EXPECT_EQ(joined(segment.words), "[0.300 1.000] a [1.000 2.400] b");
  EXPECT_EQ(segment.start, 0.8);
  EXPECT_EQ(segment.end, 2.4);

  const std::vector<Spoken> late_end = {{" a", 0.2}, {" b", 0.4}, {" c", 3.0}};
  segment = one_segment(segment_of(0, 0.9, 3), spoken_from(0, late_end), 0);
  EXPECT_EQ(joined(segment.words), "[0.000 0.200] a [0.200 0.400] b [0.400 0.900] c");
  EXPECT_EQ(segment.end, 0.9);
  // But the last word has at least the usual length.
  segment = one_segment(segment_of(0, 0.45, 3), spoken_from(0, late_end), 0);
  EXPECT_EQ(joined(segment.words), "[0.000 0.200] a [0.200 0.400] b [0.400 0.600] c");
  EXPECT_EQ(segment.end, 0.45);
}

SUSURRUS_TEST(times_are_rounded_half_to_even) {
  const Segment segment =
      one_segment(segment_of(0, 0.9, 2), spoken_from(0.125, {{" a", 0.375}, {" b", 0.615}}), 0);
  EXPECT_EQ(joined(segment.words), "[0.120 0.380] a [0.380 0.620] b");
  EXPECT_EQ(segment.words[0].probability, 0.5f);
}

SUSURRUS_TEST(improbable_short_and_long_words_are_anomalous) {
  EXPECT_EQ(word_anomaly_score(word_of(" a", 0, 1, 0.15f)), 0.0);
  EXPECT_EQ(word_anomaly_score(word_of(" a", 0, 1, 0.1f)), 1.0);
  EXPECT_NEAR(word_anomaly_score(word_of(" a", 1, 1.033, 0.9f)), 1.5, 1e-9);
  EXPECT_NEAR(word_anomaly_score(word_of(" a", 1, 1, 0.1f)), 1 + 0.133 * 15, 1e-9);
  EXPECT_NEAR(word_anomaly_score(word_of(" a", 1, 4.5, 0.9f)), 1.5, 1e-9);
}

SUSURRUS_TEST(a_segment_of_anomalous_words_is_one_itself) {
  const Word good = word_of(" a", 0, 1, 0.9f);
  const Word improbable = word_of(" b", 0, 1, 0.1f);
  const Word mark = word_of("!", 0, 1, 0.1f);
  Segment segment;
  EXPECT_FALSE(is_segment_anomaly(nullptr));
  EXPECT_FALSE(is_segment_anomaly(&segment));
  segment.words = {good, improbable, improbable};
  EXPECT_FALSE(is_segment_anomaly(&segment));  // 2 of 3
  segment.words = {improbable, improbable};
  EXPECT_TRUE(is_segment_anomaly(&segment));  // 2 of 2
  segment.words = {improbable, mark, good};
  EXPECT_FALSE(is_segment_anomaly(&segment));  // punctuation does not count
  segment.words = {mark};
  EXPECT_TRUE(is_segment_anomaly(&segment));  // nothing but punctuation
  segment.words = {good, good, good, good, improbable, improbable, improbable};
  EXPECT_TRUE(is_segment_anomaly(&segment));  // 3 in all
  segment.words.insert(segment.words.begin(), 2, good);
  EXPECT_FALSE(is_segment_anomaly(&segment));  // only the first eight are looked at

  const std::vector<Segment> segments = {Segment(), segment, Segment()};
  EXPECT_EQ(next_words_segment(segments), &segments[1]);
  EXPECT_EQ(next_words_segment(std::span(segments).subspan(2)), nullptr);
}

}  // namespace susurrus::testing::word_timing_test
