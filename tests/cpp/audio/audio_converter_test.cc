#include "audio/audio_converter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "audio/test_signals.h"
#include "audio/wav_builder.h"
#include "harness.h"

namespace susurrus::testing::audio_converter_test {
namespace {

using testing::Bytes;
using testing::s16_bytes;
using testing::WavBuilder;

void drain(AudioConverter& converter, std::vector<float>& into) {
  const auto output = converter.output();
  into.insert(into.end(), output.begin(), output.end());
  converter.consume(output.size());
}

/// A piece of 0 takes random sizes.
std::vector<float> convert_wav(AudioConverter& converter, const Bytes& file, size_t piece) {
  std::vector<float> result;
  testing::Noise noise(2);
  for (size_t at = 0; at < file.size();) {
    const size_t count = std::min(piece != 0 ? piece : 1 + noise.below(3000), file.size() - at);
    EXPECT_TRUE(converter.push_bytes(ByteSpan(file).subspan(at, count)).has_value());
    drain(converter, result);
    at += count;
  }
  EXPECT_TRUE(converter.finish().has_value());
  drain(converter, result);
  EXPECT_EQ(converter.output_samples(), result.size());
  return result;
}

std::vector<float> convert_wav(const Bytes& file, size_t piece = 1 << 20) {
  AudioConverter converter = AudioConverter::from_wav();
  return convert_wav(converter, file, piece);
}

std::vector<float> convert_samples(uint32_t rate, uint32_t channels,
                                   std::span<const float> samples) {
  auto created = AudioConverter::from_samples(rate, channels);
  AudioConverter converter = std::move(created).value();
  EXPECT_TRUE(converter.push_samples(samples).has_value());
  EXPECT_TRUE(converter.finish().has_value());
  std::vector<float> result;
  drain(converter, result);
  return result;
}

SUSURRUS_TEST(converter_passes_16_khz_mono_unchanged) {
  std::vector<float> samples = testing::Noise(1).samples(5000);
  samples[7] = 3.5f;  // never clipped: what the caller gives is what the reference would see
  EXPECT_TRUE(convert_samples(16000, 1, samples) == samples);
}

SUSURRUS_TEST(converter_does_not_depend_on_the_pieces) {
  WavBuilder wav;
  wav.rate = 44100;
  wav.channels = 2;
  wav.bits = 24;
  testing::Noise noise(4);
  for (int i = 0; i < 6 * 3000; ++i) wav.data.push_back(static_cast<uint8_t>(noise.below(256)));
  const Bytes file = wav.build();
  const std::vector<float> whole = convert_wav(file);
  EXPECT_EQ(whole.size(), (3000u * 16000 + 44099) / 44100);
  for (size_t piece : {1u, 7u, 0u}) EXPECT_TRUE(convert_wav(file, piece) == whole);
}

SUSURRUS_TEST(converter_gives_the_same_for_a_wav_and_its_samples) {
  const std::vector<float> samples = testing::Noise(5).samples(6000);
  WavBuilder wav;
  wav.tag = 3;
  wav.bits = 32;
  wav.channels = 3;
  wav.rate = 22050;
  wav.data = testing::bytes_of(samples);
  const std::vector<float> from_wav = convert_wav(wav.build());
  std::vector<float> from_samples = convert_samples(22050, 3, samples);
  for (float& sample : from_samples) sample = std::clamp(sample, -1.0f, 1.0f);
  EXPECT_TRUE(from_wav == from_samples);
}

SUSURRUS_TEST(converter_tells_what_it_read) {
  WavBuilder wav;
  wav.rate = 48000;
  wav.channels = 2;
  wav.data = s16_bytes(std::vector<int>(2 * 4800, 100));
  AudioConverter converter = AudioConverter::from_wav();
  EXPECT_EQ(converter.sample_rate(), 0u);
  const std::vector<float> out = convert_wav(converter, wav.build(), 1000);
  EXPECT_EQ(converter.sample_rate(), 48000u);
  EXPECT_EQ(converter.channels(), 2u);
  EXPECT_EQ(converter.frames_in(), 4800u);
  EXPECT_EQ(out.size(), 1600u);
  EXPECT_FALSE(converter.warnings().truncated);
  EXPECT_NEAR(out[800], 100 / 32768.0, 1e-6);
}

SUSURRUS_TEST(converter_takes_the_speakers_from_the_file) {
  WavBuilder wav;
  wav.channels = 4;
  wav.extensible_mask = 0x33;  // no centre: the third channel is a back one
  wav.data = s16_bytes({0, 0, 16384, 0});
  const double third = 0.5 / (2 * std::sqrt(0.5) + 1);
  EXPECT_NEAR(convert_wav(wav.build())[0], 0.5 * third, 1e-6);
  wav.extensible_mask = std::nullopt;  // 4.0: a centre
  const double centre = 1 / (2 * std::sqrt(0.5) + 1.5);
  EXPECT_NEAR(convert_wav(wav.build())[0], 0.5 * centre, 1e-6);
}

SUSURRUS_TEST(converter_clips_wav_files_as_the_reference_does) {
  WavBuilder wav;
  wav.tag = 3;
  wav.bits = 32;
  wav.data = testing::bytes_of<float>({0.5f, 1.5f, -3, 1, -1});
  AudioConverter converter = AudioConverter::from_wav();
  const std::vector<float> expected = {0.5f, 1, -1, 1, -1};
  EXPECT_TRUE(convert_wav(converter, wav.build(), 100) == expected);
  EXPECT_EQ(converter.warnings().clipped_samples, 2u);
}

SUSURRUS_TEST(converter_lets_no_sample_that_is_no_number_through) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> samples = {0.25f, nan, kInfinity, -kInfinity, 0.5f};
  const std::vector<float> expected = {0.25f, 0, 1, -1, 0.5f};
  EXPECT_TRUE(convert_samples(16000, 1, samples) == expected);
  WavBuilder wav;
  wav.tag = 3;
  wav.bits = 32;
  wav.data = testing::bytes_of(samples);
  AudioConverter converter = AudioConverter::from_wav();
  EXPECT_TRUE(convert_wav(converter, wav.build(), 100) == expected);
  EXPECT_EQ(converter.warnings().non_finite_samples, 3u);
  // In stereo and resampled the rest must not be poisoned either.
  std::vector<float> stereo(2 * 4800, 0.5f);
  stereo[4001] = nan;
  for (float sample : convert_samples(48000, 2, stereo)) ASSERT_TRUE(std::isfinite(sample));
}

SUSURRUS_TEST(converter_warns_of_a_frame_cut_short) {
  WavBuilder wav;
  wav.channels = 2;
  wav.data = s16_bytes({1, 2, 3});
  wav.data_size = 0;
  AudioConverter converter = AudioConverter::from_wav();
  EXPECT_EQ(convert_wav(converter, wav.build(), 100).size(), 1u);
  EXPECT_TRUE(converter.warnings().truncated);
}

SUSURRUS_TEST(converter_takes_more_channels_than_a_piece_has_samples) {
  const uint32_t channels = 5000;
  std::vector<float> samples(3 * channels, 0.25f);
  const std::vector<float> out = convert_samples(16000, channels, samples);
  ASSERT_EQ(out.size(), 3u);
  for (float sample : out) EXPECT_NEAR(sample, 0.25, 1e-5);
}

SUSURRUS_TEST(converter_keeps_to_its_bound_of_output) {
  for (uint32_t rate : {1000u, 8000u, 44100u, 768000u}) {
    auto created = AudioConverter::from_samples(rate, 1);
    AudioConverter converter = std::move(created).value();
    const std::vector<float> samples(30000, 0.1f);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(converter.push_samples(samples).has_value());
      ASSERT_TRUE(converter.output().size() <= (30000 + 4608) * 16000.0 / rate + 2);
      converter.consume(converter.output().size());
    }
  }
}

SUSURRUS_TEST(converter_keeps_what_is_not_consumed) {
  const std::vector<float> samples = testing::Noise(6).samples(20000);
  auto created = AudioConverter::from_samples(16000, 1);
  AudioConverter converter = std::move(created).value();
  testing::Noise noise(7);
  std::vector<float> result;
  for (size_t at = 0; at < samples.size();) {
    const size_t count = std::min<size_t>(noise.below(900), samples.size() - at);
    ASSERT_TRUE(converter.push_samples(std::span(samples).subspan(at, count)).has_value());
    at += count;
    const auto output = converter.output();
    const size_t taken = noise.below(static_cast<uint32_t>(output.size() + 1));
    result.insert(result.end(), output.begin(), output.begin() + static_cast<ptrdiff_t>(taken));
    converter.consume(taken);
  }
  ASSERT_TRUE(converter.finish().has_value());
  drain(converter, result);
  EXPECT_TRUE(result == samples);
}

SUSURRUS_TEST(converter_refuses_impossible_sources) {
  for (uint32_t rate : {0u, 999u, 768001u, 0xffffffffu}) {
    auto converter = AudioConverter::from_samples(rate, 1);
    ASSERT_FALSE(converter.has_value());
    EXPECT_EQ(converter.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(converter.error().reason, ErrorReason::bad_audio);
  }
  EXPECT_FALSE(AudioConverter::from_samples(16000, 0).has_value());
  EXPECT_FALSE(AudioConverter::from_samples(16000, 65536).has_value());
}

SUSURRUS_TEST(converter_fails_for_good) {
  AudioConverter converter = AudioConverter::from_wav();
  EXPECT_EQ(converter.push_bytes(Bytes(100, 1)).error().code, ErrorCode::malformed);
  EXPECT_EQ(converter.push_bytes(Bytes(100, 1)).error().code,
            ErrorCode::disabled_by_previous_error);
  EXPECT_EQ(converter.finish().error().code, ErrorCode::disabled_by_previous_error);
}

SUSURRUS_TEST(converter_knows_its_order) {
  auto created = AudioConverter::from_samples(16000, 1);
  AudioConverter samples = std::move(created).value();
  EXPECT_EQ(samples.push_bytes(Bytes(4, 0)).error().code, ErrorCode::wrong_state);
  EXPECT_TRUE(samples.finish().has_value());
  EXPECT_EQ(samples.finish().error().code, ErrorCode::wrong_state);
  EXPECT_EQ(samples.push_samples({}).error().code, ErrorCode::wrong_state);
  EXPECT_TRUE(samples.output().empty());

  AudioConverter wav = AudioConverter::from_wav();
  const std::vector<float> none(1);
  EXPECT_EQ(wav.push_samples(none).error().code, ErrorCode::wrong_state);
  EXPECT_EQ(wav.finish().error().code, ErrorCode::truncated_input);
}

}  // namespace
}  // namespace susurrus::testing::audio_converter_test
