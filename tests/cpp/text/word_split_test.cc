// Where words begin and end, on a vocabulary of single bytes and a few words.
#include "text/word_split.h"

#include <string>
#include <vector>

#include "harness.h"
#include "text/small_vocabulary.h"

namespace susurrus::testing::word_split_test {
namespace {

constexpr uint32_t kEmptyToken = 256;
constexpr uint32_t kHello = 257;
constexpr uint32_t kBrackets = 258;     // "()" stands in the list of punctuation as a whole
constexpr uint32_t kSmile = 259;        // ":)" does not
constexpr uint32_t kReplacement = 260;  // U+FFFD itself
constexpr uint32_t kEndOfText = 261;

Tokenizer words_tokenizer() {
  std::vector<std::string> tokens = byte_tokens();
  tokens.insert(tokens.end(), {"", " hello", "()", ":)", "\uFFFD"});
  return tokenizer_of(tokens, kEndOfText + 10 + 1501);
}

std::vector<uint32_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()),
          reinterpret_cast<const uint8_t*>(text.data()) + text.size()};
}

/// Words joined by bars. Every token must be in one of them, in order, but for `left_out` at the end.
std::string cut(std::string_view language, const std::vector<uint32_t>& ids, size_t left_out = 0) {
  static const Tokenizer tokenizer = words_tokenizer();
  std::string words;
  std::vector<uint32_t> tokens;
  for (const SplitWord& word : split_words(tokenizer, language, ids)) {
    words += (words.empty() ? "" : "|") + word.text;
    EXPECT_FALSE(word.tokens.empty());
    tokens.insert(tokens.end(), word.tokens.begin(), word.tokens.end());
  }
  EXPECT_TRUE(tokens == std::vector<uint32_t>(ids.begin(), ids.end() - ptrdiff_t(left_out)));
  return words;
}

}  // namespace

SUSURRUS_TEST(spaced_words_begin_at_spaces_and_punctuation) {
  EXPECT_EQ(cut("en", bytes_of("Hi, you(there) don't")), "Hi|,| you|(there|)| don|'t");
  EXPECT_EQ(cut("de", bytes_of("  a")), " | a");
  EXPECT_EQ(cut("", bytes_of("a b")), "a| b");  // a model of English alone names no language
  EXPECT_EQ(cut("en", {kHello, 's', kHello}), " hellos| hello");
  EXPECT_EQ(cut("en", {'a', kBrackets, kSmile}), "a|():)");
  // White space alone, and no text at all, count as punctuation.
  EXPECT_EQ(cut("en", {'a', '\n', 'b', kEmptyToken, 'c'}), "a|\nb|c");
  EXPECT_EQ(cut("en", {}), "");
}

SUSURRUS_TEST(unspaced_words_end_with_each_character) {
  for (const char* language : {"zh", "ja", "th", "lo", "my", "yue"}) {
    EXPECT_EQ(cut(language, bytes_of("\u4F60\u597D a")), "\u4F60|\u597D| |a");
  }
  EXPECT_EQ(cut("ko", bytes_of("\u4F60\u597D a")), "\u4F60\u597D| a");
}

SUSURRUS_TEST(control_tokens_and_timestamps_are_words) {
  const uint32_t zero = words_tokenizer().special().timestamp_begin;
  EXPECT_EQ(cut("en", {'a', zero + 54, 'b', kEndOfText}), "a|<|1.08|>b|<|endoftext|>");
}

SUSURRUS_TEST(characters_that_never_become_whole) {
  EXPECT_EQ(cut("zh", {'a', 0xC3, 'b'}), "a|\uFFFD|b");
  EXPECT_EQ(cut("en", {'a', 0xC3}), "a\uFFFD");
  EXPECT_EQ(cut("zh", {kReplacement, 'a'}), "\uFFFD|a");
  // Two tokens of one U+FFFD: the second finds nothing that it could be.
  EXPECT_EQ(cut("zh", {'a', 0xE2, 0x82}, 1), "a|\uFFFD");
  EXPECT_EQ(cut("zh", {0xE2, 0x82, kEndOfText}, 2), "\uFFFD");
  EXPECT_EQ(cut("zh", {0xE2, 0x82, 0xC3}, 1), "\uFFFD|\uFFFD");
}

}  // namespace susurrus::testing::word_split_test
