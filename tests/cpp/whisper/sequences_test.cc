// Sequences that share a prompt and part: each gives the logits it would give alone.
#include <algorithm>

#include "families/whisper/sequence_cache.h"
#include "session/allocation_count.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::sequences_test {
namespace {

using Tokens = std::vector<uint32_t>;

std::vector<float> logits_alone(WhisperModel& model, const Tokens& prompt, const Tokens& own) {
  model.reset_decoder();
  EXPECT_TRUE(model.decode(prompt).has_value());
  for (uint32_t token : own) EXPECT_TRUE(model.decode({&token, 1}).has_value());
  return {model.logits().begin(), model.logits().end()};
}

void step_each(WhisperModel& model, std::span<const uint32_t> tokens) {
  ASSERT_TRUE(model.begin_decode_each(tokens).has_value());
  while (!model.decode_step()) {
  }
}

/// Random forks to as many sequences as `counts` says, one after the other.
void check_sequences(const WhisperDimensions& dimensions, Dtype dtype, size_t prompt_length,
                     const std::vector<size_t>& counts) {
  for (const KernelTable* kernels : compiled_kernels()) {
    RandomModel random_weights = random_model(dimensions, 21, dtype);
    RandomModel same_weights = random_model(dimensions, 21, dtype);
    auto model = make_model(random_weights, *kernels);
    auto single = make_model(same_weights, *kernels);
    ASSERT_TRUE(model != nullptr && single != nullptr);
    const std::vector<double> mel = fill_mel(*model, 3);
    fill_mel(*single, 3);
    encode(*model);
    encode(*single);
    const std::vector<double> audio = exact_encoder(random_weights, mel);
    const Tokens prompt = random_tokens(prompt_length, dimensions.n_vocab);

    const size_t most = *std::max_element(counts.begin(), counts.end());
    ASSERT_TRUE(model->reserve_sequences(most, counts.size()).has_value());
    ASSERT_TRUE(model->decode(prompt).has_value());
    Random random(22);
    std::vector<Tokens> own(1);
    for (size_t count : counts) {
      std::vector<uint32_t> sources;
      Tokens next;
      std::vector<Tokens> forked;
      for (size_t i = 0; i < count; ++i) {
        sources.push_back(static_cast<uint32_t>(random.below(own.size())));
        next.push_back(static_cast<uint32_t>(random.below(dimensions.n_vocab)));
        forked.push_back(own[sources[i]]);
        forked[i].push_back(next[i]);
      }
      own = forked;
      model->fork(sources);
      step_each(*model, next);
      if (current_case_failed()) return;
      EXPECT_EQ(model->decoder_position(), prompt_length + own[0].size());
      for (size_t i = 0; i < count; ++i) {
        const std::vector<float> alone = logits_alone(*single, prompt, own[i]);
        const std::vector<double> expected(alone.begin(), alone.end());
        const double error = relative_error(model->logits(i), expected.data());
        // More than four rows are summed in another order than a row alone, but by the reference.
        EXPECT_LE(error, kernels->variant == Variant::reference || most <= 4 ? 0.0 : 1e-5);
      }
    }
    for (size_t i = 0; i < own.size(); ++i) {
      Tokens all = prompt;
      all.insert(all.end(), own[i].begin(), own[i].end());
      const std::vector<double> exact = exact_decoding(random_weights, audio, all).logits;
      EXPECT_NEAR(
          relative_error(model->logits(i), exact.data() + (all.size() - 1) * dimensions.n_vocab), 0,
          2e-5);
    }
  }
}

/// A model with something encoded, and its prompt read.
std::unique_ptr<WhisperModel> ready_model(const Tokens& prompt) {
  RandomModel random = random_model(kOddDimensions, 23);
  auto model = make_model(random, default_kernels());
  if (!model) return nullptr;
  fill_mel(*model, 3);
  encode(*model);
  EXPECT_TRUE(model->decode(prompt).has_value());
  return model;
}

}  // namespace

SUSURRUS_TEST(sequences_give_the_logits_they_give_alone) {
  check_sequences(kOddDimensions, Dtype::f32, 4, {5, 5, 5, 5, 5, 5, 5, 5});
  check_sequences(kOddDimensions, Dtype::f16, 1, {1, 2, 3, 4, 2, 1, 1, 4});
  check_sequences(kBlockDimensions, Dtype::q8_0, 66, {3, 3, 3, 2});
  check_sequences(kBlockDimensions, Dtype::q4_1, 7, {5, 4, 6});
}

SUSURRUS_TEST(more_sequences_than_planned_rows_of_logits) {
  check_sequences(kOddDimensions, Dtype::f32, 3, {kTraceLogitRows + 1, 3, kTraceLogitRows + 3});
  check_sequences(kOddDimensions, Dtype::f32, 3, {64, 64});
}

SUSURRUS_TEST(sequences_of_a_network_without_layers) {
  WhisperDimensions flat = kOddDimensions;
  flat.n_text_layer = 0;
  check_sequences(flat, Dtype::f32, 3, {2, 3, 3});
}

SUSURRUS_TEST(a_lone_sequence_reads_the_same_bits_either_way) {
  const Tokens prompt = {1, 2, 3};
  auto model = ready_model(prompt);
  ASSERT_TRUE(model != nullptr);
  const std::vector<float> plain = logits_alone(*model, prompt, {4, 5, 6});
  for (size_t reserved : {1, 3}) {
    ASSERT_TRUE(model->reserve_sequences(reserved, 3).has_value());
    model->reset_decoder();
    ASSERT_TRUE(model->decode(prompt).has_value());
    for (uint32_t token : {4, 5, 6}) {
      const uint32_t sources[] = {0};
      model->fork(sources);
      step_each(*model, {&token, 1});
    }
    EXPECT_EQ(model->decoder_position(), 6u);
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), model->logits().begin()));
  }
}

SUSURRUS_TEST(sequences_take_their_memory_once_and_give_it_back) {
  const Tokens prompt = {1, 2, 3};
  auto model = ready_model(prompt);
  ASSERT_TRUE(model != nullptr);
  const MemoryPlan before = model->memory_plan();
  EXPECT_EQ(before.sequence_bytes, 0u);
  ASSERT_TRUE(model->reserve_sequences(5, 20).has_value());
  // Keys and values of 100 tokens in 2 layers of 15 floats, two tables of 100; regions are aligned to 64 bytes.
  EXPECT_EQ(model->memory_plan().sequence_bytes, 100u * 2 * 2 * 15 * 4 + 2 * 100 * 4 + 32);
  EXPECT_EQ(model->memory_plan().kv_cache_bytes, before.kv_cache_bytes);
  EXPECT_EQ(model->memory_plan().activation_bytes, before.activation_bytes);

  // A token's place is known before the loop: nothing is allocated in it.
  const uint32_t spread[] = {0, 0, 0, 0, 0};
  const uint32_t mixed[] = {4, 1, 1, 0, 3};
  const uint32_t next[] = {9, 8, 7, 6, 5};
  const uint64_t allocations = allocation_count();
  model->fork(spread);
  for (int i = 0; i < 20; ++i) {
    step_each(*model, next);
    model->fork(mixed);
  }
  EXPECT_EQ(allocation_count(), allocations);
  // Reserving the same size again takes no more memory.
  ASSERT_TRUE(model->reserve_sequences(5, 20).has_value());
  EXPECT_EQ(allocation_count(), allocations);

  ASSERT_TRUE(model->reserve_sequences(1, 0).has_value());
  EXPECT_EQ(model->memory_plan().sequence_bytes, 0u);
}

SUSURRUS_TEST(sequences_forget_what_they_read_apart_but_not_the_prompt) {
  const Tokens prompt = {1, 2, 3};
  auto model = ready_model(prompt);
  ASSERT_TRUE(model != nullptr);
  ASSERT_TRUE(model->reserve_sequences(2, 4).has_value());
  const uint32_t spread[] = {0, 0};
  const uint32_t next[] = {9, 8};
  std::vector<float> first;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(model->decoder_position(), 3u);
    model->fork(spread);
    step_each(*model, next);
    EXPECT_EQ(model->decoder_position(), 4u);
    const auto logits = model->logits(1);
    if (round == 0) first.assign(logits.begin(), logits.end());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), logits.begin()));
    ASSERT_TRUE(model->reserve_sequences(round == 0 ? 3 : 1, 4).has_value());
  }
  EXPECT_EQ(model->decoder_position(), 3u);
  // One sequence goes on from the prompt.
  const uint32_t token = 8;
  auto alone = model->decode({&token, 1});
  ASSERT_TRUE(alone.has_value());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), alone->begin()));
}

SUSURRUS_TEST(sequences_refuse_what_they_cannot_do) {
  const Tokens prompt = {1, 2, 3};
  auto model = ready_model(prompt);
  ASSERT_TRUE(model != nullptr);
  for (size_t count : {0, 65}) {
    auto status = model->reserve_sequences(count, 5);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(status.error().subject.view(), "sequences");
  }
  EXPECT_FALSE(model->reserve_sequences(2, kOddDimensions.n_text_ctx + 1).has_value());

  ASSERT_TRUE(model->reserve_sequences(2, 1).has_value());
  const uint32_t spread[] = {0, 0};
  const uint32_t next[] = {9, 8};
  const uint32_t beyond[] = {9, kOddDimensions.n_vocab};
  model->fork(spread);
  EXPECT_EQ(model->begin_decode_each(beyond).error().code, ErrorCode::invalid_argument);
  step_each(*model, next);
  // Tokens reserved are used up; and the lone sequence of begin_decode() is no more.
  EXPECT_EQ(model->begin_decode_each(next).error().code, ErrorCode::wrong_state);
  EXPECT_EQ(model->begin_decode(prompt).error().code, ErrorCode::wrong_state);
  model->reset_decoder();
  EXPECT_TRUE(model->begin_decode(prompt).has_value());
  model->begin_encode();
  EXPECT_EQ(model->begin_decode_each({next, 1}).error().code, ErrorCode::wrong_state);
}

SUSURRUS_TEST(sequences_fill_the_context_to_its_last_position) {
  const Tokens prompt(kOddDimensions.n_text_ctx - 1, 7);
  auto model = ready_model(prompt);
  ASSERT_TRUE(model != nullptr);
  ASSERT_TRUE(model->reserve_sequences(2, 5).has_value());
  const uint32_t spread[] = {0, 0};
  const uint32_t next[] = {9, 8};
  model->fork(spread);
  step_each(*model, next);
  EXPECT_EQ(model->begin_decode_each(next).error().code, ErrorCode::wrong_state);
}

SUSURRUS_TEST(sequences_beyond_all_memory_are_an_error) {
  WhisperDimensions huge = kOddDimensions;
  huge.n_text_layer = 0x7FFFFFFF;
  huge.n_text_state = 0x7FFFFFFF;
  auto plan = SequencePlan::make(huge, 5, 224);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, ErrorCode::out_of_memory);

  // What was reserved before is still there.
  SequenceCache cache;
  ASSERT_TRUE(cache.reserve(kOddDimensions, 3, 7).has_value());
  const uint64_t bytes = cache.byte_count();
  EXPECT_EQ(cache.reserve(huge, 5, 224).error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(cache.byte_count(), bytes);
  EXPECT_EQ(cache.capacity(), 3u);
}

}  // namespace susurrus::testing::sequences_test
