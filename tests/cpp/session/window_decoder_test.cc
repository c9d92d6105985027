// One attempt at one window, on small random models: every way of searching, its limits, and what it leaves behind.
#include "session/window_decoder.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "decode/log_probability.h"
#include "decode/repetition.h"
#include "session/allocation_count.h"
#include "text/white_space.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::window_decoder_test {
namespace {

std::unique_ptr<WhisperModel> model_with_window(uint64_t seed, bool is_multilingual = true) {
  RandomModel random = random_model(kOddDimensions, seed, Dtype::f32, Dtype::f32, is_multilingual);
  auto model = make_model(random, default_kernels());
  if (model) fill_mel(*model, seed);
  return model;
}

DecodeOptions in_english() {
  DecodeOptions options;
  options.language = "en";
  options.break_loops = false;
  return options;
}

WindowResult decoded(WhisperModel& model, const DecodeOptions& options,
                     WindowDecoder::Encoding encoding = WindowDecoder::Encoding::needed) {
  auto decoder = WindowDecoder::create(model, options, encoding);
  if (!decoder) {
    report_failure(__FILE__, __LINE__, std::string(decoder.error().subject.view()));
    return {};
  }
  for (bool is_done = false; !is_done;) {
    auto step = (*decoder)->step();
    if (!EXPECT_TRUE(step.has_value())) return {};
    is_done = *step;
  }
  return (*decoder)->result();
}

void expect_refused(WhisperModel& model, const DecodeOptions& options, std::string_view subject) {
  auto refused = WindowDecoder::create(model, options);
  if (!EXPECT_FALSE(refused.has_value())) return;
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().subject.view(), subject);
}

struct Search {
  const char* name;
  DecodeOptions options;
  size_t sequences;
};
std::vector<Search> searches() {
  DecodeOptions beam = in_english();
  beam.beam_size = 5;
  beam.patience = 1.5;
  DecodeOptions samples = in_english();
  samples.temperature = 0.5;
  samples.best_of = 4;
  return {{"greedy", in_english(), 1}, {"beam", beam, 5}, {"samples", samples, 4}};
}

}  // namespace

SUSURRUS_TEST(window_options_that_exclude_each_other_are_refused_before_any_work) {
  auto model = model_with_window(50);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options = in_english();
  options.best_of = 2;
  expect_refused(*model, options, "bestOf");  // at temperature 0
  options.beam_size = 2;
  expect_refused(*model, options, "bestOf");
  options = in_english();
  options.patience = 1;
  expect_refused(*model, options, "patience");
  options = in_english();
  options.suppress_tokens = {-1, 1790};
  expect_refused(*model, options, "suppressTokens");
  options = in_english();
  options.language = "fr";
  expect_refused(*model, options, "language");
  options.language = "auto";
  options.allowed_languages = {"fr"};
  expect_refused(*model, options, "languages");
  options = in_english();
  options.temperature = 1.5;
  expect_refused(*model, options, "temperature");
  options = in_english();
  options.allowed = {" "};
  expect_refused(*model, options, "allowed");
}

SUSURRUS_TEST(every_search_ends_with_tokens_of_which_it_tells_the_probability) {
  auto model = model_with_window(51);
  ASSERT_TRUE(model != nullptr);
  for (const Search& search : searches()) {
    const WindowResult result = decoded(*model, search.options);
    EXPECT_FALSE(result.tokens.empty());
    EXPECT_LE(result.tokens.size(), 75u);
    ASSERT_EQ(result.token_logprobs.size(), result.tokens.size());
    double sum = 0;
    for (float logprob : result.token_logprobs) {
      EXPECT_LE(logprob, 0.0f);
      sum += logprob;
    }
    // What is not theirs is the end's.
    EXPECT_LE(result.avg_logprob * static_cast<double>(result.tokens.size() + 1), sum + 1e-3);
    EXPECT_EQ(result.temperature, search.options.temperature);
    EXPECT_EQ(result.language.view(), "en");
    EXPECT_TRUE(model->special_tokens().is_timestamp(result.tokens[0]));
    EXPECT_TRUE(result.no_speech_prob > 0 && result.no_speech_prob < 1);
  }
}

SUSURRUS_TEST(greedy_tokens_are_the_most_probable_ones_step_by_step) {
  auto model = model_with_window(52);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options = in_english();
  options.timestamps = false;
  options.suppress_tokens.emplace();
  options.suppress_blank = false;
  options.prompt = {70, 71};
  options.prefix = {72, 73};
  options.sample_length = 9;
  const WindowResult result = decoded(*model, options);
  const SpecialTokens& special = model->special_tokens();
  std::vector<uint32_t> tokens = {special.start_of_previous,
                                  70,
                                  71,
                                  special.start_of_transcript,
                                  *special.language_token("en"),
                                  special.transcribe,
                                  special.no_timestamps};
  const size_t head = 4;
  model->reset_decoder();
  auto at_head = model->decode(std::span(tokens).first(head));
  ASSERT_TRUE(at_head.has_value());
  EXPECT_EQ(softmax_probability(model->kernels(), *at_head, special.no_speech),
            result.no_speech_prob);

  // The prefix: the last 75 - 9 tokens of it, which is both.
  tokens.insert(tokens.end(), {72, 73});
  for (size_t i = 0; i < result.tokens.size(); ++i) {
    model->reset_decoder();
    auto logits = model->decode(tokens);
    ASSERT_TRUE(logits.has_value());
    // Ids without text are never chosen.
    for (size_t id = special.end(); id < logits->size(); ++id) (*logits)[id] = -INFINITY;
    EXPECT_EQ(largest_logit(model->kernels(), *logits).token, result.tokens[i]);
    EXPECT_NEAR((*logits)[result.tokens[i]] - log_sum_exp(model->kernels(), *logits),
                result.token_logprobs[i], 1e-4);
    tokens.push_back(result.tokens[i]);
  }
  EXPECT_LE(result.tokens.size(), 9u);
}

SUSURRUS_TEST(one_beam_is_greedy_and_more_are_no_worse) {
  for (uint64_t seed : {53, 54, 55}) {
    auto model = model_with_window(seed);
    ASSERT_TRUE(model != nullptr);
    DecodeOptions options = in_english();
    const WindowResult greedy = decoded(*model, options);
    options.beam_size = 1;
    EXPECT_TRUE(decoded(*model, options, WindowDecoder::Encoding::done).tokens == greedy.tokens);
  }
}

SUSURRUS_TEST(samples_are_the_seeds) {
  auto model = model_with_window(56);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options = in_english();
  options.temperature = 1;
  options.seed = 7;
  const WindowResult first = decoded(*model, options);
  EXPECT_TRUE(decoded(*model, options).tokens == first.tokens);
  options.seed = 8;
  EXPECT_FALSE(decoded(*model, options).tokens == first.tokens);
  // With several samples the first is the same, and the best is no worse.
  options.seed = 7;
  options.best_of = 5;
  const WindowResult best = decoded(*model, options);
  auto mean = [](const WindowResult& result) {
    const auto count = static_cast<double>(result.tokens.size());
    return result.avg_logprob * (count + 1) / count;
  };
  EXPECT_GE(mean(best), mean(first) - 1e-4);
  EXPECT_FALSE(best.tokens == first.tokens);
}

SUSURRUS_TEST(a_window_is_decoded_again_without_encoding) {
  auto model = model_with_window(57);
  ASSERT_TRUE(model != nullptr);
  for (const Search& search : searches()) {
    fill_mel(*model, 57);
    const WindowResult first = decoded(*model, search.options);
    std::ranges::fill(model->mel_window(), 0.0f);
    const WindowResult again = decoded(*model, search.options, WindowDecoder::Encoding::done);
    EXPECT_TRUE(again.tokens == first.tokens);
    EXPECT_EQ(again.avg_logprob, first.avg_logprob);
  }
}

SUSURRUS_TEST(a_language_is_chosen_among_those_allowed) {
  auto model = model_with_window(58);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options;
  const WindowResult free = decoded(*model, options);
  EXPECT_TRUE(free.language.view() == "en" || free.language.view() == "de");
  const char* other = free.language.view() == "en" ? "de" : "en";
  options.allowed_languages = {other};
  const WindowResult result = decoded(*model, options);
  EXPECT_EQ(result.language.view(), other);
  options = DecodeOptions();
  options.language = other;
  EXPECT_TRUE(decoded(*model, options).tokens == result.tokens);
}

SUSURRUS_TEST(no_timestamp_lies_past_the_content) {
  for (uint64_t seed : {60, 61}) {
    auto model = model_with_window(seed);
    ASSERT_TRUE(model != nullptr);
    const uint32_t zero = model->special_tokens().timestamp_begin;
    for (uint64_t frames : {0, 1, 7, 40, 74, 3000}) {
      for (Search& search : searches()) {
        search.options.content_frames = frames;
        const WindowResult result = decoded(*model, search.options);
        const auto last = static_cast<uint32_t>(std::min<uint64_t>(frames, 74) / 2);
        for (uint32_t token : result.tokens) EXPECT_LE(token, zero + last);
        EXPECT_EQ(result.tokens.empty(), last == 0);
      }
    }
  }
}

SUSURRUS_TEST(loops_are_cut_back_to_their_first_round) {
  auto model = model_with_window(70);
  ASSERT_TRUE(model != nullptr);
  for (Search& search : searches()) {
    search.options.timestamps = false;
    // Nothing else is worth hearing.
    search.options.hotwords = {{"two", 20}};
    const WindowResult whole = decoded(*model, search.options);
    EXPECT_FALSE(whole.is_loop_broken);
    ASSERT_TRUE(find_repetition(whole.tokens, model->tokenizer()).has_value());
    search.options.break_loops = true;
    const WindowResult cut = decoded(*model, search.options);
    EXPECT_TRUE(cut.is_loop_broken);
    EXPECT_FALSE(find_repetition(cut.tokens, model->tokenizer()).has_value());
    EXPECT_LT(cut.tokens.size(), 10u);
    EXPECT_TRUE(cut.text.ends_with("two"));
    ASSERT_EQ(cut.token_logprobs.size(), cut.tokens.size());
    double sum = 0;
    for (float logprob : cut.token_logprobs) sum += logprob;
    EXPECT_NEAR(cut.avg_logprob, sum / static_cast<double>(cut.tokens.size() + 1), 1e-5);
  }
}

SUSURRUS_TEST(text_may_be_restricted_to_phrases) {
  auto model = model_with_window(80);
  ASSERT_TRUE(model != nullptr);
  for (bool timestamps : {false, true}) {
    for (Search& search : searches()) {
      for (bool break_loops : {false, true}) {
        search.options.allowed = {"one", "two two", "(3)"};  // "(" and ")" are suppressed otherwise
        search.options.timestamps = timestamps;
        search.options.break_loops = break_loops;
        const WindowResult result = decoded(*model, search.options);
        std::string text = " " + result.text;
        for (const char* phrase : {" two two", " one", " (3)", "two two", "one", "(3)"}) {
          for (size_t at; (at = text.find(phrase)) != std::string::npos;) {
            text.erase(at, std::string_view(phrase).size());
          }
        }
        EXPECT_EQ(strip_white_space(text), "");
      }
    }
  }
}

SUSURRUS_TEST(hotwords_are_heard_rather_than_others) {
  auto model = model_with_window(81);
  ASSERT_TRUE(model != nullptr);
  DecodeOptions options = in_english();
  options.timestamps = false;
  EXPECT_TRUE(decoded(*model, options).text.find("two") == std::string::npos);
  options.hotwords = {{"two", 20}};
  EXPECT_FALSE(decoded(*model, options).text.find("two") == std::string::npos);
}

SUSURRUS_TEST(no_search_allocates_in_its_token_loop) {
  // The counter counts at all. (A call, unlike a new-expression, is not optimised away.)
  const uint64_t earlier = allocation_count();
  ::operator delete(::operator new(64));
  ASSERT_EQ(allocation_count(), earlier + 1);

  auto model = model_with_window(82);
  ASSERT_TRUE(model != nullptr);
  for (Search& search : searches()) {
    search.options.prompt = std::vector<uint32_t>(200, 65);
    search.options.break_loops = true;
    search.options.hotwords = {{"two", 1}};
    search.options.content_frames = 70;
    auto decoder = WindowDecoder::create(*model, search.options);
    ASSERT_TRUE(decoder.has_value());
    uint64_t allocations = 0;
    size_t tokens = 0;
    for (size_t last_position = 0;;) {
      const uint64_t before = allocation_count();
      auto is_done = (*decoder)->step();
      ASSERT_TRUE(is_done.has_value());
      if (*is_done) break;
      const size_t position = model->decoder_position();
      // The prompt has 75 + 3 tokens; from the second token of the window's own on, the loop is under way.
      if (position > 79) {
        allocations += allocation_count() - before;
        tokens += position != last_position;
        last_position = position;
      }
    }
    EXPECT_GT(tokens, 20u);
    EXPECT_EQ(allocations, 0u);
  }
}

SUSURRUS_TEST(a_hundred_windows_leave_no_memory_behind) {
  auto model = model_with_window(84);
  ASSERT_TRUE(model != nullptr);
  auto encoding = WindowDecoder::Encoding::needed;
  int64_t live = 0;
  for (size_t i = 0; i < 100; ++i) {
    const Search search = searches()[i % 3];
    {
      auto decoder = WindowDecoder::create(*model, search.options, encoding);
      ASSERT_TRUE(decoder.has_value());
      encoding = WindowDecoder::Encoding::done;
      // Every other one is given up.
      for (size_t step = 0; i % 2 == 0 || step < 50; ++step) {
        auto is_done = (*decoder)->step();
        ASSERT_TRUE(is_done.has_value());
        if (*is_done) break;
      }
    }
    if (i == 0) live = live_allocation_count();
    EXPECT_EQ(live_allocation_count(), live);
  }
}

SUSURRUS_TEST(a_decoder_given_up_leaves_the_model_to_the_next) {
  auto model = model_with_window(83);
  ASSERT_TRUE(model != nullptr);
  std::vector<WindowResult> expected;
  for (const Search& search : searches()) expected.push_back(decoded(*model, search.options));
  for (size_t steps : {1, 20, 100}) {
    for (const Search& given_up : searches()) {
      auto decoder = WindowDecoder::create(*model, given_up.options);
      ASSERT_TRUE(decoder.has_value());
      for (size_t i = 0; i < steps; ++i) EXPECT_TRUE((*decoder)->step().has_value());
      std::move(decoder).value().reset();
      size_t i = 0;
      for (const Search& search : searches()) {
        EXPECT_TRUE(decoded(*model, search.options).tokens == expected[i++].tokens);
      }
    }
  }
}

}  // namespace susurrus::testing::window_decoder_test
