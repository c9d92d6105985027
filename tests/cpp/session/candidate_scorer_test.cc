// Log probabilities of given texts, against passes of the decoder one token at a time.
#include "session/candidate_scorer.h"

#include "decode/log_probability.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::candidate_scorer_test {
namespace {

std::unique_ptr<WhisperModel> model_with_window(uint64_t seed) {
  RandomModel random = random_model(kOddDimensions, seed);
  auto model = make_model(random, default_kernels());
  if (model) fill_mel(*model, seed);
  return model;
}

std::vector<CandidateScore> scored(WhisperModel& model, const DecodeOptions& options,
                                   const std::vector<std::string>& candidates,
                                   std::string_view language) {
  auto scorer = CandidateScorer::create(model, options, candidates);
  if (!EXPECT_TRUE(scorer.has_value())) return {};
  for (bool is_done = false; !is_done;) {
    auto step = (*scorer)->step();
    if (!EXPECT_TRUE(step.has_value())) return {};
    is_done = *step;
  }
  EXPECT_EQ((*scorer)->language(), language);
  return (*scorer)->scores();
}

double plain_logprob(WhisperModel& model, std::vector<uint32_t> tokens,
                     const std::vector<uint32_t>& text) {
  double sum = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    model.reset_decoder();
    auto logits = model.decode(tokens);
    if (!EXPECT_TRUE(logits.has_value())) return 0;
    const uint32_t next = i < text.size() ? text[i] : model.special_tokens().end_of_text;
    sum += (*logits)[next] - log_sum_exp(model.kernels(), *logits);
    tokens.push_back(next);
  }
  return sum;
}

}  // namespace

SUSURRUS_TEST(scores_are_sums_of_log_probabilities) {
  auto model = model_with_window(100);
  ASSERT_TRUE(model != nullptr);
  const SpecialTokens& special = model->special_tokens();
  DecodeOptions options;
  options.language = "de";
  options.task = Task::translate;
  options.prompt = {65, 66};
  // More rows than the logits of one step; fewer; none.
  const std::vector<std::string> candidates = {"a text of more than eight tokens", "two", ""};
  const auto scores = scored(*model, options, candidates, "de");
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_TRUE(scores[1].tokens == model->tokenizer().encode(" two"));
  const std::vector<uint32_t> prompt = {special.start_of_previous,
                                        65,
                                        66,
                                        special.start_of_transcript,
                                        *special.language_token("de"),
                                        special.translate,
                                        special.no_timestamps};
  for (size_t i = 0; i < 3; ++i) {
    const CandidateScore& score = scores[i];
    EXPECT_EQ(score.text, candidates[i]);
    EXPECT_NEAR(score.logprob, plain_logprob(*model, prompt, score.tokens), 1e-3);
    EXPECT_NEAR(score.avg_logprob, score.logprob / static_cast<double>(score.tokens.size() + 1),
                1e-9);
  }
  EXPECT_TRUE(scores[2].tokens.empty());
}

SUSURRUS_TEST(candidates_are_scored_in_the_language_that_is_heard) {
  auto model = model_with_window(101);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  options.allowed_languages = {"de"};
  const auto heard = scored(*model, options, {"one"}, "de");
  options.language = "de";
  const auto given = scored(*model, options, {"one"}, "de");
  ASSERT_TRUE(heard.size() == 1 && given.size() == 1);
  EXPECT_EQ(heard[0].logprob, given[0].logprob);
}

SUSURRUS_TEST(candidates_that_cannot_be_scored_are_refused) {
  auto model = model_with_window(102);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  options.language = "en";
  for (const std::vector<std::string>& candidates :
       {std::vector<std::string>{}, {"one", std::string(150, 'x')}}) {
    auto refused = CandidateScorer::create(*model, options, candidates);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(refused.error().subject.view(), "candidates");
  }
  // 150 positions, 4 of them the prompt's.
  EXPECT_TRUE(CandidateScorer::create(*model, options, {std::string(145, 'x')}).has_value());
  EXPECT_FALSE(CandidateScorer::create(*model, options, {std::string(146, 'x')}).has_value());
}

}  // namespace susurrus::testing::candidate_scorer_test
