// Which segments of a window are kept.
#include "session/segment_filter.h"

#include <algorithm>
#include <string>
#include <vector>

#include "session/recording_run.h"
#include "whisper/random_model.h"

namespace susurrus::testing::segment_filter_test {
namespace {

/// A window of 60 frames. Only frames 10 to 25 sound.
constexpr WindowPlace kPlace = {0, 60};

std::vector<float> burst() {
  std::vector<float> samples(60 * 160, 0.0f);
  for (size_t i = 10 * 160; i < 25 * 160; ++i) samples[i] = i % 2 == 0 ? 0.5f : -0.2f;
  return samples;
}

Segment segment(double start, double end, std::string_view text) {
  Segment made;
  made.start = start;
  made.end = end;
  made.text = text;
  made.tokens = {1};
  return made;
}

SegmentFilter::Outcome filtered(const TranscribeOptions& options,
                                const std::vector<Segment>& segments) {
  auto model = small_model(30);
  if (!EXPECT_TRUE(model != nullptr)) return {};
  const std::vector<float> samples = burst();
  RecordingMel mel(*model, samples.size(), Normalization::window);
  if (!EXPECT_TRUE(mel.fill_window(0, 60) == RecordingMel::Progress::need_audio)) return {};
  std::ranges::copy(samples, mel.samples().begin());
  if (!EXPECT_TRUE(mel.fill_window(0, 60) == RecordingMel::Progress::done)) return {};
  SegmentFilter filter(options, 74);
  return filter.filter({.segments = segments, .rejected = {}, .next_seek = 60, .text_end = {}},
                       kPlace, mel);
}

void expect_texts(const std::vector<Segment>& segments, const std::vector<std::string>& texts) {
  ASSERT_EQ(segments.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(segments[i].text, texts[i]);
}

}  // namespace

SUSURRUS_TEST(text_without_a_word_is_dropped_unless_it_was_asked_for) {
  const std::vector<Segment> segments = {segment(0.1, 0.2, " . ."), segment(0.2, 0.3, " 5"),
                                         segment(0.3, 0.4, " \xE2\x99\xAA")};
  TranscribeOptions options = plain_options("en");
  auto outcome = filtered(options, segments);
  expect_texts(outcome.segments, {" 5"});
  expect_texts(outcome.rejected, {" . .", " \xE2\x99\xAA"});
  for (const Segment& each : outcome.rejected) {
    EXPECT_TRUE(each.decision == Decision::dropped_no_speech);
  }
  EXPECT_EQ(outcome.next_seek, 60u);

  options.decode.allowed = {"."};
  EXPECT_EQ(filtered(options, segments).segments.size(), 3u);
  options.decode.allowed.clear();
  options.is_openai_compatible = true;
  EXPECT_EQ(filtered(options, segments).segments.size(), 3u);
}

SUSURRUS_TEST(text_where_nothing_sounds_is_dropped) {
  // Too short a recording to have a floor: all but digital silence sounds, 0.2 s around it too.
  const std::vector<Segment> segments = {segment(0.1, 0.5, " here"), segment(0.5, 0.6, " there")};
  TranscribeOptions options = plain_options("en");
  auto outcome = filtered(options, segments);
  expect_texts(outcome.segments, {" here"});
  expect_texts(outcome.rejected, {" there"});
  EXPECT_TRUE(outcome.rejected[0].decision == Decision::dropped_silence);
  options.is_openai_compatible = true;
  EXPECT_EQ(filtered(options, segments).segments.size(), 2u);
}

}  // namespace susurrus::testing::segment_filter_test
