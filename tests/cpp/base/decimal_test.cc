#include "base/decimal.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "harness.h"

namespace susurrus::testing {
namespace {

std::string written(double number, int digits) {
  char room[32];
  return std::string(write_decimal(number, digits, room));
}

std::string by_printf(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, number);
  return text;
}

bool is_same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

/// Every exponent, the ends of every range, and halves of places.
std::vector<double> numbers() {
  std::vector<double> list = {0.0,
                              -0.0,
                              0.5,
                              1.5,
                              2.5,
                              9.5,
                              99.5,
                              0.1,
                              0.25,
                              1e-5,
                              0.0001,
                              0.00012345,
                              123456.5,
                              999999.5,
                              999999.4,
                              1e15,
                              1e16,
                              1e17,
                              123456789012345678.0,
                              5e-324,
                              2.2250738585072014e-308,
                              2.225073858507201e-308,
                              std::numeric_limits<double>::max(),
                              9007199254740993.0};
  uint64_t state = 7;
  for (int exponent = 0; exponent < 2047; ++exponent) {
    for (int i = 0; i < 3; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      list.push_back(
          std::bit_cast<double>(uint64_t(exponent) << 52 | state >> 12 | (state & 1) << 63));
    }
    list.push_back(std::bit_cast<double>(uint64_t(exponent) << 52));
  }
  for (int i = 0; i < 2000; ++i) list.push_back(i / 64.0);
  return list;
}

}  // namespace

SUSURRUS_TEST(decimals_are_written_as_printf_writes_them) {
  for (double number : numbers()) {
    for (int digits : {1, 6, 9, 15, 17}) {
      EXPECT_EQ(written(number, digits), by_printf(number, digits));
    }
  }
  EXPECT_EQ(written(std::numeric_limits<double>::infinity(), 6), "inf");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity(), 6), "-inf");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN(), 6), "nan");
}

SUSURRUS_TEST(decimals_are_read_to_the_nearest_double) {
  for (double number : numbers()) {
    EXPECT_TRUE(is_same(read_decimal(by_printf(number, 17)), number));
    for (int digits : {1, 9, 16, 18, 25}) {
      const std::string text = by_printf(number, digits);
      EXPECT_TRUE(is_same(read_decimal(text), std::strtod(text.c_str(), nullptr)));
    }
  }
  // Halves between two doubles, and a little beside them; many digits; the ends of the range.
  const std::string half = "9007199254740993";
  const std::string zeros(900, '0');
  const std::vector<std::string> texts = {half,
                                          half + ".0",
                                          half + "." + zeros + "1",
                                          half + "." + zeros,
                                          "0." + zeros + half + "e901",
                                          half + zeros + "e-900",
                                          "1" + zeros + "e-900",
                                          "2.4703282292062327e-324",
                                          "2.4703282292062328e-324",
                                          "2.47032822920623272088284396434110686182e-324",
                                          "1.7976931348623158e308",
                                          "1.7976931348623159e308",
                                          "1e400",
                                          "-1e-400",
                                          "1e-99999999999999999999",
                                          "1E+2",
                                          "-0",
                                          "0e5",
                                          "8.5e0",
                                          "0.000001e+6",
                                          std::string(700, '7'),
                                          std::string(300, '9'),
                                          "0." + std::string(400, '3')};
  for (const std::string& text : texts) {
    EXPECT_TRUE(is_same(read_decimal(text), std::strtod(text.c_str(), nullptr)));
  }
}

}  // namespace susurrus::testing
