// BW2L models from samples to words: in chunks and in one piece, and what has to be rejected (bw2l.md §4, 27, 33, 34).
#include "families/acoustic/acoustic_session.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "families/acoustic/read_texts.h"
#include "families/acoustic/small_acoustic.h"
#include "harness.h"

namespace susurrus::testing::acoustic_session_test {
namespace {

/// 1 kHz, frames of 20 samples every 10, normalised around each; no layers yet.
SmallAcoustic local_mfsc() {
  SmallAcoustic small;
  small.flag("samplerate", "1000").flag("framesizems", "20").flag("mfsc", "true");
  small.flag("filterbanks", "4").flag("criterion", "ctc");
  small.flag("localnrmlleftctx", "30").flag("localnrmlrightctx", "5");
  return small;
}

/// Convolutions with strides, blocks and norms of each frame, to 4 tokens.
SmallAcoustic strided(SmallAcoustic small) {
  small.add("V -1 NFEAT 1 0").add("PD 0.5 4 1").add("C2 1 2 5 1 2 1", {10, 2}).add("R");
  small.add("LN 1 2", {1, 1}).add("TDS 2 3 4 0 0 1 0", {12, 2, 1, 1, 64, 8, 64, 8, 1, 1});
  small.add("C 2 2 3 3 1", {12, 2}).add("TDS 2 3 4 0 0 -1 0", {12, 2, 1, 1, 64, 8, 64, 8, 1, 1});
  small.add("V 0 8 1 0").add("RO 1 0 3 2").add("WN 0 L 8 NLABEL", {32, 4, 4});
  return small;
}

/// Emissions in chunks and pieces are those of one chunk; returns the latter.
SessionRun expect_same_in_chunks(const SmallAcoustic& small, const std::vector<float>& samples) {
  const auto model = small.make();
  if (!EXPECT_TRUE(model.has_value())) return {};
  EXPECT_TRUE((*model)->is_network_limited());
  auto whole = run_session(**model, samples);
  if (!EXPECT_TRUE(whole.has_value())) return {};
  for (const double chunk : {0.001, 0.05, 0.33, 1.0}) {
    for (const size_t piece : {size_t{37}, size_t{1000}, samples.size()}) {
      const auto run = run_session(**model, samples, chunk, piece, 100);
      if (!EXPECT_TRUE(run.has_value())) return {};
      if (!EXPECT_EQ(run->emissions.size(), whole->emissions.size())) return {};
      double worst = 0;
      for (size_t i = 0; i < run->emissions.size(); ++i) {
        worst = std::max(worst, std::fabs(static_cast<double>(run->emissions[i]) -
                                          static_cast<double>(whole->emissions[i])));
      }
      EXPECT_LT(worst, 1e-5);
      EXPECT_EQ(run->result.text, whole->result.text);
    }
  }
  return std::move(*whole);
}

void expect_refused(const SmallAcoustic& small, const std::vector<float>& samples, ErrorCode code,
                    std::string_view subject, std::string_view expected) {
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  for (const double chunk : {0.01, 3600.0}) {
    const auto run = run_session(**model, samples, chunk, 100);
    ASSERT_FALSE(run.has_value());
    EXPECT_TRUE(run.error().code == code);
    EXPECT_EQ(run.error().subject.view(), subject);
    EXPECT_EQ(run.error().expected.view(), expected);
  }
}

/// Raw samples become scores: of "a" above 0, of "b" below it, of the fourth token near it. 100 frames per second.
SmallAcoustic sign_reader(const char* criterion) {
  SmallAcoustic small;
  small.flag("samplerate", "100").flag("criterion", criterion);
  small.add("RO 1 0 2 3").add_values("L 1 4", {{0, 4, -4, 0}, {-9, 0, 0, 1}});
  if (std::string_view(criterion) == "asg") small.tokens = {"|", "a", "b", "c"};
  return small;
}

}  // namespace

SUSURRUS_TEST(acoustic_emissions_in_chunks_are_those_of_the_whole) {
  const SmallAcoustic local = strided(local_mfsc());
  const auto model = local.make();
  ASSERT_TRUE(model.has_value());
  EXPECT_TRUE((*model)->is_limited());
  EXPECT_EQ((*model)->timing().stride, 6.0);
  EXPECT_NEAR((*model)->seconds_per_frame(), 0.06, 1e-9);
  EXPECT_NEAR((*model)->right_context_seconds(), 0.01 * ((*model)->timing().last + 5) + 0.02, 1e-9);
  for (const size_t count : {3000u, 3007u, 3030u, 200u}) {
    const SessionRun run = expect_same_in_chunks(local, drawn_samples(count));
    EXPECT_TRUE(run.emissions.size() >= 4 * (count / 60 - 1));
  }
  // Deltas look further.
  SmallAcoustic deltas = local_mfsc();
  deltas.flag("devwin", "2");
  deltas.add("V -1 NFEAT 1 0").add("C2 1 1 1 12 1 1", {12, 1}).add("C 1 4 4 2", {16, 4});
  deltas.add("V 0 4 1 0").add("RO 1 0 2 3");
  EXPECT_FALSE(expect_same_in_chunks(deltas, drawn_samples(2500)).emissions.empty());
}

SUSURRUS_TEST(acoustic_recordings_that_are_normalised_as_a_whole_run_in_chunks_at_their_end) {
  SmallAcoustic whole;
  whole.flag("samplerate", "1000").flag("mfcc", "true").flag("framesizems", "20");
  whole.flag("filterbanks", "9").flag("mfcccoeffs", "4").flag("criterion", "ctc");
  const SmallAcoustic small = strided(whole);
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  EXPECT_FALSE((*model)->is_limited());
  EXPECT_EQ((*model)->right_context_seconds(), std::numeric_limits<double>::infinity());
  expect_same_in_chunks(small, drawn_samples(3000));
  // And of raw samples.
  SmallAcoustic raw;
  raw.flag("samplerate", "1000").flag("criterion", "ctc").flag("channels", "2");
  raw.add("RO 0 2 1 3").add("C 2 4 7 5 3", {56, 4}).add("V 0 4 1 0").add("RO 1 0 2 3");
  expect_same_in_chunks(raw, drawn_samples(2002));
}

SUSURRUS_TEST(acoustic_networks_whose_padding_follows_from_the_length_see_the_whole) {
  for (const char* line : {"C 1 4 4 2 -1", "AC 1 4 4 2 1 1", "M 4 1 2 1 -1 0"}) {
    SmallAcoustic small = local_mfsc();
    const bool has_weights = line[0] != 'M';
    small.add("V -1 1 1 0");
    small.add(line, has_weights ? std::vector<size_t>{16, 4} : std::vector<size_t>{});
    if (!has_weights) small.add("C 1 4 1 1", {4, 4});
    small.add("V 0 4 1 0").add("RO 1 0 2 3");
    const auto model = small.make();
    ASSERT_TRUE(model.has_value());
    EXPECT_FALSE((*model)->is_network_limited());
    EXPECT_FALSE((*model)->is_limited());
    const auto run = run_session(**model, drawn_samples(1000), 0.05, 100);
    ASSERT_TRUE(run.has_value());
    EXPECT_EQ(run->before.size(), 1u);
  }
}

SUSURRUS_TEST(acoustic_words_come_with_times_and_confidences) {
  SmallAcoustic small = sign_reader("ctc");
  small.tokens = {"|", "a", "b", "#"};
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  std::vector<float> samples(40);
  for (const size_t i : {4, 5, 10, 11, 12, 13}) samples[i] = 1;
  for (const size_t i : {20, 21, 22, 23, 24, 25}) samples[i] = -1;
  const auto run = run_session(**model, samples);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->result.text, "aab");
  ASSERT_EQ(run->result.words.size(), 1u);
  EXPECT_EQ(run->result.final_word_count, 1u);
  EXPECT_NEAR(run->result.words[0].start, 0.04, 1e-9);
  EXPECT_NEAR(run->result.words[0].end, 0.26, 1e-9);
  ASSERT_EQ(run->result.tokens.size(), 3u);
  EXPECT_EQ((*model)->tokens().name(run->result.tokens[2].token), "b");
  EXPECT_NEAR(run->result.tokens[2].start, 0.20, 1e-9);
  EXPECT_NEAR(run->result.tokens[2].end, 0.26, 1e-9);
  // Samples are divided by their deviation, √(12 / 40).
  const double score = 4 / std::sqrt(0.3);
  const double total = std::exp(score) + std::exp(-score) + std::exp(1) + std::exp(-9);
  EXPECT_NEAR(run->result.tokens[0].confidence, std::exp(score) / total, 1e-5);
  EXPECT_LT(run->result.words[0].confidence, run->result.tokens[0].confidence);
}

SUSURRUS_TEST(acoustic_words_become_final_when_another_sound_follows) {
  SmallAcoustic small;
  small.flag("samplerate", "100").flag("criterion", "ctc");
  small.flag("localnrmlleftctx", "1").flag("localnrmlrightctx", "1");
  // A token for each: rising "a", falling "|", else the blank.
  small.tokens = {"|", "a", "#"};
  small.add("RO 1 0 2 3").add_values("L 1 3", {{-4, 4, 0}, {0, 0, 1}});
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  EXPECT_TRUE((*model)->is_limited());
  std::vector<float> samples(60);
  samples[10] = samples[40] = 1;
  const auto run = run_session(**model, samples, 0.01, 1, 10);
  ASSERT_TRUE(run.has_value());
  size_t most = 0;
  for (const AcousticResult& result : run->before) {
    EXPECT_GE(result.final_word_count, most);
    EXPECT_LE(result.final_word_count, result.words.size());
    most = result.final_word_count;
    for (size_t i = 0; i < most; ++i) EXPECT_EQ(result.words[i].text, run->result.words[i].text);
  }
  EXPECT_EQ(run->result.text, "a a");
  EXPECT_EQ(most, 2u);
  EXPECT_TRUE(std::ranges::any_of(run->before, [](const AcousticResult& result) {
    return result.words.size() == 1 && result.final_word_count == 1;
  }));
}

SUSURRUS_TEST(acoustic_transitions_decide_between_tokens) {
  SmallAcoustic small = sign_reader("asg");
  std::vector<float> transitions(16);
  // Nothing leads to c but c.
  for (size_t from = 0; from < 3; ++from) transitions[3 * 4 + from] = -100;
  small.transitions(transitions);
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  std::vector<float> samples(20);
  samples[2] = samples[3] = 1;
  samples[12] = -1;
  const auto run = run_session(**model, samples);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->result.text, "cab");
}

SUSURRUS_TEST(acoustic_words_of_a_lexicon_have_the_times_of_their_letters) {
  SmallAcoustic small = sign_reader("ctc");
  small.tokens = {"|", "a", "b", "#"};
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  const auto vocabulary = vocabulary_of((*model)->tokens(), {}, "ab a b\nbb b b\n", "");
  ASSERT_TRUE(vocabulary.has_value());
  std::vector<float> samples(40);
  for (const size_t i : {4, 5}) samples[i] = 1;
  for (const size_t i : {20, 21, 22, 30}) samples[i] = -1;
  samples[16] = -1;
  const BeamOptions beam{.word_score = -5};
  const auto run = run_session(**model, samples, 0.05, 7, 1000, vocabulary->get(), beam);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->result.text, "ab bb");
  ASSERT_EQ(run->result.words.size(), 2u);
  EXPECT_EQ(run->result.final_word_count, 2u);
  EXPECT_NEAR(run->result.words[0].start, 0.04, 1e-9);
  EXPECT_NEAR(run->result.words[0].end, 0.17, 1e-9);
  EXPECT_NEAR(run->result.words[1].start, 0.20, 1e-9);
  EXPECT_NEAR(run->result.words[1].end, 0.31, 1e-9);
  EXPECT_GT(run->result.words[1].confidence, 0.3);
  EXPECT_LT(run->result.words[1].confidence, 1.0);
  // One window, searched a frame at a time.
  const auto slow = run_session(**model, samples, 3600, 40, 1, vocabulary->get(), beam);
  ASSERT_TRUE(slow.has_value());
  EXPECT_EQ(slow->result.text, "ab bb");
  EXPECT_GE(slow->step_count, 40 + run_session(**model, samples, 3600, 40)->step_count);
  // Free tokens write what the best path writes.
  const auto free = vocabulary_of((*model)->tokens(), {}, "", "");
  ASSERT_TRUE(free.has_value());
  const auto spelt = run_session(**model, samples, 0.05, 7, 1000, free->get());
  const auto greedy = run_session(**model, samples);
  ASSERT_TRUE(spelt.has_value() && greedy.has_value());
  EXPECT_EQ(spelt->result.text, greedy->result.text);
  EXPECT_NEAR(spelt->result.words[0].end, greedy->result.words[0].end, 1e-9);
}

SUSURRUS_TEST(acoustic_memory_does_not_grow_with_a_limited_recording) {
  const auto model = strided(local_mfsc()).make();
  ASSERT_TRUE(model.has_value());
  const auto one = run_session(**model, drawn_samples(5000), 0.3, 200);
  const auto ten = run_session(**model, drawn_samples(50000), 0.3, 200);
  ASSERT_TRUE(one.has_value() && ten.has_value());
  EXPECT_LE(ten->byte_count, one->byte_count + 1000);
}

SUSURRUS_TEST(bw2l_case_27_outputs_that_are_not_as_many_as_tokens) {
  SmallAcoustic small = local_mfsc();
  small.add("V -1 4 1 0").add("RO 1 0 2 3").add("L 4 5", {20, 5});
  const auto model = small.make();
  ASSERT_FALSE(model.has_value());
  EXPECT_TRUE(model.error().code == ErrorCode::malformed);
  EXPECT_EQ(model.error().subject.view(), "tokens");
  EXPECT_EQ(model.error().expected.view(), "5, the outputs of the network");
  EXPECT_EQ(model.error().got.view(), "4");
}

SUSURRUS_TEST(bw2l_case_30_transitions_that_do_not_fit) {
  const auto missing = sign_reader("asg").make();
  ASSERT_FALSE(missing.has_value());
  for (const size_t count : {9u, 15u}) {
    const auto model = sign_reader("asg").transitions(std::vector<float>(count)).make();
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().subject.view(), "transitions");
  }
  const auto model = sign_reader("asg").transitions(std::vector<float>(16, NAN)).make();
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().expected.view(), "numbers, or minus infinity");
}

SUSURRUS_TEST(bw2l_case_33_recordings_that_are_too_short) {
  const SmallAcoustic small = strided(local_mfsc());
  expect_refused(small, {}, ErrorCode::shape_mismatch, "recording", "20 samples or more");
  expect_refused(small, drawn_samples(19), ErrorCode::shape_mismatch, "recording",
                 "20 samples or more");
  SmallAcoustic wide = local_mfsc();
  wide.add("V -1 1 4 0").add("C 4 4 9 1", {144, 4}).add("V 0 4 1 0").add("RO 1 0 2 3");
  // 8 frames.
  expect_refused(wide, drawn_samples(99), ErrorCode::shape_mismatch,
                 "layers[1] (C 4 4 9 1) (convolution): input 0", "a longer recording");
  const auto model = wide.make();
  ASSERT_TRUE(model.has_value());
  const auto run = run_session(**model, drawn_samples(100));
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->emissions.size(), 4u);
}

SUSURRUS_TEST(bw2l_case_34_emissions_that_are_no_numbers) {
  SmallAcoustic small = local_mfsc();
  small.add("V -1 4 1 0").add("RO 1 0 2 3");
  small.add_values("L 4 4 0", {std::vector<float>(16, NAN)});
  expect_refused(small, drawn_samples(1000), ErrorCode::malformed, "emissions[0]",
                 "finite numbers");
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  ASSERT_EQ((*model)->warnings().size(), 1u);
}

SUSURRUS_TEST(acoustic_sessions_end_with_their_first_error) {
  const auto model = local_mfsc().add("V -1 4 1 0").add("RO 1 0 2 3").make();
  ASSERT_TRUE(model.has_value());
  auto session = AcousticSession::make(**model);
  ASSERT_TRUE(session.has_value());
  (*session)->finish();
  EXPECT_FALSE((*session)->step(1).has_value());
  const auto again = (*session)->step(1);
  ASSERT_FALSE(again.has_value());
  EXPECT_TRUE(again.error().code == ErrorCode::disabled_by_previous_error);
  for (const double chunk : {0.0, -1.0, 3601.0, static_cast<double>(NAN)}) {
    const auto refused = AcousticSession::make(**model, {chunk});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().subject.view(), "chunkSeconds");
  }
}

}  // namespace susurrus::testing::acoustic_session_test
