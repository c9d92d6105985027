// What options say of a beam search, and what they say without what they are about.
#include "session/networks/beam_request.h"

#include "base/json_document.h"
#include "families/acoustic/read_texts.h"
#include "harness.h"

namespace susurrus::testing::beam_request_test {
namespace {

constexpr const char* kArpa = "\\data\\\nngram 1=2\n\\1-grams:\n-1 a\n-1 w\n\\end\\\n";

std::unique_ptr<BeamVocabulary> made(const AcousticTokens& tokens, const char* lexicon,
                                     const char* arpa) {
  auto vocabulary = vocabulary_of(tokens, {}, lexicon, arpa);
  SUSURRUS_CHECK(vocabulary.has_value());
  return std::move(vocabulary).value();
}

AcousticTokens some_tokens(size_t count) {
  std::vector<std::string> names = {"|", "a"};
  while (names.size() + 1 < count) names.push_back("t" + std::to_string(names.size()));
  names.emplace_back("#");
  auto tokens = AcousticTokens::make(names, {}, names.size());
  SUSURRUS_CHECK(tokens.has_value());
  return std::move(tokens).value();
}

Result<std::optional<BeamOptions>> read(const char* json, const BeamVocabulary& vocabulary) {
  const auto document = JsonDocument::parse(json, {});
  SUSURRUS_CHECK(document.has_value());
  return read_beam_options(document->root(), vocabulary);
}

void expect_refused(const char* json, const BeamVocabulary& vocabulary, std::string_view subject,
                    std::string_view expected) {
  const auto beam = read(json, vocabulary);
  ASSERT_FALSE(beam.has_value());
  EXPECT_TRUE(beam.error().code == ErrorCode::invalid_argument);
  EXPECT_EQ(beam.error().subject.view(), subject);
  EXPECT_EQ(beam.error().expected.view(), expected);
}

}  // namespace

SUSURRUS_TEST(beam_searches_are_asked_for_by_a_size_or_a_text) {
  const AcousticTokens tokens = some_tokens(3);
  const auto none = made(tokens, "", "");
  const auto greedy = read("{}", *none);
  ASSERT_TRUE(greedy.has_value());
  EXPECT_FALSE(greedy->has_value());
  const auto sized = read(R"({"beamSize":7,"logAdd":true,"silScore":-0.5})", *none);
  ASSERT_TRUE(sized.has_value() && sized->has_value());
  EXPECT_EQ((*sized)->beam_size, 7u);
  EXPECT_TRUE((*sized)->log_add);
  EXPECT_EQ((*sized)->sil_score, -0.5);
  EXPECT_FALSE((*sized)->unk_score.has_value());
  const auto usual = read("{}", *made(tokens, "w a\n", ""));
  ASSERT_TRUE(usual.has_value() && usual->has_value());
  EXPECT_EQ((*usual)->beam_size, 500u);
  const auto full =
      read(R"({"beamSizeToken":2,"beamThreshold":3.5,"lmWeight":2,"wordScore":-1,"unkScore":-4})",
           *made(tokens, "w a\n", kArpa));
  ASSERT_TRUE(full.has_value() && full->has_value());
  EXPECT_EQ((*full)->beam_size_token, 2u);
  EXPECT_EQ((*full)->beam_threshold, 3.5);
  EXPECT_EQ((*full)->lm_weight, 2.0);
  EXPECT_EQ((*full)->word_score, -1.0);
  EXPECT_TRUE((*full)->unk_score == -4.0);
}

SUSURRUS_TEST(beam_options_that_cannot_be_are_refused) {
  const AcousticTokens tokens = some_tokens(3);
  const auto none = made(tokens, "", "");
  expect_refused(R"({"beamSize":0})", *none, "beamSize", "1 to 10000");
  expect_refused(R"({"beamSize":2.5})", *none, "beamSize", "1 to 10000");
  expect_refused(R"({"beamSize":null})", *none, "beamSize", "1 to 10000");
  expect_refused(R"({"beamSize":9,"logAdd":1})", *none, "logAdd", "true or false");
  expect_refused(R"({"beamSize":9,"silScore":1001})", *none, "silScore", "-1000 to 1000");
  expect_refused(R"({"beamThreshold":4})", *none, "beamThreshold",
                 "absent without beamSize, a lexicon or a language model");
  expect_refused(R"({"beamSize":9,"lmWeight":1})", *none, "lmWeight",
                 "absent without a language model");
  expect_refused(R"({"lmWeight":1})", *made(tokens, "w a\n", ""), "lmWeight",
                 "absent without a language model");
  const auto free = made(tokens, "", kArpa);
  expect_refused(R"({"wordScore":1})", *free, "wordScore", "absent without a lexicon");
  expect_refused(R"({"unkScore":1})", *free, "unkScore", "absent without a lexicon");
}

SUSURRUS_TEST(beams_that_would_fill_the_memory_are_refused) {
  const AcousticTokens tokens = some_tokens(1000);
  const auto none = made(tokens, "", "");
  expect_refused(R"({"beamSize":10000,"beamSizeToken":1000})", *none, "beamSizeToken",
                 "at most 209 with this beamSize");
  EXPECT_TRUE(read(R"({"beamSize":10000,"beamSizeToken":209})", *none).has_value());
  // No more than there are.
  EXPECT_TRUE(read(R"({"beamSize":2000,"beamSizeToken":1000000})", *none).has_value());
}

}  // namespace susurrus::testing::beam_request_test
