#include "base/sort.h"

#include <algorithm>
#include <vector>

#include "harness.h"

namespace susurrus::testing::sort_test {
namespace {

std::vector<uint32_t> random_values(size_t count, uint32_t range, uint32_t seed) {
  std::vector<uint32_t> values(count);
  for (uint32_t& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = (seed >> 8) % range;
  }
  return values;
}

SUSURRUS_TEST(heap_sort_orders_like_the_standard_librarys) {
  for (size_t count : {0, 1, 2, 3, 7, 64, 1000}) {
    for (uint32_t range : {1u, 3u, 1000000u}) {
      std::vector<uint32_t> values = random_values(count, range, static_cast<uint32_t>(count));
      std::vector<uint32_t> expected = values;
      heap_sort(values, [](uint32_t a, uint32_t b) { return a > b; });
      std::sort(expected.begin(), expected.end(), std::greater<uint32_t>());
      EXPECT_TRUE(values == expected);
    }
  }
}

SUSURRUS_TEST(sort_unique_keeps_each_value_once) {
  std::vector<uint32_t> values = random_values(200, 50, 1);
  std::vector<uint32_t> expected = values;
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  sort_unique(values);
  EXPECT_TRUE(values == expected);
  std::vector<uint32_t> nothing;
  sort_unique(nothing);
  EXPECT_TRUE(nothing.empty());
}

}  // namespace
}  // namespace susurrus::testing::sort_test
