#include "container/bw2l/bw2l_number.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include "harness.h"

namespace susurrus::testing::bw2l_number_test {

/// Every text of up to five of these characters, beside libc's strtod.
SUSURRUS_TEST(bw2l_numbers_are_those_of_libc) {
  constexpr std::string_view kCharacters = "10.e+-E";
  size_t numbers = 0;
  for (size_t length = 0, count = 1; length <= 5; ++length, count *= kCharacters.size()) {
    for (size_t drawn = 0; drawn < count; ++drawn) {
      std::string text;
      for (size_t rest = drawn; text.size() < length; rest /= kCharacters.size()) {
        text += kCharacters[rest % kCharacters.size()];
      }
      char* end = nullptr;
      const double expected = std::strtod(text.c_str(), &end);
      const bool is_number = !text.empty() && end == text.c_str() + text.size();
      const auto number = parse_decimal(text);
      EXPECT_EQ(number.has_value(), is_number && std::isfinite(expected));
      if (number) EXPECT_EQ(*number, expected);
      numbers += number.has_value();
    }
  }
  EXPECT_TRUE(numbers > 300);
}

SUSURRUS_TEST(bw2l_numbers_are_decimal_and_finite) {
  for (const char* text : {"nan", "inf", "0x10", "1e400", " 1", "1 ", "1f", "1,5"}) {
    EXPECT_TRUE(!parse_decimal(text).has_value());
  }
  EXPECT_TRUE(!parse_decimal(std::string(65, '1')).has_value());
  EXPECT_EQ(parse_decimal("-0.1").value_or(0), -0.1);
  EXPECT_EQ(parse_decimal("+1.7976931348623157e308").value_or(0), 1.7976931348623157e308);
}

}  // namespace susurrus::testing::bw2l_number_test
