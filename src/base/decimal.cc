#include "base/decimal.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace susurrus {
namespace {

constexpr uint32_t kBillion = 1000000000;
/// A double has no more significant digits, so that behind these it only matters whether any is not 0.
constexpr int kMostDigits = 800;

/// A natural number of at most 8192 bits: plain long arithmetic is exact, small, and quick enough for options and times.
class Natural {
 public:
  explicit Natural(uint64_t value = 0)
      : words_{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)},
        size_(value >> 32 != 0 ? 2 : value != 0) {}

  bool is_zero() const { return size_ == 0; }
  int word_count() const { return size_; }
  uint32_t word(int index) const { return index >= 0 && index < size_ ? words_[index] : 0; }

  void multiply_add(uint32_t factor, uint32_t carry) {
    for (int i = 0; i < size_; ++i) {
      const uint64_t product = uint64_t{words_[i]} * factor + carry;
      words_[i] = static_cast<uint32_t>(product);
      carry = static_cast<uint32_t>(product >> 32);
    }
    if (carry != 0) words_[size_++] = carry;
  }
  void multiply_power(uint32_t base, int exponent) {
    while (exponent-- > 0) multiply_add(base, 0);
  }
  void shift_words(int count) {
    if (size_ == 0) return;
    std::memmove(words_ + count, words_, static_cast<size_t>(size_) * sizeof *words_);
    std::memset(words_, 0, static_cast<size_t>(count) * sizeof *words_);
    size_ += count;
  }
  /// Answers the remainder.
  uint32_t divide(uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = size_; i-- > 0;) {
      rest = rest << 32 | words_[i];
      words_[i] = static_cast<uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (size_ > 0 && words_[size_ - 1] == 0) --size_;
    return static_cast<uint32_t>(rest);
  }

 private:
  uint32_t words_[256];
  int size_;
};

/// The double nearest to natural * 2^exponent, halves to even; `has_rest`: the number is a little greater.
double round_to_double(const Natural& natural, int exponent, bool has_rest) {
  const int count = natural.word_count();
  const uint32_t top = natural.word(count - 1);
  const int leading = __builtin_clz(top);
  // The first 64 significant bits.
  uint64_t bits = uint64_t{top} << 32 | natural.word(count - 2);
  if (leading > 0) bits = bits << leading | natural.word(count - 3) >> (32 - leading);
  has_rest |= static_cast<uint32_t>(uint64_t{natural.word(count - 3)} << leading) != 0;
  for (int i = count - 4; i >= 0; --i) has_rest |= natural.word(i) != 0;
  exponent += 32 * (count - 2) - leading;

  // Below 2^-1022 the last place stays at 2^-1074.
  const int drop = std::max(11, -1074 - exponent);
  if (drop > 64) return 0;
  const uint64_t half = uint64_t{1} << (drop - 1);
  uint64_t kept = drop == 64 ? 0 : bits >> drop;
  const uint64_t rest = bits & (2 * half - 1);
  if (rest > half || (rest == half && (has_rest || (kept & 1) != 0))) ++kept;
  return std::ldexp(static_cast<double>(kept), exponent + drop);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

double read_decimal(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  Natural digits;
  int digit_count = 0;
  int exponent = 0;
  bool has_rest = false;
  bool is_fraction = false;
  size_t at = is_negative;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') {
      is_fraction = true;
      continue;
    }
    const auto digit = static_cast<uint32_t>(text[at] - '0');
    const bool is_kept = digit_count < kMostDigits;
    if (is_kept) digits.multiply_add(10, digit);
    if (!is_kept) has_rest |= digit != 0;
    digit_count += is_kept && !digits.is_zero();
    exponent += !is_kept - is_fraction;
  }
  if (at < text.size()) {  // e
    const bool is_small = text[++at] == '-';
    int written = 0;
    for (; at < text.size(); ++at) {
      if (is_digit(text[at])) written = std::min(written * 10 + (text[at] - '0'), 1 << 24);
    }
    exponent += is_small ? -written : written;
  }

  double number = 0;
  // Both are exact, so that one operation rounds once.
  if (digit_count <= 15 && !has_rest && std::abs(exponent) <= 22) {
    number = static_cast<double>(uint64_t{digits.word(1)} << 32 | digits.word(0));
    double power = 1;
    for (int i = std::abs(exponent); i > 0; --i) power *= 10;
    number = exponent < 0 ? number / power : number * power;
  } else if (digits.is_zero() || exponent + digit_count < -330) {
    number = 0;
  } else if (exponent + digit_count > 310) {
    number = INFINITY;
  } else {
    int binary_exponent = 0;
    if (exponent < 0) {
      // 4 bits for each digit that goes, and 64 that stay.
      const int words = -exponent / 8 + 3;
      digits.shift_words(words);
      binary_exponent = -32 * words;
    }
    digits.multiply_power(10, exponent);
    while (exponent < 0) {
      uint32_t divisor = 1;
      for (; exponent < 0 && divisor < kBillion; ++exponent) divisor *= 10;
      has_rest |= digits.divide(divisor) != 0;
    }
    number = round_to_double(digits, binary_exponent, has_rest);
  }
  return is_negative ? -number : number;
}

std::string_view write_decimal(double number, int digits, std::span<char, 32> room) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char* out = room.data();
  if (std::signbit(number)) *out++ = '-';
  int exponent;
  const double fraction = std::frexp(std::abs(number), &exponent);
  auto bits = static_cast<uint64_t>(std::ldexp(fraction, 53));
  exponent = bits == 0 ? 0 : exponent - 53;
  while (exponent < 0 && bits % 2 == 0) {
    bits /= 2;
    ++exponent;
  }

  // All digits: number = natural * 10^last.
  Natural natural(bits);
  natural.multiply_power(2, exponent);
  natural.multiply_power(5, -exponent);
  const int last = std::min(exponent, 0);
  char all[kMostDigits];
  char* const end = all + kMostDigits;
  char* first = end;
  do *--first = static_cast<char>('0' + natural.divide(10));
  while (!natural.is_zero());
  // Of the first digit, as scientists write it.
  int place = last + static_cast<int>(end - first) - 1;

  char* stop = end;
  if (end - first > digits) {
    stop = first + digits;
    const bool is_more = std::any_of(stop + 1, end, [](char digit) { return digit != '0'; });
    const bool is_up = *stop > '5' || (*stop == '5' && (is_more || stop[-1] % 2 != 0));
    char* at = stop;
    if (is_up) {
      while (at > first && at[-1] == '9') --at;
      if (at == first) {  // 999 becomes 1000
        *at++ = '1';
        ++place;
      } else {
        ++at[-1];
      }
      stop = at;
    }
  }
  while (stop > first + 1 && stop[-1] == '0') --stop;

  const auto put = [&](const char* from, const char* to) { out = std::copy(from, to, out); };
  const int count = static_cast<int>(stop - first);
  if (place < -4 || place >= digits) {
    *out++ = *first;
    if (count > 1) *out++ = '.';
    put(first + 1, stop);
    *out++ = 'e';
    *out++ = place < 0 ? '-' : '+';
    const int size = std::abs(place);
    if (size >= 100) *out++ = static_cast<char>('0' + size / 100);
    *out++ = static_cast<char>('0' + size / 10 % 10);
    *out++ = static_cast<char>('0' + size % 10);
  } else {
    if (place < 0) *out++ = '0';
    for (int i = place; i < 0; ++i) *out++ = i == place ? '.' : '0';
    for (int i = 0; i < std::max(count, place + 1); ++i) {
      if (i > 0 && i == place + 1) *out++ = '.';
      *out++ = i < count ? first[i] : '0';
    }
  }
  return {room.data(), static_cast<size_t>(out - room.data())};
}

}  // namespace susurrus
