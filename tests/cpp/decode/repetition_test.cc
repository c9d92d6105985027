// When text goes round in circles, and what is left of it.
#include <string>
#include <vector>

#include "decode/compression_ratio.h"
#include "decode/phrase_vocabulary.h"
#include "decode/repetition.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::repetition_test {
namespace {

using Tokens = std::vector<uint32_t>;

const PhraseVocabulary& words() {
  static const PhraseVocabulary vocabulary(
      {" I", " love", " you", ".", " Thank", " no", " five", ",", " so", " much"});
  return vocabulary;
}

Tokens repeated(std::string_view text, size_t count) {
  Tokens tokens;
  const Tokens once = words().tokens(text);
  for (size_t i = 0; i < count; ++i) tokens.insert(tokens.end(), once.begin(), once.end());
  return tokens;
}

Tokens joined(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// `count` different tokens that begin words.
Tokens phrase(size_t count) {
  Tokens tokens;
  for (size_t i = 0; i < count; ++i) tokens.push_back(static_cast<uint32_t>(i + 'A'));
  return tokens;
}

/// How many tokens of a sequence pass until it is called a loop; 0 if never.
size_t found_after(const Tokens& tokens) {
  for (size_t count = 1; count <= tokens.size(); ++count) {
    if (find_repetition(std::span(tokens).first(count), words().tokenizer)) return count;
  }
  return 0;
}

/// What is left of a loop, as text with timestamps; "no loop".
std::string kept(const Tokens& tokens) {
  const auto found = find_repetition(tokens, words().tokenizer);
  if (!found) return "no loop";
  std::string text;
  for (uint32_t id : std::span(tokens).first(found->keep)) {
    if (id >= words().zero) {
      text += "<" + std::to_string(id - words().zero) + ">";
    } else {
      text += as_text(words().tokenizer.vocabulary().token(id));
    }
  }
  return text;
}

}  // namespace

SUSURRUS_TEST(ordinary_repetitions_are_no_loops) {
  EXPECT_EQ(found_after({}), 0u);
  EXPECT_EQ(found_after(words().tokens(" no| no| no")), 0u);
  EXPECT_EQ(found_after(repeated(" five", 4)), 0u);
  EXPECT_EQ(found_after(repeated(" no|,", 10)), 0u);
  EXPECT_EQ(found_after(repeated(" Thank| you|.", 5)), 0u);
  // A refrain sung twice, with and without other words around it.
  for (size_t length : {5, 12, 20, 32}) {
    const Tokens refrain = phrase(length);
    const Tokens twice = joined(refrain, refrain);
    EXPECT_EQ(found_after(twice), 0u);
    EXPECT_EQ(found_after(joined(joined(words().tokens(" I| love"), twice), phrase(3))), 0u);
  }
  // A long text that does not repeat itself; periods longer than 32 are not looked for.
  Tokens text;
  for (uint32_t i = 0; i < 224; ++i) text.push_back(i * i * 7 % 211);
  EXPECT_EQ(found_after(text), 0u);
  const Tokens verse = phrase(33);
  EXPECT_EQ(found_after(joined(joined(verse, verse), joined(verse, verse))), 0u);
}

SUSURRUS_TEST(loops_are_found_long_before_the_limit) {
  for (size_t period = 1; period <= 32; ++period) {
    const Tokens round = phrase(period);
    Tokens tokens = words().tokens(" I| love");
    for (int i = 0; i < 24; ++i) tokens = joined(std::move(tokens), round);
    const size_t rounds = period < 16 ? 4 : 3;
    const size_t expected = 2 + std::max<size_t>(24, rounds * period);
    EXPECT_EQ(found_after(tokens), expected);
    EXPECT_LE(expected, 98u);
    const auto found = find_repetition(std::span(tokens).first(expected), words().tokenizer);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->period, period);
    // Where nothing is better, the first round is left.
    EXPECT_EQ(found->keep, 2 + period);
  }
}

SUSURRUS_TEST(what_is_found_late_is_cut_back_as_far) {
  const Tokens tokens = joined(words().tokens(" I| love"), repeated("A|B|C", 60));
  EXPECT_EQ(kept(tokens), " I loveABC");
}

SUSURRUS_TEST(loops_are_seen_through_timestamps) {
  // A segment for each round: cut after the first one's end.
  Tokens tokens = words().tokens("<0> I| love| you|.<1>");
  for (int i = 1; i < 10; ++i) {
    const std::string at = "<" + std::to_string(i) + ">";
    tokens = joined(std::move(tokens),
                    words().tokens(at + " Thank| you|.<" + std::to_string(i + 1) + ">"));
  }
  EXPECT_EQ(kept(tokens), "<0> I love you.<1><1> Thank you.<2>");
  // An open or just opened last segment changes nothing.
  tokens.pop_back();
  EXPECT_EQ(kept(tokens), "<0> I love you.<1><1> Thank you.<2>");
  tokens.resize(tokens.size() - 3);
  EXPECT_EQ(kept(tokens), "<0> I love you.<1><1> Thank you.<2>");
  // No timestamps within: an open segment is left.
  EXPECT_EQ(kept(joined(words().tokens("<3>"), repeated(" Thank| you|.", 9))), "<3> Thank you.");
}

SUSURRUS_TEST(a_loop_is_cut_where_a_sentence_or_a_word_ends) {
  // " you." before the first round looks like part of one.
  EXPECT_EQ(kept(joined(words().tokens(" I| love| you|."), repeated(" Thank| you|.", 9))),
            " I love you. Thank you.");
  // No sentence ends: before a word. " so much" repeats in the middle of "xx".
  EXPECT_EQ(kept(joined(words().tokens(" I|x|x"), repeated(" so|x|x", 9))), " Ixx soxx");
}

SUSURRUS_TEST(what_is_called_a_loop_would_fail_for_its_compression_ratio) {
  // Twenty-four tokens of some four letters.
  EXPECT_GT(compression_ratio(words().tokenizer.decode(repeated(" five", 24))), 2.4);
  EXPECT_GT(compression_ratio(words().tokenizer.decode(repeated(" Thank| you|.", 8))), 2.4);
  EXPECT_GT(compression_ratio(words().tokenizer.decode(repeated(" I| love| you| so| much|.", 4))),
            2.4);
}

SUSURRUS_TEST(a_phrase_that_comes_twice_is_found_wherever_it_stands) {
  const SpecialTokens& special = words().tokenizer.special();
  const Tokens four = phrase(4);
  for (const char* between : {"", "<5><5>", " I", " I| love| you", "A|B|C"}) {
    const Tokens tokens =
        joined(joined(joined(words().tokens("<0> no"), four), words().tokens(between)),
               joined(four, words().tokens(" so<9>")));
    EXPECT_TRUE(has_phrase_twice(tokens, special, 4));
    EXPECT_FALSE(has_phrase_twice(tokens, special, 5));
  }
  // Times between its tokens do not matter.
  EXPECT_TRUE(has_phrase_twice(words().tokens("<0>A|B<1><1>C|D<2><2>A<3><3>B|C|D<4>"), special, 4));
  for (const char* text : {"", "A|B|C|D", "A|B|C|D|A|B|C", "A|A|A|A|A|A|A", "A|B|C|D|B|C|D|A",
                           "<1><2><3><4><1><2><3><4>"}) {
    EXPECT_FALSE(has_phrase_twice(words().tokens(text), special, 4));
  }
  EXPECT_TRUE(has_phrase_twice(words().tokens("A|A|A|A|A|A|A|A"), special, 4));
}

SUSURRUS_TEST(looking_for_loops_allocates_nothing) {
  const Tokens tokens = repeated("<0> Thank| you|.<1>", 12);
  const uint64_t before = allocation_count();
  size_t found = 0;
  for (size_t count = 0; count <= tokens.size(); ++count) {
    found += find_repetition(std::span(tokens).first(count), words().tokenizer).has_value();
  }
  EXPECT_EQ(allocation_count(), before);
  EXPECT_GT(found, 0u);
}

}  // namespace susurrus::testing::repetition_test
