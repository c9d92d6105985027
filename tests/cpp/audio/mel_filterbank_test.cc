#include "audio/mel_filterbank.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "audio/fft.h"
#include "audio/test_signals.h"
#include "harness.h"
#include "kernels/half.h"

namespace susurrus::testing::mel_filterbank_test {
namespace {

constexpr size_t kBins = Fft400::kBins;

std::vector<float> slaney(uint32_t n_mels) {
  std::vector<float> dense(n_mels * kBins);
  MelFilterbank::slaney(n_mels, dense);
  return dense;
}

unsigned long crc_of(const std::vector<float>& values) {
  return crc32(0, reinterpret_cast<const Bytef*>(values.data()),
               static_cast<uInt>(values.size() * sizeof(float)));
}

/// apply() of every row on noise, against the plain sum over the dense row.
void expect_same_as_dense(uint32_t n_mels, const std::vector<float>& dense) {
  auto bank = MelFilterbank::compact(n_mels, dense);
  ASSERT_TRUE(bank.has_value());
  ASSERT_EQ(bank->n_mels(), n_mels);
  testing::Noise noise(5);
  std::vector<F32x4> power(kBins);
  for (F32x4& value : power) value = F32x4{noise.next(), noise.next(), noise.next(), noise.next()};
  for (uint32_t mel = 0; mel < n_mels; ++mel) {
    const F32x4 got = bank->apply(mel, power.data());
    for (int lane = 0; lane < 4; ++lane) {
      double expected = 0;
      for (size_t bin = 0; bin < kBins; ++bin) {
        expected += static_cast<double>(dense[mel * kBins + bin]) * power[bin][lane];
      }
      EXPECT_NEAR(got[lane], expected, 2e-5);
    }
  }
}

SUSURRUS_TEST(slaney_filters_equal_the_reference_to_the_bit) {
  EXPECT_EQ(crc_of(slaney(80)), 0x848e96d8ul);
  EXPECT_EQ(crc_of(slaney(128)), 0x0513adacul);
}

SUSURRUS_TEST(compacted_filters_act_like_the_dense_matrix) {
  expect_same_as_dense(80, slaney(80));
  expect_same_as_dense(128, slaney(128));
}

SUSURRUS_TEST(filterbank_takes_any_pattern_of_weights) {
  testing::Noise noise(9);
  std::vector<float> dense(5 * kBins, 0.0f);
  for (size_t bin = 0; bin < kBins; ++bin) dense[kBins + bin] = std::abs(noise.next());  // full
  dense[2 * kBins] = 2;  // ends only
  dense[3 * kBins - 1] = 1;
  dense[3 * kBins + 100] = 0.5f;  // a single weight; rows 0 and 4 have none
  expect_same_as_dense(5, dense);
}

SUSURRUS_TEST(filterbank_without_any_weight_gives_zeros) {
  expect_same_as_dense(3, std::vector<float>(3 * kBins, 0.0f));
}

SUSURRUS_TEST(filterbank_refuses_wrong_sizes) {
  const std::vector<float> dense(80 * kBins, 0.0f);
  auto shape_of = [&](uint32_t n_mels, size_t size) {
    auto bank = MelFilterbank::compact(n_mels, std::span(dense).first(size));
    return bank.has_value() ? ErrorCode::ok : bank.error().code;
  };
  EXPECT_EQ(shape_of(80, 80 * kBins), ErrorCode::ok);
  EXPECT_EQ(shape_of(80, 80 * kBins - 1), ErrorCode::shape_mismatch);
  EXPECT_EQ(shape_of(79, 80 * kBins), ErrorCode::shape_mismatch);
  EXPECT_EQ(shape_of(0, 0), ErrorCode::shape_mismatch);
  EXPECT_EQ(shape_of(0xffffffff, 80 * kBins), ErrorCode::shape_mismatch);
}

SUSURRUS_TEST(htk_filters_are_told_from_others) {
  for (const uint32_t n_mels : {80u, 128u}) {
    std::vector<float> dense(n_mels * kBins);
    MelFilterbank::htk(n_mels, dense);
    // The formula, written down once more: the peak of filter 40 and the sum of its row.
    const auto hz_of = [&](double point) {
      const double top = 2595 * std::log10(1 + 8000.0 / 700);
      return 700 * (std::pow(10, top * point / (n_mels + 1) / 2595) - 1);
    };
    for (const uint32_t mel : {0u, 40u, n_mels - 1}) {
      const double low = hz_of(mel);
      const double centre = hz_of(mel + 1);
      const double high = hz_of(mel + 2);
      for (size_t bin = 0; bin < kBins; ++bin) {
        const double hz = bin * 40.0;
        const double triangle =
            std::max(0.0, std::min((hz - low) / (centre - low), (high - hz) / (high - centre)));
        EXPECT_NEAR(dense[mel * kBins + bin], triangle * 2 / (high - low), 1e-8);
      }
    }
    EXPECT_TRUE(MelFilterbank::kind(n_mels, dense) == FilterbankKind::htk);
    dense[5 * kBins + 5] += 5e-5f;
    EXPECT_TRUE(MelFilterbank::kind(n_mels, dense) == FilterbankKind::htk);
    dense[5 * kBins + 5] += 1e-3f;
    EXPECT_TRUE(MelFilterbank::kind(n_mels, dense) == FilterbankKind::other);
    std::vector<float> rounded = slaney(n_mels);
    for (float& weight : rounded) weight = f32_from_f16(f16_from_f32(weight));
    EXPECT_TRUE(MelFilterbank::kind(n_mels, rounded) == FilterbankKind::whisper);
    rounded[5 * kBins + 5] += 1e-3f;
    EXPECT_TRUE(MelFilterbank::kind(n_mels, rounded) == FilterbankKind::other);
    EXPECT_TRUE(MelFilterbank::kind(n_mels, std::vector<float>(n_mels * kBins)) ==
                FilterbankKind::other);
    EXPECT_TRUE(MelFilterbank::kind(n_mels, {}) == FilterbankKind::other);
  }
}

SUSURRUS_TEST(filterbank_refuses_weights_that_are_no_numbers_or_negative) {
  for (float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1e-6f}) {
    std::vector<float> dense = slaney(80);
    dense[40 * kBins + 7] = bad;
    auto bank = MelFilterbank::compact(80, dense);
    ASSERT_FALSE(bank.has_value());
    EXPECT_EQ(bank.error().code, ErrorCode::malformed);
    EXPECT_EQ(bank.error().reason, ErrorReason::bad_filterbank);
  }
}

}  // namespace
}  // namespace susurrus::testing::mel_filterbank_test
