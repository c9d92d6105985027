// Words of a known text placed in an encoded window. That the places equal the reference's is for the goldens to show.
#include "session/word_aligner.h"

#include <algorithm>
#include <cmath>

#include "session/allocation_count.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::word_aligner_test {
namespace {

using Heads = std::vector<std::pair<uint32_t, uint32_t>>;

constexpr uint64_t kFrames = 2 * kOddDimensions.n_audio_ctx;
const std::vector<uint32_t> kText = {' ', 'H', 'i', ',', ' ', 'y', 'o', 'u', ' ', '4', '2', '!'};

/// Two layers of three heads; with something encoded, unless asked not to.
std::unique_ptr<WhisperModel> model_with(const Heads& heads, bool is_encoded = true,
                                         bool is_multilingual = true) {
  RandomModel random = random_model(kOddDimensions, 31, Dtype::f32, Dtype::f32, is_multilingual);
  random.store.metadata().whisper()->alignment_heads = heads;
  auto model = make_model(random, default_kernels());
  fill_mel(*model, 32);
  if (is_encoded) encode(*model);
  return model;
}

std::vector<WordTiming> align(WhisperModel& model, std::span<const uint32_t> text = kText,
                              uint64_t frame_count = kFrames, std::string_view language = "en") {
  auto aligner = WordAligner::create(model, language, Task::transcribe, text, frame_count);
  if (!EXPECT_TRUE(aligner.has_value())) return {};
  for (size_t steps = 0; EXPECT_LT(steps, 1000u); ++steps) {
    auto is_done = (*aligner)->step();
    if (!EXPECT_TRUE(is_done.has_value()) || *is_done) break;
  }
  return (*aligner)->words();
}

std::string joined(const std::vector<WordTiming>& words) {
  std::string text;
  for (const WordTiming& word : words) text += (text.empty() ? "" : "|") + word.word;
  return text;
}

bool have_equal_times(const std::vector<WordTiming>& a, const std::vector<WordTiming>& b) {
  return std::ranges::equal(a, b, [](const WordTiming& x, const WordTiming& y) {
    return x.start == y.start && x.end == y.end;
  });
}

ErrorCode error_of(WhisperModel& model, const std::vector<uint32_t>& text) {
  auto aligner = WordAligner::create(model, "en", Task::transcribe, text, kFrames);
  return aligner ? ErrorCode::ok : aligner.error().code;
}

}  // namespace

SUSURRUS_TEST(words_follow_each_other_from_the_beginning) {
  auto model = model_with({});
  const std::vector<WordTiming> words = align(*model);
  EXPECT_EQ(joined(words), " Hi|,| you| 42|!");
  std::vector<uint32_t> tokens;
  double end = 0;
  for (const WordTiming& word : words) {
    tokens.insert(tokens.end(), word.tokens.begin(), word.tokens.end());
    EXPECT_EQ(word.start, end);
    EXPECT_GE(word.end, word.start);
    end = word.end;
  }
  EXPECT_TRUE(tokens == kText);
  EXPECT_LE(end, (kOddDimensions.n_audio_ctx - 1) / 50.0);
  EXPECT_EQ(joined(align(*model, kText, kFrames, "de")), joined(words));
}

SUSURRUS_TEST(a_words_probability_is_the_mean_of_its_tokens_among_text) {
  auto model = model_with({});
  const std::vector<WordTiming> words = align(*model);
  const SpecialTokens& special = model->special_tokens();
  std::vector<uint32_t> next = {special.start_of_transcript, *special.language_token("en"),
                                special.transcribe, special.no_timestamps};
  model->reset_decoder();
  for (const WordTiming& word : words) {
    double sum = 0;
    for (uint32_t token : word.tokens) {
      auto logits = model->decode(next);
      ASSERT_TRUE(logits.has_value());
      double total = 0;
      for (float logit : logits->first(special.end_of_text)) total += std::exp(double{logit});
      sum += std::exp(double{(*logits)[token]}) / total;
      next = {token};
    }
    EXPECT_NEAR(word.probability, sum / double(word.tokens.size()), 1e-5);
  }
}

SUSURRUS_TEST(heads_that_are_not_there_are_dropped) {
  const Heads upper_half = {{1, 0}, {1, 1}, {1, 2}};
  auto by_default = model_with({});
  auto listed = model_with(upper_half);
  auto strange = model_with({{7, 0}, {0, 3}});
  auto repeated = model_with({{1, 2}, {1, 1}, {9, 9}, {1, 0}, {1, 1}});
  const std::vector<WordTiming> words = align(*listed);
  for (WhisperModel* model : {by_default.get(), strange.get(), repeated.get()}) {
    EXPECT_TRUE(have_equal_times(align(*model), words));
  }
  auto other = model_with({{0, 1}});
  EXPECT_FALSE(have_equal_times(align(*other), words));
}

SUSURRUS_TEST(words_lie_within_the_frames_that_have_content) {
  auto model = model_with({});
  for (uint64_t frames : {2u, 3u, 11u, 40u}) {
    for (const WordTiming& word : align(*model, kText, frames)) {
      EXPECT_LE(word.end, (double(frames) / 2 - 1) / 50);
    }
  }
  // More than the window has count as the window.
  EXPECT_TRUE(have_equal_times(align(*model, kText, 9 * kFrames), align(*model)));
  // Without a single position every word is put before the beginning, as the reference does it.
  for (const WordTiming& word : align(*model, kText, 1)) EXPECT_EQ(word.end, -0.02);
}

SUSURRUS_TEST(text_that_cannot_be_aligned_is_an_error) {
  auto model = model_with({});
  const SpecialTokens& special = model->special_tokens();
  EXPECT_EQ(error_of(*model, {'a', special.end_of_text}), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(*model, {special.timestamp_begin}), ErrorCode::invalid_argument);
  // Four tokens stand before the text, one after it.
  const size_t room = kOddDimensions.n_text_ctx - 5;
  EXPECT_EQ(error_of(*model, std::vector<uint32_t>(room + 1, 'a')), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(*model, std::vector<uint32_t>(room, 'a')), ErrorCode::ok);
  EXPECT_TRUE(align(*model, {}).empty());

  auto silent = model_with({}, false);
  EXPECT_EQ(error_of(*silent, kText), ErrorCode::wrong_state);
}

SUSURRUS_TEST(a_model_of_english_alone_needs_no_language) {
  auto model = model_with({}, true, false);
  EXPECT_EQ(joined(align(*model, kText, kFrames, "")), " Hi|,| you| 42|!");
  EXPECT_EQ(joined(align(*model, kText, kFrames, "en")), " Hi|,| you| 42|!");
}

SUSURRUS_TEST(steps_of_an_alignment_do_not_allocate) {
  auto model = model_with({});
  auto aligner = WordAligner::create(*model, "en", Task::transcribe, kText, kFrames);
  ASSERT_TRUE(aligner.has_value());
  uint64_t last_step_began = 0;
  const uint64_t before = allocation_count();
  for (bool is_done = false; !is_done;) {
    last_step_began = allocation_count();
    auto step = (*aligner)->step();
    ASSERT_TRUE(step.has_value());
    is_done = *step;
  }
  // The last one makes the words.
  EXPECT_EQ(last_step_began, before);
}

}  // namespace susurrus::testing::word_aligner_test
