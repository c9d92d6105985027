// Beam search beside flashlight-text's results, in one piece and in several.
#include "families/acoustic/beam_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "families/acoustic/beam_cases.h"
#include "families/acoustic/read_texts.h"
#include "harness.h"

namespace susurrus::testing::beam_search_test {
namespace {

Result<AcousticTokens> tokens_of(const std::vector<std::string>& names, bool is_asg) {
  TokenSettings settings;
  settings.is_asg = is_asg;
  return AcousticTokens::make(names, settings, names.size());
}

/// Rounded numbers were recorded.
void expect_close(double got, double expected) {
  EXPECT_NEAR(got, expected, 1e-5 * std::max(1.0, std::fabs(expected)));
}

std::vector<double> numbers_of(std::string text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) return numbers;
    numbers.push_back(number);
  }
}

std::vector<float> floats_of(const char* text) {
  std::vector<float> floats;
  for (const double number : numbers_of(text)) floats.push_back(static_cast<float>(number));
  return floats;
}

std::vector<std::string> names_of(std::string_view text) {
  std::vector<std::string> names{{}};
  for (const char c : text) {
    if (c == ' ') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

void expect_case(const BeamCase& one, size_t piece) {
  const std::vector<float> transitions = floats_of(one.transitions);
  const std::vector<float> all = floats_of(one.emissions);
  const auto tokens = tokens_of(names_of(one.tokens), !transitions.empty());
  ASSERT_TRUE(tokens.has_value());
  const auto vocabulary =
      vocabulary_of(*tokens, transitions, one.lexicon, one.arpa, one.vocabulary);
  ASSERT_TRUE(vocabulary.has_value());
  AcousticBeamSearch search(**vocabulary, one.options);
  const std::span<const float> emissions = all;
  const size_t row = tokens->size();
  const size_t frames = emissions.size() / row;
  for (size_t at = 0; at < frames; at += piece) {
    search.push(emissions.subspan(at * row, std::min(piece, frames - at) * row));
    EXPECT_LE(search.final_count(), std::min(at + piece, frames));
  }
  search.finish();
  ASSERT_EQ(search.count(), one.count);
  for (size_t i = 0; i < std::min<size_t>(3, one.count); ++i) {
    const std::vector<double> expected = numbers_of(one.best[i]);
    const BeamResult got = search.result(i);
    ASSERT_EQ(expected.size(), 3 + 2 * frames);
    ASSERT_EQ(got.words.size(), frames);
    expect_close(got.score, expected[0]);
    expect_close(got.emission_score, expected[1]);
    expect_close(got.language_score, expected[2]);
    for (size_t t = 0; t < frames; ++t) {
      EXPECT_EQ(static_cast<double>(got.tokens[t]), expected[3 + t]);
      EXPECT_EQ(static_cast<double>(static_cast<int>(got.words[t])), expected[3 + frames + t]);
    }
    EXPECT_EQ(got.log_probabilities.size(), frames);
  }
}

}  // namespace

SUSURRUS_TEST(beam_searches_find_what_flashlight_finds) {
  EXPECT_GE(std::size(kBeamCases), 12u);
  for (const BeamCase& one : kBeamCases) {
    for (const size_t piece : {size_t{1}, size_t{3}, size_t{100}}) expect_case(one, piece);
    if (current_case_failed()) std::printf("  in: %s\n", one.name);
  }
}

SUSURRUS_TEST(beam_searches_of_equal_scores_keep_what_came_first) {
  const auto tokens = tokens_of({"|", "a", "b", "#"}, false);
  ASSERT_TRUE(tokens.has_value());
  const auto vocabulary = vocabulary_of(*tokens, {}, "", "");
  ASSERT_TRUE(vocabulary.has_value());
  AcousticBeamSearch search(**vocabulary, {.beam_size = 1});
  search.push(std::vector<float>{0, 1, 1, 0});
  search.finish();
  EXPECT_TRUE((search.result().tokens == std::vector<uint32_t>{1}));
  const auto words = vocabulary_of(*tokens, {}, "x a\ny a\n", "");
  ASSERT_TRUE(words.has_value());
  AcousticBeamSearch lexical(**words, {.beam_size = 1});
  lexical.push(std::vector<float>{0, 1, 1, 0});
  EXPECT_TRUE((lexical.result().words == std::vector<uint32_t>{0}));
  EXPECT_EQ((*words)->word_text(0), "x");
}

SUSURRUS_TEST(beam_searches_of_long_recordings_forget_what_nobody_wants) {
  const auto tokens = tokens_of({"|", "a", "b", "#"}, false);
  ASSERT_TRUE(tokens.has_value());
  const auto vocabulary = vocabulary_of(*tokens, {}, "x a\ny a b\nz b |\n", "");
  ASSERT_TRUE(vocabulary.has_value());
  AcousticBeamSearch search(**vocabulary, {.beam_size = 20});
  uint32_t state = 5;
  std::vector<float> frame(4);
  for (int t = 0; t < 8000; ++t) {
    const uint32_t best = (state = state * 1664525 + 1013904223) >> 30;
    for (size_t i = 0; i < 4; ++i) frame[i] = i == best ? 4 : 0;
    search.push(frame);
  }
  // 160,000 steps of 16 bytes were made.
  EXPECT_LE(search.byte_count(), 2'200'000u);
  EXPECT_EQ(search.result().tokens.size(), 8000u);
}

SUSURRUS_TEST(language_models_that_know_nothing_are_refused) {
  const auto tokens = tokens_of({"|", "a", "#"}, false);
  ASSERT_TRUE(tokens.has_value());
  constexpr const char* kOfWords = "\\data\\\nngram 1=1\n\\1-grams:\n-1 word\n\\end\\\n";
  constexpr const char* kOfTokens = "\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n\\end\\\n";
  const auto expect_refused = [&](const char* lexicon, const char* arpa,
                                  std::string_view expected) {
    const auto vocabulary = vocabulary_of(*tokens, {}, lexicon, arpa);
    ASSERT_FALSE(vocabulary.has_value());
    EXPECT_TRUE(vocabulary.error().code == ErrorCode::invalid_argument);
    EXPECT_EQ(vocabulary.error().subject.view(), "languageModel");
    EXPECT_EQ(vocabulary.error().expected.view(), expected);
  };
  expect_refused("", kOfWords, "a model of the tokens, or a lexicon for one of words");
  expect_refused("w a\n", kOfWords, "a model that has words of the lexicon");
  EXPECT_TRUE(vocabulary_of(*tokens, {}, "", kOfTokens).has_value());
  EXPECT_TRUE(vocabulary_of(*tokens, {}, "word a\n", kOfWords).has_value());
}

}  // namespace susurrus::testing::beam_search_test
