// Libc's conversions serve every type, format and locale, which costs a download 9 kB. These serve doubles and JSON: on
// natural numbers that are large enough for exact results, digit by digit, as numbers are few.
#include "base/decimal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace susurrus {
namespace {

/// Digits that decide which double is nearest; of those behind them it only matters whether all are zeros.
constexpr int kMostDigits = 770;

/// A natural number, as large as the largest that read_decimal() makes: kMostDigits times 2^64 times 10^1100.
class Natural {
 public:
  bool is_zero() const { return count_ == 0; }
  size_t bit_count() const {
    return is_zero() ? 0 : 32 * count_ - static_cast<size_t>(std::countl_zero(limbs_[count_ - 1]));
  }
  bool bit(size_t i) const { return i < 32 * count_ && (limbs_[i / 32] >> i % 32 & 1) != 0; }

  void multiply(uint32_t factor, uint32_t summand = 0) {
    uint64_t carry = summand;
    for (size_t i = 0; i < count_; ++i) {
      carry += uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[count_++] = static_cast<uint32_t>(carry);
  }
  /// Times base^power, where base^step is the largest power that a limb holds.
  void multiply_power(uint32_t base, int step, int power) {
    for (; power > 0; power -= step) multiply(raised(base, std::min(power, step)));
  }
  /// Times 2^(32 limbs).
  void shift(size_t limbs) {
    std::copy_backward(limbs_.begin(), limbs_.begin() + count_, limbs_.begin() + count_ + limbs);
    std::fill_n(limbs_.begin(), limbs, 0u);
    count_ += limbs;
  }
  /// Answers the rest.
  uint32_t divide(uint32_t divisor) {
    uint64_t rest = 0;
    for (size_t i = count_; i-- > 0;) {
      rest = rest << 32 | limbs_[i];
      limbs_[i] = static_cast<uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (count_ > 0 && limbs_[count_ - 1] == 0) --count_;
    return static_cast<uint32_t>(rest);
  }

  static uint32_t raised(uint32_t base, int power) {
    uint32_t result = 1;
    while (power-- > 0) result *= base;
    return result;
  }

 private:
  size_t count_ = 0;  // the highest limb is not 0
  std::array<uint32_t, 208> limbs_;
};

/// Its decimal digits, the highest first, none of zero; nothing is left of it.
std::string take_digits(Natural& number) {
  std::string digits;
  while (!number.is_zero()) {
    uint32_t nine = number.divide(1'000'000'000);
    for (int i = 0; i < 9; ++i, nine /= 10) digits += static_cast<char>('0' + nine % 10);
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

/// To `count` digits at most, ties to even, and without zeros at the end; answers whether there is one more before the point.
bool round_digits(std::string& digits, size_t count) {
  bool has_carry = false;
  if (digits.size() > count) {
    const bool is_odd = (digits[count - 1] - '0') % 2 != 0;
    const std::string_view rest = std::string_view(digits).substr(count);
    const bool is_more = rest.find_last_not_of('0') > 0;
    has_carry = rest[0] > '5' || (rest[0] == '5' && (is_more || is_odd));
    digits.resize(count);
    for (size_t i = count; has_carry && i-- > 0;) {
      has_carry = digits[i] == '9';
      digits[i] = has_carry ? '0' : static_cast<char>(digits[i] + 1);
    }
    if (has_carry) digits.insert(0, 1, '1');
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  return has_carry;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// number * 2^exponent, and `has_more` says whether something was lost of it, as the nearest double.
double nearest_double(const Natural& number, int exponent, bool has_more) {
  const int bit_count = static_cast<int>(number.bit_count());
  // A double has 53 bits, fewer where the lowest would be less than 2^-1074.
  const int dropped = std::max({bit_count - 53, -1074 - exponent, 0});
  uint64_t mantissa = 0;
  for (int i = bit_count; i-- > dropped;)
    mantissa = 2 * mantissa + number.bit(static_cast<size_t>(i));
  if (dropped > 0 && number.bit(static_cast<size_t>(dropped) - 1)) {
    for (int i = dropped - 1; !has_more && i-- > 0;) has_more = number.bit(static_cast<size_t>(i));
    if (has_more || mantissa % 2 != 0) ++mantissa;
  }
  return std::ldexp(static_cast<double>(mantissa), exponent + dropped);
}

}  // namespace

std::string decimal_text(double number, size_t digits) {
  std::string text = std::signbit(number) ? "-" : "";
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return text + "inf";
  if (number == 0) return text + "0";

  // number = mantissa * 2^exponent = value / 10^places
  int exponent;
  auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(number), &exponent), 53));
  exponent -= 53;
  Natural value;
  value.multiply(0, static_cast<uint32_t>(mantissa >> 32));
  value.shift(1);
  value.multiply(1, static_cast<uint32_t>(mantissa));
  value.multiply_power(2, 31, exponent);
  value.multiply_power(5, 13, -exponent);
  std::string shown = take_digits(value);
  int power = static_cast<int>(shown.size()) - 1 - std::max(0, -exponent);  // of the first digit
  power += round_digits(shown, digits);

  if (power < -4 || power >= static_cast<int>(digits)) {
    if (shown.size() > 1) shown.insert(1, 1, '.');
    text += shown;
    text += power < 0 ? "e-" : "e+";
    power = std::abs(power);
    if (power < 10) text += '0';
    return text + std::to_string(power);
  }
  if (power < 0) return text + "0." + std::string(static_cast<size_t>(-power - 1), '0') + shown;
  const auto whole = static_cast<size_t>(power) + 1;
  if (shown.size() < whole) shown.resize(whole, '0');
  if (shown.size() > whole) shown.insert(whole, 1, '.');
  return text + shown;
}

double read_decimal(const char* text, const char** end) {
  const bool is_negative = *text == '-';
  text += is_negative;
  Natural number;
  int power = 0;  // of ten
  int digit_count = 0;
  bool has_point = false;
  bool has_more = false;
  for (; is_digit(*text) || (*text == '.' && !has_point); ++text) {
    if (*text == '.') {
      has_point = true;
      continue;
    }
    if (digit_count < kMostDigits) {
      number.multiply(10, static_cast<uint32_t>(*text - '0'));
      digit_count += !number.is_zero();
      power -= has_point;
    } else {
      has_more |= *text != '0';
      power += !has_point;
    }
  }
  if (*text == 'e' || *text == 'E') {
    ++text;
    const bool is_below_one = *text == '-';
    text += *text == '-' || *text == '+';
    int exponent = 0;
    // What is beyond can only be 0 or infinity, however many digits stand before it.
    for (; is_digit(*text); ++text) {
      if (exponent < 100'000'000) exponent = 10 * exponent + (*text - '0');
    }
    power += is_below_one ? -exponent : exponent;
  }
  *end = text;

  const int magnitude = digit_count + power;
  double value = 0;
  if (magnitude > 310 && !number.is_zero()) {
    value = std::numeric_limits<double>::infinity();
  } else if (magnitude > -330 && !number.is_zero()) {
    number.multiply_power(10, 9, power);
    int exponent = 0;
    if (power < 0) {
      // So many bits more that 64 are left of them.
      const int limbs = (65 - power * 10 / 3) / 32 + 1;
      number.shift(static_cast<size_t>(limbs));
      exponent = -32 * limbs;
    }
    for (; power < 0; power += 9) {
      has_more |= number.divide(Natural::raised(10, std::min(-power, 9))) != 0;
    }
    value = nearest_double(number, exponent, has_more);
  }
  return is_negative ? -value : value;
}

}  // namespace susurrus
