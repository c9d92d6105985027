// The whole network on small random models against a plain float64 pass, for every compiled variant.
#include <algorithm>
#include <cmath>

#include "kernels/packed_weights/rescaled_halves.h"
#include "whisper/encoded_model.h"

namespace susurrus::testing::network_test {
namespace {

/// With f16 weights rescaled or not, blocks as stored.
void check_network(const WhisperDimensions& dimensions, Dtype dtype, Dtype vector_dtype,
                   RescaleHalves* rescale = nullptr) {
  for (const KernelTable* kernels : compiled_kernels()) {
    RandomModel random =
        random_model(dimensions, 11, dtype, vector_dtype, true, WeightPacking{.rescale = rescale});
    auto model = make_model(random, *kernels);
    ASSERT_TRUE(model != nullptr);
    const std::vector<double> mel = fill_mel(*model, 3);
    EXPECT_FALSE(model->is_encoded());
    encode(*model);
    ASSERT_TRUE(model->is_encoded());
    const std::vector<double> audio = exact_encoder(random, mel);
    ASSERT_EQ(model->encoder_output().size(), audio.size());
    EXPECT_NEAR(relative_error(model->encoder_output(), audio.data()), 0, 2e-5);

    // More than one block of rows, then single tokens.
    const size_t prompt = std::min<size_t>(dimensions.n_text_ctx - 3, 130);
    const std::vector<uint32_t> tokens = random_tokens(prompt + 3, dimensions.n_vocab);
    const std::vector<double> exact = exact_decoding(random, audio, tokens).logits;
    size_t fed = 0;
    for (size_t count : {prompt, size_t{1}, size_t{2}}) {
      auto logits = model->decode(std::span(tokens).subspan(fed, count));
      ASSERT_TRUE(logits.has_value());
      fed += count;
      EXPECT_EQ(model->decoder_position(), fed);
      EXPECT_NEAR(relative_error(*logits, exact.data() + (fed - 1) * dimensions.n_vocab), 0, 2e-5);
    }
  }
}

}  // namespace

SUSURRUS_TEST(network_of_odd_dimensions_agrees_with_float64) {
  check_network(kOddDimensions, Dtype::f32, Dtype::f32);
}

SUSURRUS_TEST(network_of_half_weights_and_half_vectors_agrees_with_float64) {
  check_network(kOddDimensions, Dtype::f16, Dtype::f16);
  check_network(kBlockDimensions, Dtype::f16, Dtype::bf16);
  check_network(kOddDimensions, Dtype::f16, Dtype::f16, rescale_halves);
  check_network(kBlockDimensions, Dtype::f16, Dtype::bf16, rescale_halves);
}

SUSURRUS_TEST(network_of_blocks_agrees_with_float64) {
  for (Dtype dtype : {Dtype::q8_0, Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    check_network(kBlockDimensions, dtype, Dtype::f32);
  }
  check_network(kBlockDimensions, Dtype::q8_0, Dtype::q8_0);
}

// Activations, keys and values are codes of about 1 % each, and so are the convolutions' weights; what has nothing to do with
// them would be off by far more.
SUSURRUS_TEST(network_of_packed_blocks_is_near_float64) {
  for (const KernelTable* kernels : compiled_kernels()) {
    if (kernels->packing.pack == nullptr) continue;
    for (const size_t positions : {size_t{20}, size_t{11}}) {
      RandomModel random =
          random_model(kBlockDimensions, 16, Dtype::q8_0, Dtype::f32, true, kernels->packing);
      auto model = make_model(random, *kernels);
      ASSERT_TRUE(model != nullptr);
      std::vector<double> mel = fill_mel(*model, 7);
      mel.resize(2 * positions * kBlockDimensions.n_mels);
      encode(*model, positions);
      const std::vector<double> audio = exact_encoder(random, mel);
      ASSERT_EQ(model->encoder_output().size(), audio.size());
      EXPECT_NEAR(relative_error(model->encoder_output(), audio.data()), 0, 0.04);
      const std::vector<uint32_t> tokens = random_tokens(69, kBlockDimensions.n_vocab);
      const ExactDecoding exact = exact_decoding(random, audio, tokens);
      size_t fed = 0;
      for (size_t count : {66, 1, 2}) {
        auto logits = model->decode(std::span(tokens).subspan(fed, count));
        ASSERT_TRUE(logits.has_value());
        fed += count;
        EXPECT_NEAR(
            relative_error(*logits, exact.logits.data() + (fed - 1) * kBlockDimensions.n_vocab), 0,
            0.04);
      }
      // Scores of a head come from the same keys: the encoder's error and their own.
      const size_t width = kBlockDimensions.n_text_state;
      const size_t head_size = width / kBlockDimensions.n_text_head;
      std::vector<float> queries(3 * width);
      for (size_t i = 0; i < queries.size(); ++i)
        queries[i] = static_cast<float>(exact.queries[0][i]);
      const size_t frames = positions - 1;
      for (size_t head = 0; head < kBlockDimensions.n_text_head; ++head) {
        std::vector<float> scores(3 * frames);
        model->cross_scores(0, head, queries, frames, scores.data());
        std::vector<double> expected(3 * frames);
        for (size_t i = 0; i < expected.size(); ++i) {
          for (size_t d = head * head_size; d < (head + 1) * head_size; ++d) {
            expected[i] += exact.queries[0][i / frames * width + d] *
                           exact.keys[0][i % frames * width + d] /
                           std::sqrt(static_cast<double>(head_size));
          }
        }
        EXPECT_NEAR(relative_error(scores, expected.data()), 0, 0.05);
      }
    }
  }
}

// Cross-attention to a part of the window is that to an encoding of nothing else.
SUSURRUS_TEST(the_decoder_listens_to_a_part_of_the_window) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const bool is_packed : {false, true}) {
      if (is_packed && kernels->packing.pack == nullptr) continue;
      RandomModel random =
          random_model(kBlockDimensions, 18, is_packed ? Dtype::q8_0 : Dtype::f32, Dtype::f32, true,
                       is_packed ? kernels->packing : WeightPacking{});
      auto model = make_model(random, *kernels);
      ASSERT_TRUE(model != nullptr);
      const std::vector<double> audio = exact_encoder(random, fill_mel(*model, 8));
      encode(*model);
      const std::vector<uint32_t> tokens = random_tokens(3, kBlockDimensions.n_vocab);
      const ptrdiff_t width = kBlockDimensions.n_audio_state;
      const auto expect_part = [&](ptrdiff_t first, ptrdiff_t count) {
        const auto begin = audio.begin() + first * width;
        const ExactDecoding exact = exact_decoding(random, {begin, begin + count * width}, tokens);
        auto logits = model->decode(tokens);
        ASSERT_TRUE(logits.has_value());
        EXPECT_NEAR(
            relative_error(*logits, exact.logits.data() + 2 * size_t{kBlockDimensions.n_vocab}), 0,
            is_packed ? 0.04 : 2e-5);
      };
      for (const auto [first, count] : {std::pair(0, 20), {0, 1}, {3, 9}, {19, 1}}) {
        model->reset_decoder_within(static_cast<size_t>(first), static_cast<size_t>(count));
        expect_part(first, count);
      }
      model->reset_decoder();
      expect_part(0, 20);
      model->reset_decoder_within(3, 4);
      encode(*model);
      expect_part(0, 20);
    }
  }
}

SUSURRUS_TEST(network_with_one_audio_position_and_no_layers) {
  WhisperDimensions tiny = kOddDimensions;
  tiny.n_audio_ctx = 1;
  check_network(tiny, Dtype::f32, Dtype::f32);
  tiny.n_audio_layer = 0;
  tiny.n_text_layer = 0;
  check_network(tiny, Dtype::f32, Dtype::f32);
}

SUSURRUS_TEST(a_window_of_fewer_positions_is_that_of_a_smaller_model) {
  for (const KernelTable* kernels : compiled_kernels()) {
    RandomModel random = random_model(kOddDimensions, 15);
    auto model = make_model(random, *kernels);
    ASSERT_TRUE(model != nullptr);
    const std::vector<double> mel = fill_mel(*model, 6);
    encode(*model);
    const std::vector<float> whole(model->encoder_output().begin(), model->encoder_output().end());
    const std::vector<uint32_t> tokens = random_tokens(9, kOddDimensions.n_vocab);
    for (size_t positions : {size_t{1}, size_t{2}, size_t{18}, size_t{36}, size_t{37}}) {
      encode(*model, positions);
      EXPECT_EQ(model->encoded_positions(), positions);
      const std::vector<double> heard(
          mel.begin(), mel.begin() + static_cast<ptrdiff_t>(2 * positions * kOddDimensions.n_mels));
      const std::vector<double> audio = exact_encoder(random, heard);
      ASSERT_EQ(model->encoder_output().size(), audio.size());
      EXPECT_NEAR(relative_error(model->encoder_output(), audio.data()), 0, 2e-5);
      const std::vector<double> exact = exact_decoding(random, audio, tokens).logits;
      auto logits = model->decode(tokens);
      ASSERT_TRUE(logits.has_value());
      EXPECT_NEAR(relative_error(*logits, exact.data() + 8 * kOddDimensions.n_vocab), 0, 2e-5);
    }
    // The mel window is as it was.
    model->begin_encode(7);
    EXPECT_FALSE(model->is_encoded());
    encode(*model);
    EXPECT_TRUE(std::ranges::equal(model->encoder_output(), whole));
  }
}

SUSURRUS_TEST(decoding_again_after_a_reset_gives_the_same) {
  RandomModel random = random_model(kOddDimensions, 12);
  auto model = make_model(random, default_kernels());
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 4);
  encode(*model);
  const std::vector<uint32_t> tokens = random_tokens(5, kOddDimensions.n_vocab);
  auto first = model->decode(tokens);
  ASSERT_TRUE(first.has_value());
  const std::vector<float> kept(first->begin(), first->end());
  ASSERT_TRUE(model->decode(tokens).has_value());
  model->reset_decoder();
  EXPECT_EQ(model->decoder_position(), 0u);
  auto second = model->decode(tokens);
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), second->begin()));
}

SUSURRUS_TEST(decoding_refuses_what_it_cannot_do) {
  RandomModel random = random_model(kOddDimensions, 13);
  auto model = make_model(random, default_kernels());
  ASSERT_TRUE(model != nullptr);
  const std::vector<uint32_t> one = {1};
  auto early = model->decode(one);
  ASSERT_FALSE(early.has_value());
  EXPECT_EQ(early.error().code, ErrorCode::wrong_state);
  fill_mel(*model, 4);
  encode(*model);
  const std::vector<uint32_t> too_large = {1, kOddDimensions.n_vocab};
  const std::vector<uint32_t> too_many(kOddDimensions.n_text_ctx + 1, 1);
  for (const auto& tokens : {std::vector<uint32_t>(), too_large, too_many}) {
    auto result = model->decode(tokens);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(result.error().subject.view(), "tokens");
  }
  // A new encoding takes the old one's place.
  ASSERT_TRUE(model->decode(one).has_value());
  model->begin_encode();
  EXPECT_FALSE(model->is_encoded());
  EXPECT_FALSE(model->decode(one).has_value());
}

SUSURRUS_TEST(a_context_is_filled_to_its_last_position) {
  RandomModel random = random_model(kOddDimensions, 14);
  auto model = make_model(random, default_kernels());
  ASSERT_TRUE(model != nullptr);
  fill_mel(*model, 4);
  encode(*model);
  const std::vector<uint32_t> tokens(kOddDimensions.n_text_ctx, 7);
  EXPECT_TRUE(model->decode(tokens).has_value());
  EXPECT_FALSE(model->decode(std::span(tokens).first(1)).has_value());
}

}  // namespace susurrus::testing::network_test
