#include "audio/log_mel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::log_mel_test {
namespace {

using testing::kPi;

LogMel make_mel(uint32_t n_mels) { return LogMel::create(n_mels, {}).value(); }

std::vector<float> all_frames(const LogMel& mel, const std::vector<float>& samples,
                              uint64_t zero_count, float* maximum = nullptr) {
  const uint64_t frames = (samples.size() + zero_count) / kHopSamples;
  std::vector<float> out(frames * mel.n_mels());
  const float largest =
      mel.log_frames(samples, 0, samples.size(), zero_count, 0, frames, out.data());
  if (maximum != nullptr) *maximum = largest;
  return out;
}

/// By the definition, in double: torch.stft(center=True, reflect), power, filters, log10.
std::vector<double> naive_log_mel(const std::vector<float>& samples, size_t zero_count,
                                  uint32_t n_mels) {
  std::vector<float> filters(n_mels * kFrequencyBins);
  MelFilterbank::slaney(n_mels, filters);
  const auto total = static_cast<int64_t>(samples.size() + zero_count);
  const int64_t frames = total / kHopSamples;
  std::vector<double> cosines(kFftSize);
  for (uint32_t i = 0; i < kFftSize; ++i) cosines[i] = std::cos(2 * kPi * i / kFftSize);
  std::vector<double> result;
  for (int64_t frame = 0; frame < frames; ++frame) {
    std::vector<double> windowed(kFftSize);
    for (int64_t i = 0; i < kFftSize; ++i) {
      int64_t at = frame * kHopSamples - kFftSize / 2 + i;
      if (at < 0) at = -at;
      if (at >= total) at = 2 * (total - 1) - at;
      const double sample =
          at < static_cast<int64_t>(samples.size()) ? samples[static_cast<size_t>(at)] : 0.0f;
      windowed[static_cast<size_t>(i)] = sample * (0.5 - 0.5 * cosines[static_cast<size_t>(i)]);
    }
    std::vector<double> power(kFrequencyBins);
    for (uint32_t k = 0; k < kFrequencyBins; ++k) {
      double re = 0;
      double im = 0;
      for (uint32_t i = 0; i < kFftSize; ++i) {
        re += windowed[i] * cosines[(i * k) % kFftSize];
        im += windowed[i] * cosines[(i * k + 300) % kFftSize];
      }
      power[k] = re * re + im * im;
    }
    for (uint32_t mel = 0; mel < n_mels; ++mel) {
      double energy = 0;
      for (uint32_t k = 0; k < kFrequencyBins; ++k)
        energy += filters[mel * kFrequencyBins + k] * power[k];
      result.push_back(std::log10(std::fmax(energy, 1e-10)));
    }
  }
  return result;
}

void expect_close_to_naive(const std::vector<float>& samples, size_t zero_count, uint32_t n_mels) {
  const std::vector<float> got = all_frames(make_mel(n_mels), samples, zero_count);
  const std::vector<double> expected = naive_log_mel(samples, zero_count, n_mels);
  ASSERT_EQ(got.size(), expected.size());
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) worst = std::fmax(worst, std::abs(got[i] - expected[i]));
  EXPECT_LT(worst, 2e-5);
}

SUSURRUS_TEST(log_mel_agrees_with_the_definition) {
  expect_close_to_naive(testing::Noise(1).samples(4000), 0, 80);
  expect_close_to_naive(testing::Noise(2).samples(2720), 0, 128);
}

SUSURRUS_TEST(log_mel_mirrors_the_end_of_the_recording_and_of_its_zeros) {
  // From frames that end with the recording to frames that lie in the zeros altogether.
  for (size_t sample_count : {1600u, 1601u, 1759u, 1680u}) {
    for (size_t zero_count : {0u, 1u, 40u, 160u, 199u, 1000u}) {
      expect_close_to_naive(testing::Noise(3).samples(sample_count), zero_count, 20);
    }
  }
}

SUSURRUS_TEST(log_mel_handles_bands_that_do_not_fill_a_vector) {
  for (uint32_t n_mels : {1u, 2u, 3u, 5u, 6u, 7u}) {
    expect_close_to_naive(testing::Noise(4).samples(1120), 0, n_mels);
  }
}

SUSURRUS_TEST(log_mel_of_silence_is_the_floor) {
  float maximum = 0;
  std::vector<float> mel = all_frames(make_mel(80), {}, 16000, &maximum);
  ASSERT_EQ(mel.size(), 100u * 80);
  EXPECT_EQ(maximum, -10.0f);
  for (float value : mel) ASSERT_EQ(value, -10.0f);
  LogMel::normalise(mel, maximum);
  for (float value : mel) ASSERT_EQ(value, -1.5f);
}

SUSURRUS_TEST(log_mel_returns_the_maximum_of_what_it_wrote) {
  float maximum = 0;
  const std::vector<float> mel =
      all_frames(make_mel(80), testing::Noise(5).samples(5000), 300, &maximum);
  EXPECT_EQ(maximum, *std::max_element(mel.begin(), mel.end()));
  EXPECT_EQ(make_mel(80).log_frames({}, 0, 0, 0, 0, 0, nullptr), -10.0f);
}

// Lends exactly samples_needed() in memory of its own, so that AddressSanitizer sees one sample too many.
SUSURRUS_TEST(log_mel_of_any_range_is_equal_to_the_bit_and_needs_only_its_samples) {
  const LogMel mel = make_mel(80);
  const std::vector<float> samples = testing::Noise(6).samples(8000 + 77);
  for (uint64_t zero_count : {0u, 83u, 1000u}) {
    const std::vector<float> whole = all_frames(mel, samples, zero_count);
    const uint64_t frames = whole.size() / 80;
    for (uint64_t first = 0; first < frames; ++first) {
      for (uint64_t count : {1u, 2u, 3u, 4u, 7u}) {
        if (first + count > frames) continue;
        const auto range = LogMel::samples_needed(first, count, samples.size());
        ASSERT_TRUE(range.begin <= range.end && range.end <= samples.size());
        ASSERT_TRUE(range.end - range.begin <= count * kHopSamples + kFftSize);
        const std::vector<float> lent(samples.begin() + static_cast<ptrdiff_t>(range.begin),
                                      samples.begin() + static_cast<ptrdiff_t>(range.end));
        std::vector<float> part(count * 80);
        mel.log_frames(lent, range.begin, samples.size(), zero_count, first, count, part.data());
        ASSERT_TRUE(std::equal(part.begin(), part.end(),
                               whole.begin() + static_cast<ptrdiff_t>(first * 80)));
      }
    }
  }
}

SUSURRUS_TEST(log_mel_of_less_than_half_a_frame_is_finite) {
  const LogMel mel = make_mel(80);
  for (size_t count : {0u, 1u, 100u, 159u, 160u, 161u, 199u, 200u, 201u}) {
    const std::vector<float> out = all_frames(mel, testing::Noise(7).samples(count), 0);
    EXPECT_EQ(out.size(), count / 160 * 80);
    for (float value : out) ASSERT_TRUE(std::isfinite(value));
  }
  // Appended silence, as transcription does it, always leaves enough to mirror.
  expect_close_to_naive(testing::Noise(8).samples(1), 1600, 20);
}

SUSURRUS_TEST(log_mel_stays_finite_for_the_loudest_samples) {
  const LogMel mel = make_mel(80);
  const std::vector<float> samples(1600, std::numeric_limits<float>::max());
  for (float value : all_frames(mel, samples, 0)) ASSERT_TRUE(std::isfinite(value));
}

SUSURRUS_TEST(log_mel_normalises_eight_decades_below_the_maximum) {
  std::vector<float> values = {2, -6, -6.5f, -10, 0};
  LogMel::normalise(values, 2);
  const std::vector<float> expected = {1.5f, -0.5f, -0.5f, -0.5f, 1};
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], expected[i]);
}

SUSURRUS_TEST(log_mel_takes_the_filters_it_is_given) {
  // One band, bin 10 alone: it sees only a tone there.
  std::vector<float> filters(kFrequencyBins, 0.0f);
  filters[10] = 1;
  const LogMel mel = LogMel::create(1, filters).value();
  const std::vector<float> hears = all_frames(mel, testing::tone(400, 16000, 1600), 0);
  const std::vector<float> deaf = all_frames(mel, testing::tone(4000, 16000, 1600), 0);
  EXPECT_NEAR(hears[5], 4, 1e-4);  // (400 / 2 / 2)^2
  EXPECT_LT(deaf[5], -8.0f);
}

SUSURRUS_TEST(log_mel_refuses_a_filterbank_of_another_size) {
  const std::vector<float> filters(80 * kFrequencyBins, 0.1f);
  EXPECT_FALSE(LogMel::create(128, filters).has_value());
  EXPECT_FALSE(LogMel::create(0, {}).has_value());
  EXPECT_FALSE(LogMel::create(0xffffffff, {}).has_value());
}

}  // namespace
}  // namespace susurrus::testing::log_mel_test
