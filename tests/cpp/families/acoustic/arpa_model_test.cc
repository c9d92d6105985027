// ARPA texts: scores with backoff, and texts that contradict themselves.
#include "families/acoustic/arpa_model.h"

#include "families/acoustic/read_texts.h"
#include "harness.h"

namespace susurrus::testing::arpa_model_test {
namespace {

constexpr const char* kText =
    "\n\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n"
    "\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.5\n-1.5\t</s>\n-1\ta\t-0.25\n-1.25\tb\t-0.125\n\n"
    "\\2-grams:\n-0.75\t<s> a\t-0.0625\n-0.5\ta b\t-1\n-0.375\tb </s>\n\n"
    "\\3-grams:\r\n-0.25\t<s> a b\r\n\n\\end\\\n";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text = kText;
  const size_t at = text.find(from);
  SUSURRUS_CHECK(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void expect_refused(const std::string& text, std::string_view line, std::string_view expected) {
  uint64_t offset = 0;
  for (const size_t piece : {1 << 20, 1, 7}) {
    const auto model = read_arpa(text, static_cast<size_t>(piece));
    ASSERT_FALSE(model.has_value());
    EXPECT_TRUE(model.error().code == ErrorCode::malformed);
    EXPECT_EQ(model.error().subject.view(), line);
    EXPECT_EQ(model.error().expected.view(), expected);
    if (piece == 1 << 20) offset = model.error().offset;
    EXPECT_EQ(model.error().offset, offset);
  }
  // That of the line which is named.
  EXPECT_EQ("line " + std::to_string(std::count(text.begin(),
                                                text.begin() + static_cast<std::ptrdiff_t>(offset),
                                                '\n') +
                                     (offset < text.size() ? 1 : 0)),
            line);
}

}  // namespace

SUSURRUS_TEST(arpa_scores_are_those_of_the_longest_n_gram_and_backoffs) {
  const auto model = read_arpa(kText, 5);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->order(), 3u);
  const uint32_t a = model->word("a");
  const uint32_t b = model->word("b");
  EXPECT_EQ(model->word("c"), ArpaModel::kUnknown);
  ArpaModel::Context one;
  EXPECT_EQ(model->score(model->begin(), a, one), -0.75F);
  ArpaModel::Context two;
  EXPECT_EQ(model->score(one, b, two), -0.25F);
  EXPECT_EQ(model->end_score(two), -0.375F + -1);  // "a b </s>" is not there, "b </s>" is
  // "<s> a a", "a a": neither is there.
  ArpaModel::Context next;
  EXPECT_EQ(model->score(one, a, next), -1.0F - 0.25F - 0.0625F);
  EXPECT_EQ(model->score(next, b, next), -0.5F);
  EXPECT_EQ(model->score(next, ArpaModel::kUnknown, next), -2.0F - 0.125F - 1);
  EXPECT_EQ(model->score(next, a, next), -1.0F);
  EXPECT_EQ(model->end_score(model->begin()), -1.5F - 0.5F);
}

SUSURRUS_TEST(arpa_words_that_no_model_lists_have_the_score_of_kenlm) {
  const auto model = read_arpa("\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n\\end\\\n");
  ASSERT_TRUE(model.has_value());
  ArpaModel::Context next;
  EXPECT_EQ(model->score(model->begin(), model->word("b"), next), -100.0F);
  EXPECT_EQ(model->score(model->begin(), model->word("a"), next), -1.0F);
}

SUSURRUS_TEST(arpa_texts_that_contradict_themselves_are_refused_by_line) {
  expect_refused("", "line 0", "\\data\\ first");
  expect_refused("a\n\\data\\\n", "line 1", "\\data\\ first");
  expect_refused("\\data\\\n", "line 1", "ngram 1= and a count");
  expect_refused(replaced("ngram 2=3", "ngram 3=3"), "line 4", "ngram 2= and a count");
  expect_refused(replaced("ngram 1=5", "ngram 1=5x"), "line 3", "ngram 1= and a count");
  expect_refused(replaced("ngram 2=3", "ngram 2=99999999999"), "line 4",
                 "as many n-grams as the text has room for");
  expect_refused(replaced("ngram 1=5", "ngram 1=4"), "line 12", "4 n-grams of order 1");
  expect_refused(replaced("ngram 2=3", "ngram 2=4"), "line 19", "4 n-grams of order 2");
  expect_refused(replaced("\\2-grams:", "\\3-grams:"), "line 14", "\\2-grams:");
  expect_refused(replaced("-1\ta", "-1e10\ta"), "line 11", "numbers before and behind the words");
  expect_refused(replaced("-1\ta", "x\ta"), "line 11", "numbers before and behind the words");
  expect_refused(replaced("a\t-0.25", "a\tinf"), "line 11", "numbers before and behind the words");
  expect_refused(replaced("-1\ta", "0.5\ta"), "line 11",
                 "the logarithm of a probability: 0 at most");
  expect_refused(replaced("-1\ta", "-1\ta a a"), "line 11",
                 "a logarithm, 1 words, and a backoff or none");
  expect_refused(replaced("<s> a b", "<s> a b -1"), "line 20", "a logarithm, 3 words");
  expect_refused(replaced("-1.25\tb", "-1.25\ta"), "line 12", "each 1-gram once");
  expect_refused(replaced("b </s>", "c </s>"), "line 17", "words that are 1-grams");
  expect_refused(replaced("b </s>", "a b"), "line 17", "each n-gram once");
  expect_refused(replaced("<s> a b", "b a b"), "line 20",
                 "n-grams whose first words are an n-gram too");
  expect_refused(replaced("\\end\\", ""), "line 22", "\\end\\");
  // If a text's length is unknown, counts are not checked until its n-grams have arrived.
  const auto unknown = read_text(ArpaReader(), replaced("ngram 2=3", "ngram 2=99999999999"), 9);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().expected.view(), "99999999999 n-grams of order 2");
  const auto endless = read_arpa(std::string(70'000, 'x'), 1000);
  ASSERT_FALSE(endless.has_value());
  EXPECT_TRUE(endless.error().code == ErrorCode::limit_exceeded);
  EXPECT_EQ(endless.error().subject.view(), "line 1");
  std::string counts = "\\data\\\n";
  for (int order = 1; order <= 11; ++order) counts += "ngram " + std::to_string(order) + "=0\n";
  const auto model = read_arpa(counts);
  ASSERT_FALSE(model.has_value());
  EXPECT_TRUE(model.error().code == ErrorCode::limit_exceeded);
}

}  // namespace susurrus::testing::arpa_model_test
