#include "graph/buffer_layout.h"

#include <algorithm>
#include <vector>

#include "harness.h"

namespace susurrus::testing::buffer_layout_test {
namespace {

std::vector<Buffer> drawn_buffers(size_t count, uint32_t longest) {
  uint32_t state = 1;
  const auto draw = [&](uint32_t most) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % (most + 1);
  };
  std::vector<Buffer> buffers(count);
  for (uint32_t i = 0; i < count; ++i) {
    buffers[i] = {i, i + draw(longest), 64 * uint64_t{1 + draw(40)}};
  }
  return buffers;
}

/// Bytes that are needed in the step that needs most.
uint64_t most_needed(const std::vector<Buffer>& buffers) {
  std::vector<int64_t> changes(2 * buffers.size() + 1000);
  for (const Buffer& one : buffers) {
    changes[one.first] += static_cast<int64_t>(one.byte_count);
    changes[one.last + 1] -= static_cast<int64_t>(one.byte_count);
  }
  int64_t now = 0;
  int64_t most = 0;
  for (const int64_t change : changes) most = std::max(most, now += change);
  return static_cast<uint64_t>(most);
}

void expect_apart(const std::vector<Buffer>& buffers, uint32_t longest) {
  size_t overlaps = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& one = buffers[i];
    // Those that begin later than this one ends are apart.
    for (size_t k = i + 1; k < buffers.size() && k <= i + longest; ++k) {
      const Buffer& other = buffers[k];
      const bool is_apart = other.first > one.last || other.place >= one.place + one.byte_count ||
                            one.place >= other.place + other.byte_count;
      overlaps += is_apart ? 0 : 1;
    }
  }
  EXPECT_EQ(overlaps, size_t{0});
}

}  // namespace

SUSURRUS_TEST(buffers_that_are_needed_at_the_same_time_lie_apart) {
  for (const size_t count : {size_t{1}, size_t{100}, size_t{3000}, size_t{200000}}) {
    for (const uint32_t longest : {1U, 7U, 60U}) {
      std::vector<Buffer> buffers = drawn_buffers(count, longest);
      const uint64_t end = lay_buffers(buffers);
      expect_apart(buffers, longest);
      EXPECT_TRUE(end >= most_needed(buffers));
      EXPECT_TRUE(end <= 2 * most_needed(buffers));
    }
  }
}

SUSURRUS_TEST(no_buffers_take_no_bytes) { EXPECT_EQ(lay_buffers({}), uint64_t{0}); }

SUSURRUS_TEST(a_chain_of_equal_buffers_takes_two) {
  for (const uint32_t count : {10U, 20000U}) {
    std::vector<Buffer> buffers(count);
    for (uint32_t i = 0; i < count; ++i) buffers[i] = {i, i + 1, 64};
    EXPECT_EQ(lay_buffers(buffers), uint64_t{128});
  }
}

}  // namespace susurrus::testing::buffer_layout_test
