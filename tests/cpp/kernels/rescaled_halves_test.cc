// Rescaled f16 weights keep their values; where one cannot be rescaled, none is.
#include "kernels/packed_weights/rescaled_halves.h"

#include <bit>
#include <vector>

#include "harness.h"

namespace susurrus::testing::rescaled_halves_test {
namespace {

constexpr uint16_t kFirstTooLarge = 0x5400;  // 64

std::vector<uint8_t> stored(const std::vector<uint16_t>& halves) {
  std::vector<uint8_t> bytes;
  for (const uint16_t half : halves) {
    bytes.push_back(static_cast<uint8_t>(half));
    bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return bytes;
}

void expect_same_values(const std::vector<uint16_t>& halves) {
  std::vector<uint8_t> bytes = stored(halves);
  ASSERT_TRUE(rescale_halves(bytes));
  for (size_t i = 0; i < halves.size() && !current_case_failed(); ++i) {
    const float value = f32_from_rescaled_half(load_u16(bytes.data() + 2 * i));
    EXPECT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(f32_from_f16(halves[i])));
    // None of them is subnormal.
    EXPECT_TRUE((load_u16(bytes.data() + 2 * i) & 0x7FFF) == 0 ||
                (load_u16(bytes.data() + 2 * i) & 0x7C00) != 0);
  }
}

SUSURRUS_TEST(every_half_below_64_is_rescaled_exactly) {
  std::vector<uint16_t> halves;
  for (uint16_t magnitude = 0; magnitude < kFirstTooLarge; ++magnitude) {
    halves.push_back(magnitude);
    halves.push_back(static_cast<uint16_t>(magnitude | 0x8000));
  }
  expect_same_values(halves);
  // Subnormal ones among others, at every place, and what is left behind the last sixteen.
  for (size_t place = 0; place < 35; ++place) {
    std::vector<uint16_t> mixed(35, 0x1234);
    mixed[place] = 0x8001;
    expect_same_values(mixed);
  }
}

SUSURRUS_TEST(halves_stay_as_they_are_where_one_is_too_large) {
  std::vector<uint16_t> halves;
  for (uint32_t i = 0; i < 20000; ++i) halves.push_back(static_cast<uint16_t>(i * 7 % 0x5400));
  for (const size_t place : {size_t{0}, size_t{5000}, halves.size() - 1}) {
    for (const uint16_t large : {uint16_t{0x5400}, uint16_t{0xFC00}, uint16_t{0x7E01}}) {
      std::vector<uint16_t> with_large = halves;
      with_large[place] = large;
      std::vector<uint8_t> bytes = stored(with_large);
      EXPECT_FALSE(rescale_halves(bytes));
      EXPECT_TRUE(bytes == stored(with_large));
    }
  }
}

}  // namespace
}  // namespace susurrus::testing::rescaled_halves_test
