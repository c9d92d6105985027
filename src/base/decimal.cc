// Libc's conversions serve every type, format and locale, which costs a download 9 kB. These serve doubles and JSON. Texts
// are made from natural numbers that are large enough for exact results, digit by digit, as they are few. Numbers are read
// with 96 bits; only where these cannot tell which double is nearest, natural numbers decide. A file may be nothing but
// numbers of its author's choice.
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

/// Digits that decide which double is nearest; of those after them it only matters whether all are zeros.
constexpr int kMostDigits = 770;
/// Digits that fit 64 bits.
constexpr int kFewDigits = 19;

/// A natural number, as large as the largest that is_above_middle() makes: 54 bits times 5^1100.
class Natural {
 public:
  bool is_zero() const { return count_ == 0; }

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
  /// A number of 64 bits in place of this one.
  void set(uint64_t number) {
    limbs_[0] = static_cast<uint32_t>(number);
    limbs_[1] = static_cast<uint32_t>(number >> 32);
    count_ = limbs_[1] != 0 ? 2 : limbs_[0] != 0;
  }
  /// Returns the rest.
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

  /// Below, at or above 0 as this is below, equal to or above the other.
  int compare(const Natural& other) const {
    if (count_ != other.count_) return count_ < other.count_ ? -1 : 1;
    for (size_t i = count_; i-- > 0;) {
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
    }
    return 0;
  }

 private:
  static uint32_t raised(uint32_t base, int power) {
    uint32_t result = 1;
    while (power-- > 0) result *= base;
    return result;
  }

  size_t count_ = 0;  // the highest limb is not 0
  std::array<uint32_t, 100> limbs_;
};

/// limbs * 2^exponent, the lowest limb first; the highest bit is set.
struct Scaled {
  uint32_t limbs[3];
  int exponent;
};

/// Too small by less than 1 in the lowest limb, where the factors are exact.
constexpr Scaled product(const Scaled& a, const Scaled& b) {
  uint32_t all[6] = {};
  for (int i = 0; i < 3; ++i) {
    uint64_t carry = 0;
    for (int j = 0; j < 3; ++j) {
      carry += uint64_t{a.limbs[i]} * b.limbs[j] + all[i + j];
      all[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    all[i + 3] = static_cast<uint32_t>(carry);
  }
  const int free = all[5] >> 31 ? 0 : 1;
  Scaled result = {{}, a.exponent + b.exponent + 96 - free};
  for (int i = 0; i < 3; ++i) {
    result.limbs[i] =
        static_cast<uint32_t>((uint64_t{all[i + 3]} << 32 | all[i + 2]) >> (32 - free));
  }
  return result;
}

/// 10 or 1/10 to the power of 1, 2, 4, … 256: too small by less than 2^10 in the lowest limb.
constexpr std::array<Scaled, 9> powers_of(Scaled base) {
  std::array<Scaled, 9> powers = {base};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = product(powers[i - 1], powers[i - 1]);
  return powers;
}
constexpr std::array<Scaled, 9> kPowersOfTen[] = {
    powers_of({{0, 0, 0xA0000000}, -92}),
    powers_of({{0xCCCCCCCC, 0xCCCCCCCC, 0xCCCCCCCC}, -99}),
};

/// number * 10^power, where number > 0 and |power| < 512: too small by less than 2^12 in the lowest limb.
Scaled scaled(uint64_t number, int power) {
  const int free = std::countl_zero(number);
  number <<= free;
  Scaled result = {{0, static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)},
                   -32 - free};
  const std::array<Scaled, 9>& powers = kPowersOfTen[power < 0];
  power = std::abs(power);
  for (size_t i = 0; power >> i != 0; ++i) {
    if ((power >> i & 1) != 0) result = product(result, powers[i]);
  }
  return result;
}

/// The nearest double, ties to even.
double nearest_double(const Scaled& number) {
  const uint64_t high = uint64_t{number.limbs[2]} << 32 | number.limbs[1];
  // A double has 53 bits, fewer where the lowest would be less than 2^-1074.
  const int exponent = number.exponent + 32;
  const int dropped = std::max(11, -1074 - exponent);
  if (dropped > 64) return 0;
  uint64_t mantissa = dropped == 64 ? 0 : high >> dropped;
  // The first bit that is dropped is the highest one here; the rest shall not be lost.
  const uint64_t rest = high << (64 - dropped) | (number.limbs[0] != 0);
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  if (rest > kHalf || (rest == kHalf && mantissa % 2 != 0)) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), exponent + dropped);
}

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

/// To `count` digits at most, ties to even, and without zeros at the end; returns whether there is one more before the point.
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

/// The digits of a number: an integer times 10^power, and whether something other than zeros follows them.
struct Digits {
  int count = 0;  // without zeros in front
  int power = 0;
  bool has_more = false;
  const char* end = nullptr;
};

/// Tells `add` the first `most` digits, and zeros in front of them.
template <typename Add>
Digits read_digits(const char* text, int most, Add&& add) {
  Digits found;
  bool has_point = false;
  for (; is_digit(*text) || (*text == '.' && !has_point); ++text) {
    if (*text == '.') {
      has_point = true;
      continue;
    }
    const auto digit = static_cast<uint32_t>(*text - '0');
    if (found.count < most) {
      add(digit);
      found.count += found.count > 0 || digit != 0;
      found.power -= has_point;
    } else {
      found.has_more |= digit != 0;
      found.power += !has_point;
    }
  }
  found.end = text;
  return found;
}

/// Whether the number that these digits begin is nearer to the double above `lower` than to `lower`, by ties to even.
bool is_above_middle(const char* text, int exponent, double lower) {
  Natural number;
  uint32_t factor = 1;
  uint32_t pending = 0;
  const Digits digits = read_digits(text, kMostDigits, [&](uint32_t digit) {
    factor *= 10;
    pending = 10 * pending + digit;
    if (factor < 1'000'000'000) return;
    number.multiply(factor, pending);
    factor = 1;
    pending = 0;
  });
  number.multiply(factor, pending);
  const int power = digits.power + exponent;

  const auto bits = std::bit_cast<uint64_t>(lower);
  const auto biased = static_cast<int>(bits >> 52);
  const uint64_t mantissa = (bits & ~(~uint64_t{0} << 52)) | uint64_t{biased > 0} << 52;
  Natural middle;
  middle.set(2 * mantissa + 1);
  // The power of two by which number exceeds middle.
  const int twos = power - (std::max(biased, 1) - 1076);
  number.multiply_power(5, 13, power);
  middle.multiply_power(5, 13, -power);
  number.multiply_power(2, 31, twos);
  middle.multiply_power(2, 31, -twos);
  const int order = number.compare(middle);
  return order > 0 || (order == 0 && (digits.has_more || mantissa % 2 != 0));
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
  value.set(mantissa);
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
  uint64_t number = 0;
  const Digits digits =
      read_digits(text, kFewDigits, [&](uint32_t digit) { number = 10 * number + digit; });
  *end = digits.end;
  int exponent = 0;
  if (**end == 'e' || **end == 'E') {
    ++*end;
    const bool is_below_one = **end == '-';
    *end += **end == '-' || **end == '+';
    // What is beyond can only be 0 or infinity, however many digits stand before it.
    for (; is_digit(**end); ++*end) {
      if (exponent < 100'000'000) exponent = 10 * exponent + (**end - '0');
    }
    if (is_below_one) exponent = -exponent;
  }

  const int power = digits.power + exponent;
  const int magnitude = digits.count + power;
  double value = 0;
  if (magnitude > 310 && number != 0) {
    value = std::numeric_limits<double>::infinity();
  } else if (magnitude > -330 && number != 0) {
    Scaled bound = scaled(number, power);
    value = nearest_double(bound);
    // The most that it can be: what follows 19 digits is less than 2^-59 of them.
    uint64_t carry = bound.limbs[0] + (digits.has_more ? uint64_t{1} << 37 : 0) + (1 << 12);
    bound.limbs[0] = ~0u;
    for (uint32_t* limb : {&bound.limbs[1], &bound.limbs[2]}) {
      carry = (carry >> 32) + *limb;
      *limb = static_cast<uint32_t>(carry);
    }
    if (carry >> 32 != 0) bound = {{0, 0, 0x80000000}, bound.exponent + 1};
    const double above = nearest_double(bound);
    if (value != above && is_above_middle(text, exponent, value)) value = above;
  }
  return is_negative ? -value : value;
}

}  // namespace susurrus
