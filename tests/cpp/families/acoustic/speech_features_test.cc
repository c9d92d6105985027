// Features of acoustic models: bw2l.md §2.3's check values, and each kind worked out a second way.
#include "families/acoustic/feature_stream.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness.h"

namespace susurrus::testing::speech_features_test {
namespace {

std::vector<float> sheet_signal() {
  std::vector<float> samples(16000);
  for (size_t n = 0; n < samples.size(); ++n) {
    samples[n] = static_cast<float>(static_cast<int>(n * 7919 % 2001) - 1000) / 32768;
  }
  return samples;
}

/// Feeds a whole recording in pieces of `piece` samples and reads it in windows of `window` frames.
FeatureMatrix streamed(const SpeechFeatureSettings& settings, std::span<const float> samples,
                       bool is_normalised, size_t piece = 1 << 20) {
  auto features = SpeechFeatures::make(settings);
  if (!EXPECT_TRUE(features.has_value())) return {};
  FeatureStream stream(*features);
  const size_t channels = settings.channel_count;
  const size_t count = samples.size() / channels;
  for (size_t at = 0; at < count; at += piece) {
    std::vector<float> part;
    for (size_t channel = 0; channel < channels; ++channel) {
      const auto own = samples.subspan(channel * count + at, std::min(piece, count - at));
      part.insert(part.end(), own.begin(), own.end());
    }
    stream.feed(part);
    while (!stream.step(1)) continue;
  }
  stream.finish();
  while (!stream.step(1)) continue;
  FeatureMatrix matrix;
  matrix.frame_count = stream.frame_count();
  EXPECT_EQ(stream.ready_count(), matrix.frame_count);
  if (is_normalised) {
    stream.normalised(0, matrix.frame_count, matrix.values);
  } else {
    stream.plain(0, matrix.frame_count, matrix.values);
  }
  return matrix;
}

/// The features before normalization.
FeatureMatrix computed(const SpeechFeatureSettings& settings, std::span<const float> samples) {
  return streamed(settings, samples, false);
}

/// The value of feature `row` at frame `t`.
float at_of(const FeatureMatrix& features, size_t row, size_t t) {
  return features.values[row * features.frame_count + t];
}

struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread spread_of(std::span<const float> values) {
  Spread spread;
  for (const float value : values) spread.mean += static_cast<double>(value);
  spread.mean /= static_cast<double>(values.size());
  for (const float value : values) {
    spread.deviation += std::pow(static_cast<double>(value) - spread.mean, 2);
  }
  spread.deviation = std::sqrt(spread.deviation / static_cast<double>(values.size()));
  return spread;
}

void expect_refused(const SpeechFeatureSettings& settings, std::string_view flag) {
  const auto features = SpeechFeatures::make(settings);
  ASSERT_FALSE(features.has_value());
  EXPECT_TRUE(features.error().code == ErrorCode::malformed);
  EXPECT_EQ(features.error().subject.view(), flag);
}

}  // namespace

SUSURRUS_TEST(mfsc_have_the_values_of_the_sheet) {
  const FeatureMatrix features =
      computed({.kind = SpeechFeatureKind::mfsc, .filterbanks = 80}, sheet_signal());
  ASSERT_EQ(features.frame_count, 98u);
  ASSERT_EQ(features.values.size(), 98u * 80u);
  const std::pair<size_t, double> expected[] = {{0, 4.2701},  {1, 4.4868},  {5, 4.2690},
                                                {8, 4.6271},  {10, 5.5530}, {20, 9.3868},
                                                {79, 10.3117}};
  for (const auto& [bin, value] : expected) EXPECT_NEAR(at_of(features, bin, 0), value, 1e-4);
  const Spread spread = spread_of(features.values);
  EXPECT_NEAR(spread.mean, 7.82834, 1e-5);
  EXPECT_NEAR(spread.deviation, 2.13267, 1e-5);
}

SUSURRUS_TEST(the_whole_recording_is_normalised_and_silence_stays_silent) {
  const SpeechFeatureSettings settings{.kind = SpeechFeatureKind::mfsc, .filterbanks = 40};
  const FeatureMatrix matrix = streamed(settings, sheet_signal(), true);
  const Spread spread = spread_of(matrix.values);
  EXPECT_NEAR(spread.mean, 0, 1e-6);
  EXPECT_NEAR(spread.deviation, 1, 1e-6);
  const FeatureMatrix silence = streamed(settings, std::vector<float>(16000), true);
  for (const float value : silence.values) EXPECT_EQ(value, 0.0F);
}

SUSURRUS_TEST(local_normalization_looks_at_the_frames_around) {
  const SpeechFeatureSettings settings{
      .kind = SpeechFeatureKind::mfsc, .filterbanks = 20, .left_context = 7, .right_context = 3};
  const FeatureMatrix plain = computed(settings, sheet_signal());
  const FeatureMatrix matrix = streamed(settings, sheet_signal(), true);
  for (const size_t t : {size_t{0}, size_t{5}, size_t{50}, plain.frame_count - 1}) {
    std::vector<float> around;
    for (size_t i = t < 7 ? 0 : t - 7; i <= std::min(t + 3, plain.frame_count - 1); ++i) {
      for (size_t row = 0; row < 20; ++row) around.push_back(at_of(plain, row, i));
    }
    const Spread spread = spread_of(around);
    for (size_t row = 0; row < 20; ++row) {
      EXPECT_NEAR(at_of(matrix, row, t), (at_of(plain, row, t) - spread.mean) / spread.deviation,
                  1e-5);
    }
  }
}

SUSURRUS_TEST(magnitudes_are_those_of_a_plain_transform) {
  const std::vector<float> samples = sheet_signal();
  const FeatureMatrix features = computed({.kind = SpeechFeatureKind::pow}, samples);
  ASSERT_EQ(features.values.size(), 257u * 98u);
  for (const size_t bin : {size_t{0}, size_t{1}, size_t{100}, size_t{256}}) {
    double real = 0;
    double imaginary = 0;
    for (size_t i = 0; i < 400; ++i) {
      const double before = static_cast<double>(samples[160 + (i == 0 ? 0 : i - 1)]);
      const double window =
          0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / 399);
      const double value = 32768 * (static_cast<double>(samples[160 + i]) - 0.97 * before) * window;
      const double angle = 2 * std::numbers::pi * static_cast<double>(bin * i) / 512;
      real += value * std::cos(angle);
      imaginary -= value * std::sin(angle);
    }
    const double expected = std::hypot(real, imaginary);
    EXPECT_NEAR(at_of(features, bin, 1), expected, 1e-6 * expected + 1e-3);
  }
}

SUSURRUS_TEST(mfcc_are_lifted_cosines_of_mfsc_with_deltas_behind_them) {
  const std::vector<float> samples = sheet_signal();
  const FeatureMatrix mfsc =
      computed({.kind = SpeechFeatureKind::mfsc, .filterbanks = 20}, samples);
  const FeatureMatrix mfcc = computed(
      {.kind = SpeechFeatureKind::mfcc, .filterbanks = 20, .coefficients = 13, .delta_window = 2},
      samples);
  ASSERT_EQ(mfcc.values.size(), 3u * 13u * 98u);
  for (size_t c = 0; c < 13; ++c) {
    double sum = 0;
    for (size_t i = 0; i < 20; ++i) {
      sum += at_of(mfsc, i, 4) * std::cos(std::numbers::pi * static_cast<double>(c) *
                                          (static_cast<double>(i) + 0.5) / 20);
    }
    const double lift = 1 + 11 * std::sin(std::numbers::pi * static_cast<double>(c) / 22);
    EXPECT_NEAR(at_of(mfcc, c, 4), lift * std::sqrt(0.1) * sum, 1e-4);
    const auto delta = [&](size_t row, size_t t) {
      const auto value = [&](int64_t frame) {
        return static_cast<double>(
            at_of(mfcc, row, static_cast<size_t>(std::clamp<int64_t>(frame, 0, 97))));
      };
      const auto now = static_cast<int64_t>(t);
      return (value(now + 1) - value(now - 1) + 2 * (value(now + 2) - value(now - 2))) / 10;
    };
    for (const size_t t : {size_t{0}, size_t{1}, size_t{40}, size_t{97}}) {
      EXPECT_NEAR(at_of(mfcc, 13 + c, t), delta(c, t), 1e-4);
      EXPECT_NEAR(at_of(mfcc, 26 + c, t), delta(13 + c, t), 1e-4);
    }
  }
}

SUSURRUS_TEST(raw_samples_are_features_and_channels_stay_apart) {
  const std::vector<float> samples = {1, 2, 3, 4, 5, 6};
  const FeatureMatrix raw = computed({.channel_count = 2}, samples);
  EXPECT_EQ(raw.frame_count, 3u);
  EXPECT_TRUE(raw.values == samples);
  std::vector<float> both = sheet_signal();
  const std::vector<float> one = both;
  both.resize(32000);
  const FeatureMatrix two = computed({.kind = SpeechFeatureKind::mfsc, .channel_count = 2}, both);
  const FeatureMatrix first = computed({.kind = SpeechFeatureKind::mfsc}, one);
  ASSERT_EQ(two.values.size(), 2 * first.values.size());
  EXPECT_TRUE(std::equal(first.values.begin(), first.values.end(), two.values.begin()));
  EXPECT_EQ(two.values.back(), 0.0F);
}

SUSURRUS_TEST(features_of_a_stream_are_those_of_the_whole) {
  const std::vector<float> samples = sheet_signal();
  const SpeechFeatureSettings settings[] = {
      {.kind = SpeechFeatureKind::mfcc, .delta_window = 3, .left_context = 7, .right_context = 3},
      // Frames further apart than they are long.
      {.kind = SpeechFeatureKind::mfsc,
       .frame_stride_ms = 31.5,
       .filterbanks = 5,
       .right_context = 2},
      {.channel_count = 2, .left_context = 100},
      {.kind = SpeechFeatureKind::pow, .channel_count = 2}};
  for (const SpeechFeatureSettings& one : settings) {
    const FeatureMatrix whole = streamed(one, samples, true);
    for (const size_t piece : {size_t{1}, size_t{77}, size_t{5000}}) {
      const FeatureMatrix pieces = streamed(one, samples, true, piece);
      EXPECT_EQ(pieces.frame_count, whole.frame_count);
      EXPECT_TRUE(pieces.values == whole.values);
    }
    if (one.left_context + one.right_context == 0) continue;
    const auto features = SpeechFeatures::make(one);
    ASSERT_TRUE(features.has_value());
    FeatureStream stream(*features);
    const size_t rows = whole.row_count();
    size_t first = 0;
    std::vector<float> window;
    // Windows as soon as they are ready, and nothing kept after them.
    for (size_t at = 0; at <= samples.size(); at += 1000) {
      const size_t count = samples.size() / one.channel_count;
      const size_t begin = at / one.channel_count;
      const size_t end = std::min(count, (at + 1000) / one.channel_count);
      std::vector<float> part;
      for (size_t channel = 0; channel < one.channel_count; ++channel) {
        for (size_t i = begin; i < end; ++i) part.push_back(samples[channel * count + i]);
      }
      stream.feed(part);
      if (at == samples.size()) stream.finish();
      while (!stream.step(1 << 20)) continue;
      const size_t last = stream.ready_count();
      if (last == first) continue;
      stream.normalised(first, last, window);
      for (size_t row = 0; row < rows; ++row) {
        for (size_t t = first; t < last; ++t) {
          EXPECT_NEAR(window[row * (last - first) + t - first], at_of(whole, row, t), 1e-5);
        }
      }
      stream.drop_before(last);
      first = last;
    }
    EXPECT_EQ(first, whole.frame_count);
  }
}

SUSURRUS_TEST(recordings_shorter_than_a_frame_have_none) {
  const FeatureMatrix features =
      computed({.kind = SpeechFeatureKind::mfsc}, std::vector<float>(399));
  EXPECT_EQ(features.frame_count, 0u);
  EXPECT_TRUE(features.values.empty());
  EXPECT_EQ(computed({.kind = SpeechFeatureKind::mfsc}, std::vector<float>(400)).frame_count, 1u);
}

SUSURRUS_TEST(settings_that_make_no_features_are_refused_by_their_flag) {
  const auto kind = SpeechFeatureKind::mfcc;
  expect_refused({.kind = kind, .sample_rate = 0}, "flags.samplerate");
  expect_refused({.kind = kind, .frame_size_ms = 0.01}, "flags.framesizems");
  expect_refused({.kind = kind, .frame_stride_ms = 1e9}, "flags.framestridems");
  expect_refused({.kind = kind, .channel_count = 0}, "flags.channels");
  expect_refused({.kind = kind, .filterbanks = 0}, "flags.filterbanks");
  expect_refused({.kind = kind, .filterbanks = 1u << 30}, "flags.filterbanks");
  expect_refused({.kind = kind, .coefficients = 41}, "flags.mfcccoeffs");
  expect_refused({.kind = kind, .mel_floor = 0}, "flags.melfloor");
  expect_refused({.kind = kind, .delta_window = 1u << 30}, "flags.devwin");
}

}  // namespace susurrus::testing::speech_features_test
