// UTF-8, pre-tokens, byte-level BPE, and the place of control tokens, on vocabularies of a few tokens.
#include "base/utf8.h"
#include "text/bpe.h"
#include "text/non_speech_tokens.h"
#include "text/pre_split.h"
#include "text/tokenizer.h"
#include "text/unicode_class.h"
#include "text/white_space.h"

#include <string>
#include <vector>

#include "harness.h"
#include "text/small_vocabulary.h"

namespace susurrus::testing::text_test {
namespace {

/// Pre-tokens joined by bars.
std::string split(std::string_view text) {
  std::string parts;
  while (!text.empty()) {
    const size_t byte_count = first_pre_token(text);
    if (!parts.empty()) parts += '|';
    parts += text.substr(0, byte_count);
    text.remove_prefix(byte_count);
  }
  return parts;
}

std::string joined(const std::vector<uint32_t>& ids) {
  std::string text;
  for (uint32_t id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

}  // namespace

SUSURRUS_TEST(invalid_utf8_is_replaced_piece_by_piece) {
  // What Python's bytes.decode(errors="replace") gives.
  EXPECT_EQ(replace_invalid_utf8("a\xC3\xA9z"), "a\xC3\xA9z");
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80"), "\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80z"), "\uFFFDz");
  EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\x92"), "\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\x80\xBF"), "\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xE2\x82\xE2\x82\xAC"), "\uFFFD\u20AC");
  EXPECT_TRUE(next_utf8("\xE2\x82").is_cut);
  EXPECT_FALSE(next_utf8("\xE2z").is_cut);
  EXPECT_TRUE(ends_inside_character("a\xE2\x82"));
  EXPECT_FALSE(ends_inside_character("\xE2\x82\xAC"));
  EXPECT_FALSE(ends_inside_character("\xE2z\x82"));
}

SUSURRUS_TEST(code_points_are_written_as_utf8) {
  std::string text;
  for (char32_t point : {U'a', U'\u00E9', U'\u20AC', U'\U0001F600'}) append_utf8(point, text);
  EXPECT_EQ(text, "a\u00E9\u20AC\U0001F600");
}

SUSURRUS_TEST(white_space_at_both_ends_is_stripped) {
  EXPECT_EQ(strip_white_space(" \t\u00A0one two\u3000\u2029\x1F\n"), "one two");
  EXPECT_EQ(strip_white_space("\u200Bone"), "\u200Bone");
  EXPECT_EQ(strip_white_space(" \u0085 "), "");
  EXPECT_EQ(strip_white_space(""), "");
}

SUSURRUS_TEST(unicode_classes) {
  for (char32_t letter : {U'a', U'Z', U'\u00E9', U'\u4E2D', U'\u0E01', U'\U00010400'}) {
    EXPECT_TRUE(is_letter(letter));
    EXPECT_FALSE(is_number(letter));
  }
  for (char32_t number : {U'0', U'9', U'\u0663', U'\u00BD', U'\u2460'})
    EXPECT_TRUE(is_number(number));
  for (char32_t other : {U'@', U'[', U'`', U'{', U'\u0301', U'\u200B', U'\uFEFF', U'\U0001F600'}) {
    EXPECT_FALSE(is_letter(other));
    EXPECT_FALSE(is_number(other));
    EXPECT_FALSE(is_white_space(other));
  }
}

SUSURRUS_TEST(text_splits_into_pre_tokens) {
  EXPECT_EQ(split("I'll say it's 42, don't!"), "I|'ll| say| it|'s| 42|,| don|'t|!");
  EXPECT_EQ(split("a  b"), "a| | b");
  EXPECT_EQ(split("a \n b"), "a| \n| b");
  EXPECT_EQ(split("a\nb"), "a|\n|b");
  EXPECT_EQ(split("a   "), "a|   ");
  EXPECT_EQ(split(" "), " ");
  EXPECT_EQ(split("\u00E9t\u00E9 \u4E2D\u6587 \u0663x"), "\u00E9t\u00E9| \u4E2D\u6587| \u0663|x");
  EXPECT_EQ(split("?!... \U0001F600"), "?!...| \U0001F600");
  EXPECT_EQ(split("don'T"), "don|'|T");
  // Bytes that are not UTF-8 are other characters.
  EXPECT_EQ(split("a\xFFz"), "a|\xFF|z");
}

SUSURRUS_TEST(pairs_merge_by_rank_and_leftmost_first) {
  std::vector<std::string> tokens = byte_tokens();
  tokens.insert(tokens.end(), {"ab", "bc", "abc", "aa", "aab"});  // 256 ...
  const Vocabulary vocabulary(table_of(tokens));
  auto ids = [&](std::string_view text) {
    std::vector<uint32_t> result;
    append_bpe(vocabulary, text, result);
    return joined(result);
  };
  EXPECT_EQ(ids("abc"), "258");       // whole
  EXPECT_EQ(ids("abcd"), "258 100");  // ab, then abc
  EXPECT_EQ(ids("bcab"), "257 256");
  EXPECT_EQ(ids("aaaa"), "259 259");
  EXPECT_EQ(ids("aaaaa"), "259 259 97");
  // ab (256) goes before aa (259), and makes aab (260) possible.
  EXPECT_EQ(ids("aaba"), "260 97");
  // A pre-token in the vocabulary is taken whole, though merging would not make it.
  EXPECT_EQ(ids("aab"), "260");
  EXPECT_EQ(ids("\xFF"), "255");
}

SUSURRUS_TEST(long_pre_tokens_do_not_take_quadratic_time) {
  std::vector<std::string> tokens = byte_tokens();
  tokens.insert(tokens.end(), {"aa", "aaaa"});
  const Vocabulary vocabulary(table_of(tokens));
  std::vector<uint32_t> ids;
  append_bpe(vocabulary, std::string(1 << 18, 'a'), ids);
  EXPECT_EQ(ids.size(), size_t{1} << 16);
  EXPECT_EQ(ids[0], 257u);
}

SUSURRUS_TEST(bytes_that_a_vocabulary_lacks_are_left_out) {
  const Vocabulary vocabulary(table_of({"a", "b"}));
  std::vector<uint32_t> ids;
  append_bpe(vocabulary, "axb", ids);
  EXPECT_EQ(joined(ids), "0 1");
}

SUSURRUS_TEST(official_numbers_hold_where_a_vocabulary_has_no_names) {
  struct Expected {
    uint32_t n_vocab, table, end, translate, timestamps;
    size_t languages;
    bool is_multilingual;
  };
  for (const Expected& e : {Expected{51864, 50256, 50256, 50357, 50363, 99, false},
                            Expected{51865, 50257, 50257, 50358, 50364, 99, true},
                            Expected{51866, 50257, 50257, 50359, 50365, 100, true}}) {
    const Vocabulary vocabulary(table_of(std::vector<std::string>(e.table)));
    const SpecialTokens special = SpecialTokens::locate(vocabulary, e.n_vocab, std::nullopt);
    EXPECT_EQ(special.end_of_text, e.end);
    EXPECT_EQ(special.start_of_transcript, e.end + 1);
    EXPECT_EQ(special.translate, e.translate);
    EXPECT_EQ(special.no_timestamps, e.timestamps - 1);
    EXPECT_EQ(special.timestamp_begin, e.timestamps);
    EXPECT_EQ(special.timestamp_count, 1501u);
    EXPECT_EQ(special.end(), e.n_vocab);
    EXPECT_EQ(special.languages.size(), e.languages);
    EXPECT_EQ(special.is_multilingual, e.is_multilingual);
    EXPECT_EQ(special.language_token("de").value_or(0), e.end + 4);
    EXPECT_EQ(special.language_token("yue").has_value(), e.languages == 100);
  }
}

SUSURRUS_TEST(names_in_the_vocabulary_win) {
  std::vector<std::string> tokens = byte_tokens();
  tokens.insert(tokens.end(), {"<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|iw|>",
                               "<|translate|>", "<|transcribe|>", "<|startoflm|>",
                               "<|startofprev|>", "<|nocaptions|>", "<|notimestamps|>"});
  const Tokenizer tokenizer = tokenizer_of(tokens, 256 + 10 + 1501);
  const SpecialTokens& special = tokenizer.special();
  EXPECT_EQ(special.end_of_text, 256u);
  EXPECT_EQ(special.no_speech, 264u);
  EXPECT_EQ(special.timestamp_begin, 266u);  // without names: made up
  EXPECT_EQ(special.timestamp_count, 1501u);
  EXPECT_EQ(special.languages.size(), 2u);
  EXPECT_EQ(special.language_token("he").value_or(0), 259u);
  EXPECT_TRUE(special.is_multilingual);
  EXPECT_FALSE(SpecialTokens::locate(tokenizer.vocabulary(), 1767, false).is_multilingual);
}

SUSURRUS_TEST(a_vocabulary_without_languages_is_not_multilingual) {
  std::vector<std::string> tokens = byte_tokens();
  tokens.insert(tokens.end(), {"<|endoftext|>", "<|startoftranscript|>", "<|translate|>"});
  const Vocabulary vocabulary(table_of(tokens));
  const SpecialTokens special = SpecialTokens::locate(vocabulary, 256 + 8, true);
  EXPECT_TRUE(special.languages.empty());
  EXPECT_FALSE(special.is_multilingual);
  EXPECT_EQ(special.timestamp_count, 0u);
  EXPECT_EQ(special.end(), 264u);
}

SUSURRUS_TEST(tokens_become_text) {
  std::vector<std::string> tokens = byte_tokens();
  tokens.insert(tokens.end(), {"<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|translate|>",
                               "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>",
                               "<|notimestamps|>"});
  const Tokenizer tokenizer = tokenizer_of(tokens, 256 + 9 + 1501 + 3);
  const uint32_t zero = tokenizer.special().timestamp_begin;
  const std::vector<uint32_t> ids = {'h', 'i', zero + 54, 0xC3, 0xA9, zero + 1500, 0xE2, 0x82, 256};
  EXPECT_EQ(tokenizer.decode(ids), "hi\u00E9\uFFFD<|endoftext|>");
  EXPECT_EQ(tokenizer.decode_with_timestamps(ids), "hi<|1.08|>\u00E9<|30.00|>\uFFFD<|endoftext|>");
  // Rows that pad an enlarged vocabulary have no text.
  EXPECT_EQ(tokenizer.decode(std::vector<uint32_t>{zero + 1501, 'x'}), "x");
  EXPECT_EQ(joined(tokenizer.encode("hi")), "104 105");
}

SUSURRUS_TEST(non_speech_tokens_of_a_byte_vocabulary) {
  std::vector<std::string> tokens = byte_tokens();
  tokens.push_back(" (");
  const std::vector<uint32_t> ids = non_speech_tokens(tokenizer_of(tokens, 2000));
  EXPECT_EQ(joined(ids),
            "32 34 35 40 41 42 43 47 58 59 60 61 62 64 91 92 93 94 95 96 123 124 125 126 226 256");
}

}  // namespace susurrus::testing::text_test
