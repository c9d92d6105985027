// Words that a hypothesis takes from its prompt.
#include "session/live/said_before.h"

#include <utility>

#include "harness.h"

namespace susurrus::testing::said_before_test {
namespace {

size_t repeated(const SaidBefore& said, std::initializer_list<const char*> words) {
  std::vector<ProvisionalWord> list;
  for (const char* word : words) list.push_back({.text = word, .tokens = {}});
  return said.repeated(list);
}

}  // namespace

SUSURRUS_TEST(the_longest_end_of_what_was_said_counts_without_case_and_punctuation) {
  SaidBefore said;
  EXPECT_EQ(repeated(said, {" Fail"}), 0u);
  for (const char* word : {" Fail", " again.", " Fail", " better."}) said.add(word);
  EXPECT_EQ(repeated(said, {}), 0u);
  EXPECT_EQ(repeated(said, {" Better!", " Yes."}), 1u);
  EXPECT_EQ(repeated(said, {" fail", " better,", " fail"}), 2u);
  EXPECT_EQ(repeated(said, {" Fail", " again.", " Fail", " better."}), 4u);
  // Not its end.
  EXPECT_EQ(repeated(said, {" Fail", " again."}), 0u);
  EXPECT_EQ(repeated(said, {" Yes.", " Better!"}), 0u);
}

SUSURRUS_TEST(letters_of_every_script_count_and_marks_alone_are_no_words) {
  SaidBefore said;
  for (const char* word : {"脚", "砸", "。"}) said.add(word);
  EXPECT_EQ(repeated(said, {"砸"}), 1u);
  EXPECT_EQ(repeated(said, {"脚", "砸。"}), 2u);
  EXPECT_EQ(repeated(said, {"。"}), 0u);
}

SUSURRUS_TEST(only_the_last_words_are_kept) {
  SaidBefore said;
  for (int i = 0; i < 1000; ++i) said.add(std::to_string(i));
  EXPECT_EQ(repeated(said, {"999"}), 1u);
  EXPECT_EQ(repeated(said, {"980"}), 0u);
}

SUSURRUS_TEST(words_that_are_said_once_more_in_no_time_are_made_up) {
  /// Each word lasts as many hundredths of a second.
  const auto kept = [](std::initializer_list<std::pair<const char*, int>> words) {
    std::vector<ProvisionalWord> list;
    double at = 0;
    for (const auto& [text, hundredths] : words) {
      ProvisionalWord& word = list.emplace_back();
      word.text = text;
      word.start = at;
      at = word.end = at + hundredths / 100.0;
    }
    return before_hurried_repeat(list);
  };
  EXPECT_EQ(kept({}), 0u);
  EXPECT_EQ(kept({{" Ask", 30}, {" not.", 30}, {" Ask", 10}, {" not.", 10}}), 2u);
  EXPECT_EQ(kept({{" So", 30}, {" ask", 30}, {" not", 30}, {" Ask", 10}, {" not.", 10}}), 3u);
  // People say things twice.
  EXPECT_EQ(kept({{" Ask", 30}, {" not.", 30}, {" Ask", 20}, {" not.", 20}}), 4u);
  EXPECT_EQ(kept({{" no,", 40}, {" no", 10}}), 2u);
  EXPECT_EQ(kept({{" Ask", 30}, {" not.", 30}, {" Ask", 10}, {" now.", 10}}), 4u);
}

}  // namespace susurrus::testing::said_before_test
