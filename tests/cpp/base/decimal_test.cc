// Both directions against libc's, which is slower to download but right.
#include "base/decimal.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "harness.h"

namespace susurrus::testing::decimal_test {
namespace {

/// Bits that look random, the same every time.
class Bits {
 public:
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }

 private:
  uint64_t state_ = 9;
};

void check_text(double number) {
  for (const int digits : {1, 2, 6, 9, 15, 17}) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    EXPECT_EQ(decimal_text(number, static_cast<size_t>(digits)), std::string(text));
  }
}

void check_number(const std::string& text) {
  char* libc_end;
  const double expected = std::strtod(text.c_str(), &libc_end);
  const char* end;
  const double number = read_decimal(text.c_str(), &end);
  EXPECT_EQ(end - text.c_str(), libc_end - text.c_str());
  // A zero has a sign too.
  EXPECT_EQ(std::bit_cast<uint64_t>(number), std::bit_cast<uint64_t>(expected));
  if (current_case_failed()) std::printf("  of %.80s\n", text.c_str());
}

}  // namespace

SUSURRUS_TEST(decimal_text_is_that_of_libc) {
  using Limits = std::numeric_limits<double>;
  for (const double number : {0.0,
                              -0.0,
                              0.1,
                              0.5,
                              1.0,
                              1.5,
                              2.5,
                              9.5,
                              0.95,
                              9.9999999,
                              99999.95,
                              999999.5,
                              123456.0,
                              1234567.0,
                              1e15,
                              1e16,
                              1e17,
                              1e21,
                              1e22,
                              1e-4,
                              9.9999e-5,
                              1e-5,
                              0.00012345678901234567,
                              -1.0 / 3,
                              4096.0,
                              9007199254740993.0,
                              1e100,
                              1e-100,
                              Limits::min(),
                              Limits::denorm_min(),
                              Limits::max(),
                              Limits::epsilon(),
                              Limits::infinity(),
                              -Limits::infinity()}) {
    check_text(number);
  }
  EXPECT_EQ(decimal_text(Limits::quiet_NaN(), 6), std::string("nan"));
  Bits bits;
  for (int i = 0; i < 3000 && !current_case_failed(); ++i) {
    const auto number = std::bit_cast<double>(bits.next());
    if (number == number) check_text(number);
    check_text(static_cast<double>(bits.next() % 2000001) / 1000 - 1000);
  }
}

SUSURRUS_TEST(decimal_numbers_are_read_as_libc_reads_them) {
  const std::string zeros(400, '0');
  const std::string ones(900, '1');
  for (const std::string& text :
       {std::string("0"), std::string("-0"), std::string("0.0"), std::string("-0e5"),
        std::string("0e999999999999"), std::string("1"), std::string("-12.5"), std::string("1e3,"),
        std::string("1E+2]"), std::string("1.5e-3}"), std::string("1e308"), std::string("1e309"),
        std::string("-1e400"), std::string("1e999999999999"), std::string("1e-999999999999"),
        std::string("1.7976931348623157e308"), std::string("1.7976931348623158e308"),
        std::string("1.7976931348623159e308"), std::string("17976931348623159e292"),
        // Halfway between two doubles, and a little to either side.
        std::string("9007199254740993"), std::string("9007199254740992.9999999999"),
        std::string("9007199254740993.0000000001"), std::string("9007199254740995"),
        "9007199254740993." + zeros + "1", std::string("1.00000000000000011102230246251565404"),
        std::string("1.00000000000000011102230246251565405"),
        // Where doubles lose bits, and end.
        std::string("2.2250738585072014e-308"), std::string("2.2250738585072011e-308"),
        std::string("4.9406564584124654e-324"), std::string("2.4703282292062328e-324"),
        std::string("2.4703282292062327e-324"), std::string("1e-325"), std::string("3e-324"),
        // Many digits.
        "0." + zeros + "1", "0." + zeros + "1e400", "1" + zeros + "e-400", "1" + zeros, ones,
        ones + "e-900", "0." + ones, ones + "." + ones + "e-1200", "-" + zeros + "." + zeros}) {
    check_number(text);
  }
  Bits bits;
  for (int i = 0; i < 3000 && !current_case_failed(); ++i) {
    char text[64];
    const auto number = std::bit_cast<double>(bits.next());
    if (number - number != 0) continue;
    std::snprintf(text, sizeof text, "%.*g", 1 + i % 20, number);
    check_number(text);
    const int power = static_cast<int>(bits.next() % 700) - 350;
    check_number(std::to_string(bits.next()) + "." + std::to_string(bits.next()) + "e" +
                 std::to_string(power));
  }
}

SUSURRUS_TEST(short_decimal_numbers_of_every_magnitude_are_read_as_libc_reads_them) {
  Bits bits;
  for (int power = -350; power <= 315 && !current_case_failed(); ++power) {
    for (const uint64_t number :
         {uint64_t{1}, 1 + bits.next() % 999, bits.next() >> 11, ~uint64_t{0}}) {
      check_number(std::to_string(number) + "e" + std::to_string(power));
    }
  }
}

// Where 96 bits do not tell which double is nearest.
SUSURRUS_TEST(decimal_numbers_next_to_the_middle_between_doubles_are_read_as_libc_reads_them) {
  Bits bits;
  for (int i = 0; i < 3000 && !current_case_failed(); ++i) {
    const uint64_t lower = (bits.next() % 2046 << 52) | bits.next() >> 12;
    const long double half = (static_cast<long double>(std::bit_cast<double>(lower)) +
                              static_cast<long double>(std::bit_cast<double>(lower + 1))) /
                             2;
    char text[64];
    std::snprintf(text, sizeof text, "%.*Le", 17 + i % 25, half);
    check_number(text);
  }
}

// Numbers have up to 770 digits, and the last one decides.
SUSURRUS_TEST(decimal_numbers_halfway_between_doubles_are_read_to_the_last_digit) {
  Bits bits;
  for (int i = 0; i < 300 && !current_case_failed(); ++i) {
    // From 2^-1074 up to 2^40; a long double has room for one bit more.
    const uint64_t lower = (bits.next() % 1063 << 52) | bits.next() >> 12;
    const long double half = (static_cast<long double>(std::bit_cast<double>(lower)) +
                              static_cast<long double>(std::bit_cast<double>(lower + 1))) /
                             2;
    char digits[1200];
    std::snprintf(digits, sizeof digits, "%.1100Lf", half);
    std::string text = digits;
    text.erase(text.find_last_not_of('0') + 1);
    check_number(text);
    check_number(text + "1");
    ASSERT_TRUE(text.back() == '5');
    text.back() = '4';
    check_number(text + "9");
  }
}

}  // namespace susurrus::testing::decimal_test
