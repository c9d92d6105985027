// Which parts of a recording are transcribed.
#include "session/clips.h"

#include "harness.h"

namespace susurrus::testing::clips_test {
namespace {

/// Every window until the end, each one left by its whole length.
std::vector<WindowPlace> windows_of(const std::vector<double>& seconds, uint64_t content_frames) {
  auto clips = Clips::create(seconds, Clips::Order::any);
  std::vector<WindowPlace> windows;
  if (!EXPECT_TRUE(clips.has_value())) return windows;
  uint64_t seek = 0;
  while (auto place = clips->next_window(seek, content_frames, 3000)) {
    windows.push_back(*place);
    seek = place->end();
  }
  return windows;
}

using Windows = std::vector<WindowPlace>;

}  // namespace

SUSURRUS_TEST(a_clip_without_an_end_runs_to_that_of_the_recording) {
  EXPECT_TRUE(windows_of({0}, 3500) == (Windows{{0, 3000}, {3000, 500}}));
  EXPECT_TRUE(windows_of({}, 100) == (Windows{{0, 100}}));
  EXPECT_TRUE(windows_of({0.5}, 100) == (Windows{{50, 50}}));
  EXPECT_TRUE(windows_of({}, 0).empty());
}

SUSURRUS_TEST(windows_are_cut_where_their_clip_ends) {
  EXPECT_TRUE(windows_of({3.5, 12.25, 20}, 3500) == (Windows{{350, 875}, {2000, 1500}}));
  // Where the next clip lies before this one, it goes back.
  EXPECT_TRUE(windows_of({5, 6, 1, 2}, 3500) == (Windows{{500, 100}, {100, 100}}));
  // Halves of a frame go to the even neighbour.
  EXPECT_TRUE(windows_of({0.125, 0.375}, 3500) == (Windows{{12, 26}}));
}

SUSURRUS_TEST(nothing_is_heard_past_the_end) {
  EXPECT_TRUE(windows_of({1, 100}, 200) == (Windows{{100, 100}}));
  EXPECT_TRUE(windows_of({3, 4}, 200).empty());
  // No clip at all, or one that ends before it begins.
  EXPECT_TRUE(windows_of({1, 1, 2, 1}, 500).empty());
}

SUSURRUS_TEST(a_position_past_a_clip_goes_on_with_the_next) {
  auto clips = Clips::create(std::vector<double>{0, 1, 5, 6}, Clips::Order::rising);
  ASSERT_TRUE(clips.has_value());
  EXPECT_TRUE(clips->next_window(40, kUnknownFrames, 3000) == (WindowPlace{40, 60}));
  EXPECT_TRUE(clips->next_window(300, kUnknownFrames, 3000) == (WindowPlace{500, 100}));
  EXPECT_FALSE(clips->next_window(600, kUnknownFrames, 3000).has_value());
}

SUSURRUS_TEST(clips_that_have_to_rise_are_refused_otherwise) {
  const std::vector<double> falling = {5, 6, 1, 2};
  EXPECT_TRUE(Clips::create(falling, Clips::Order::any).has_value());
  auto refused = Clips::create(falling, Clips::Order::rising);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().subject.view(), "clipTimestamps");
  EXPECT_TRUE(Clips::create(std::vector<double>{1, 1, 1, 2}, Clips::Order::rising).has_value());
}

}  // namespace susurrus::testing::clips_test
