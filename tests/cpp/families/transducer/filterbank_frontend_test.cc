#include "families/transducer/filterbank_frontend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "audio/test_signals.h"
#include "harness.h"

namespace susurrus::testing::filterbank_frontend_test {
namespace {

using testing::kPi;

AprilParams usual_params() {
  AprilParams params;
  params.segment_size = 9;
  params.segment_step = 4;
  params.mel_features = 80;
  params.samplerate = 16000;
  params.frame_shift_ms = 10;
  params.frame_length_ms = 25;
  params.round_pow2 = 1;
  params.mel_low = 20;
  return params;
}

/// That of april.md's check values.
std::vector<float> sheet_signal() {
  std::vector<float> samples(16000);
  for (size_t n = 0; n < samples.size(); ++n) {
    samples[n] = static_cast<float>(static_cast<int>(n * 7919 % 2001) - 1000) / 32768;
  }
  return samples;
}

/// All frames, one after the other, of samples that arrive in pieces of this size.
std::vector<float> frames_of(const AprilParams& params, AprilFrontEnd front_end,
                             const std::vector<float>& samples, size_t piece_samples) {
  FilterbankFrontend frontend = FilterbankFrontend::make(params, front_end).value();
  std::vector<float> frames;
  std::vector<float> bands(frontend.band_count());
  for (std::span<const float> left = samples; !left.empty();) {
    const size_t count = std::min(piece_samples, left.size());
    frontend.begin_piece(left.first(count));
    while (frontend.next_frame(bands)) frames.insert(frames.end(), bands.begin(), bands.end());
    frontend.end_piece();
    left = left.subspan(count);
  }
  return frames;
}

/// Band `band` of the frame that `samples` begins with, written down step by step as april.md §2.1 has it.
double defined_band(const AprilParams& params, AprilFrontEnd front_end, const float* samples,
                    uint32_t length, uint32_t band) {
  std::vector<double> frame(samples, samples + length);
  if (front_end == AprilFrontEnd::standard) {
    double mean = 0;
    for (double sample : frame) mean += sample / length;
    std::vector<double> centred = frame;
    for (double& sample : centred) sample -= mean;
    for (uint32_t i = 0; i < length; ++i) {
      frame[i] = centred[i] - 0.97 * centred[i == 0 ? 0 : i - 1];
    }
  }
  for (uint32_t i = 0; i < length; ++i) {
    frame[i] *= std::pow(0.5 - 0.5 * std::cos(2 * kPi * i / length), 0.85);
  }
  const auto mel = [](double hz) { return 1127 * std::log(1 + hz / 700); };
  const double low = mel(params.mel_low);
  const double high = mel(params.mel_high == 0 ? params.samplerate / 2 : params.mel_high);
  const double step = (high - low) / (params.mel_features + 1);
  const double left = low + band * step;
  double energy = 0;
  for (uint32_t bin = 0; bin < length / 2; ++bin) {
    const double at = mel(static_cast<double>(bin) * params.samplerate / length);
    const double weight = std::min((at - left) / step, (left + 2 * step - at) / step);
    if (weight <= 0) continue;
    double re = 0;
    double im = 0;
    for (uint32_t n = 0; n < length; ++n) {
      const double angle = 2 * kPi * (n * bin % length) / length;
      re += frame[n] * std::cos(angle);
      im += frame[n] * std::sin(angle);
    }
    energy += weight * (re * re + im * im);
  }
  return std::log(std::max(1.1920928955078125e-07, energy));
}

}  // namespace

SUSURRUS_TEST(filterbank_frontend_has_the_sheets_values) {
  constexpr size_t kBands[] = {0, 1, 10, 12, 13, 20, 40, 79};
  struct Expected {
    AprilFrontEnd front_end;
    double values[8];
  };
  constexpr Expected kExpected[] = {
      {AprilFrontEnd::april_asr_0_0_4,
       {-6.7713, -5.7809, -4.4664, -4.2921, -5.4211, 1.8106, -5.8108, -2.8896}},
      {AprilFrontEnd::standard,
       {-13.2397, -12.3172, -8.6475, -8.1480, -9.1307, -0.8552, -6.5399, -1.5351}},
  };
  for (const Expected& expected : kExpected) {
    const std::vector<float> frames =
        frames_of(usual_params(), expected.front_end, sheet_signal(), 3200);
    ASSERT_EQ(frames.size(), 97 * 80);
    for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(frames[kBands[i]], expected.values[i], 2e-4);
  }
}

SUSURRUS_TEST(filterbank_frontend_follows_its_definition_with_any_params) {
  struct Case {
    int32_t rate, shift_ms, length_ms, round, low, high, bands;
  };
  // Lengths 64, 275, 551, 320, 2: powers of two and others, odd ones, a single bin; bands to beyond half the rate, and empty ones.
  constexpr Case kCases[] = {
      {8000, 3, 7, 1, 20, 0, 16},        {11025, 25, 25, 0, 1, 5600, 24},
      {22050, 10, 25, 0, 300, 3500, 40}, {16000, 7, 20, 0, 64, 9000, 255},
      {1000, 2, 2, 0, 10, 0, 3},
  };
  for (const Case& one : kCases) {
    AprilParams params = usual_params();
    params.samplerate = one.rate;
    params.frame_shift_ms = one.shift_ms;
    params.frame_length_ms = one.length_ms;
    params.round_pow2 = one.round;
    params.mel_low = one.low;
    params.mel_high = one.high;
    params.mel_features = one.bands;
    for (AprilFrontEnd front_end : {AprilFrontEnd::standard, AprilFrontEnd::april_asr_0_0_4}) {
      const FilterbankFrontend frontend = FilterbankFrontend::make(params, front_end).value();
      const uint32_t length = frontend.frame_length();
      const std::vector<float> signal = sheet_signal();
      const std::vector<float> frames = frames_of(params, front_end, signal, 1000);
      const size_t bands = frontend.band_count();
      ASSERT_EQ(frames.size() / bands, (signal.size() - length) / frontend.frame_shift() + 1);
      for (size_t frame : {size_t{0}, size_t{5}}) {
        const float* const samples = signal.data() + frame * frontend.frame_shift();
        for (uint32_t band = 0; band < bands; band += 1 + band / 4) {
          ASSERT_NEAR(frames[frame * bands + band],
                      defined_band(params, front_end, samples, length, band), 1e-3);
        }
      }
    }
  }
}

SUSURRUS_TEST(filterbank_frontend_does_not_care_how_samples_are_cut) {
  const std::vector<float> whole =
      frames_of(usual_params(), AprilFrontEnd::standard, sheet_signal(), 3200);
  for (size_t piece : {size_t{1}, size_t{159}, size_t{160}, size_t{511}, size_t{2000}}) {
    EXPECT_TRUE(frames_of(usual_params(), AprilFrontEnd::standard, sheet_signal(), piece) == whole);
  }
}

SUSURRUS_TEST(filterbank_frontend_forgets_a_dropped_piece) {
  const std::vector<float> signal = sheet_signal();
  const std::span<const float> samples = signal;
  FilterbankFrontend frontend =
      FilterbankFrontend::make(usual_params(), AprilFrontEnd::standard).value();
  std::vector<float> bands(80);
  frontend.begin_piece(samples.first(300));
  EXPECT_FALSE(frontend.next_frame(bands));
  frontend.end_piece();
  frontend.begin_piece(samples.subspan(4000, 2000));
  EXPECT_TRUE(frontend.next_frame(bands));
  frontend.drop_piece();
  // What was left before it is still there: with the next 212 samples the first frame is complete, and no earlier.
  frontend.begin_piece(samples.subspan(300, 211));
  EXPECT_FALSE(frontend.next_frame(bands));
  frontend.end_piece();
  frontend.begin_piece(samples.subspan(511, 1));
  ASSERT_TRUE(frontend.next_frame(bands));
  const std::vector<float> whole = frames_of(usual_params(), AprilFrontEnd::standard, signal, 3200);
  EXPECT_TRUE(std::equal(bands.begin(), bands.end(), whole.begin()));
}

SUSURRUS_TEST(filterbank_frontend_gives_silence_its_floor) {
  const std::vector<float> frames =
      frames_of(usual_params(), AprilFrontEnd::standard, std::vector<float>(600), 600);
  ASSERT_EQ(frames.size(), 80);
  for (float value : frames) EXPECT_EQ(value, FilterbankFrontend::kSilence);
  EXPECT_NEAR(FilterbankFrontend::kSilence, -15.942385152878742, 1e-6);
}

}  // namespace susurrus::testing::filterbank_frontend_test
