#include "audio/channel_mix.h"

#include <algorithm>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::channel_mix_test {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;

/// What each channel contributes: frames in which one channel alone is 1.
std::vector<float> weights_of(uint32_t channels, uint32_t mask) {
  std::vector<float> frames(size_t{channels} * channels, 0.0f);
  for (uint32_t i = 0; i < channels; ++i) frames[size_t{i} * channels + i] = 1;
  std::vector<float> mono(channels + 1);
  mono.resize(ChannelMix(channels, mask).mix(frames, mono.data()));
  return mono;
}

void expect_weights(uint32_t channels, uint32_t mask, std::vector<double> expected) {
  double sum = 0;
  for (double weight : expected) sum += weight;
  const std::vector<float> got = weights_of(channels, mask);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i] / sum, 1e-7);
}

SUSURRUS_TEST(one_channel_stays_as_it_is) {
  const std::vector<float> samples = testing::Noise(1).samples(100);
  std::vector<float> mono(101);
  ASSERT_EQ(ChannelMix(1, 0).mix(samples, mono.data()), 100u);
  EXPECT_TRUE(std::equal(samples.begin(), samples.end(), mono.begin()));
}

SUSURRUS_TEST(of_two_channels_the_mean_is_taken) {
  expect_weights(2, 0, {1, 1});
  expect_weights(2, 0x3, {1, 1});
  expect_weights(2, 0xc, {1, 1});
}

// The weights of swresample 4.7 as ffmpeg 5.1 showed them, before they are divided by their sum.
SUSURRUS_TEST(usual_layouts_are_mixed_as_ffmpeg_does) {
  const double h = kSqrtHalf;
  expect_weights(3, 0, {h, h, 0});
  expect_weights(4, 0, {h, h, 1, 0.5});
  expect_weights(5, 0, {h, h, 1, 0.5, 0.5});
  expect_weights(6, 0, {h, h, 1, 0, 0.5, 0.5});
  expect_weights(7, 0, {h, h, 1, 0, 0.5, 0.5, 0.5});
  expect_weights(8, 0, {h, h, 1, 0, 0.5, 0.5, 0.5, 0.5});
}

SUSURRUS_TEST(the_mask_of_the_file_decides) {
  const double h = kSqrtHalf;
  expect_weights(4, 0x33, {h, h, 0.5, 0.5});              // quad
  expect_weights(3, 0x7, {h, h, 1});                      // 3.0
  expect_weights(6, 0x60f, {h, h, 1, 0, 0.5, 0.5});       // 5.1, sides
  expect_weights(8, 0xff, {h, h, 1, 0, 0.5, 0.5, h, h});  // beside the centre
  expect_weights(4, 0x1007, {h, h, 1, 0});                // one overhead
}

SUSURRUS_TEST(masks_that_are_no_layout_and_many_channels_give_the_mean) {
  expect_weights(3, 0x31, {1, 1, 1});  // half a pair
  expect_weights(3, 0x38, {1, 1, 1});  // nothing in front
  expect_weights(3, 0x3, {1, 1, 1});   // of two channels
  expect_weights(9, 0x1ff, std::vector<double>(9, 1.0));
  expect_weights(32, 0, std::vector<double>(32, 1.0));
}

SUSURRUS_TEST(mixing_does_not_depend_on_the_pieces) {
  for (uint32_t channels : {1u, 2u, 3u, 6u, 11u}) {
    const std::vector<float> samples =
        testing::Noise(channels).samples(size_t{channels} * 50 + channels - 1);
    std::vector<float> whole(60 + samples.size());
    ChannelMix at_once(channels, 0);
    ASSERT_EQ(at_once.mix(samples, whole.data()), samples.size() / channels);
    EXPECT_EQ(at_once.is_within_frame(), channels > 1);
    for (size_t piece : {1u, 2u, 5u, 7u}) {
      ChannelMix mix(channels, 0);
      std::vector<float> parts;
      for (size_t at = 0; at < samples.size(); at += piece) {
        const size_t count = std::min(piece, samples.size() - at);
        std::vector<float> mono(count / channels + 1);
        mono.resize(mix.mix(std::span(samples).subspan(at, count), mono.data()));
        parts.insert(parts.end(), mono.begin(), mono.end());
      }
      ASSERT_EQ(parts.size(), samples.size() / channels);
      EXPECT_TRUE(std::equal(parts.begin(), parts.end(), whole.begin()));
    }
  }
}

}  // namespace
}  // namespace susurrus::testing::channel_mix_test
