#include "flac_samples.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace susurrus::testing {
namespace {

class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  size_t left() const { return 8 * bytes_.size() - at_; }
  uint32_t take(uint32_t count) {
    uint32_t value = 0;
    for (; count > 0; --count, ++at_) {
      const uint32_t byte = at_ / 8 < bytes_.size() ? static_cast<uint8_t>(bytes_[at_ / 8]) : 0;
      value = value << 1 | (byte >> (7 - at_ % 8) & 1);
    }
    return value;
  }
  int32_t take_signed(uint32_t count) {
    if (count == 0) return 0;
    const uint32_t value = take(count);
    return static_cast<int32_t>(value << (32 - count)) >> (32 - count);
  }
  uint32_t zeros() {
    uint32_t count = 0;
    while (left() > 0 && take(1) == 0) ++count;
    return count;
  }
  void skip(size_t count) { at_ += count; }
  void align() { at_ = (at_ + 7) / 8 * 8; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

void read_residual(Bits& bits, size_t order, std::vector<int64_t>& samples) {
  const uint32_t parameter_bits = bits.take(2) == 0 ? 4 : 5;
  const uint32_t escape = (1u << parameter_bits) - 1;
  const size_t partitions = size_t{1} << bits.take(4);
  size_t at = order;
  for (size_t p = 1; p <= partitions; ++p) {
    const uint32_t parameter = bits.take(parameter_bits);
    const uint32_t plain_bits = parameter == escape ? bits.take(5) : 0;
    for (const size_t end = samples.size() / partitions * p; at < end; ++at) {
      if (parameter == escape) {
        samples[at] = bits.take_signed(plain_bits);
      } else {
        const uint32_t high = bits.zeros();
        const uint32_t folded = high << parameter | bits.take(parameter);
        samples[at] = static_cast<int32_t>(folded >> 1) ^ -static_cast<int32_t>(folded & 1);
      }
    }
  }
}

void predict(size_t order, const int32_t* coefficients, uint32_t shift,
             std::vector<int64_t>& samples) {
  for (size_t i = order; i < samples.size(); ++i) {
    int64_t sum = 0;
    for (size_t k = 0; k < order; ++k) sum += coefficients[k] * samples[i - 1 - k];
    samples[i] += sum >> shift;
  }
}

void read_subframe(Bits& bits, uint32_t width, std::vector<int64_t>& samples) {
  bits.skip(1);
  const uint32_t type = bits.take(6);
  const uint32_t wasted = bits.take(1) == 1 ? bits.zeros() + 1 : 0;
  width -= wasted;
  if (type == 0) {
    samples.assign(samples.size(), bits.take_signed(width));
  } else if (type == 1) {
    for (int64_t& sample : samples) sample = bits.take_signed(width);
  } else {
    const bool is_fixed = type < 32;
    const size_t order = is_fixed ? type - 8 : type - 31;
    for (size_t i = 0; i < order; ++i) samples[i] = bits.take_signed(width);
    int32_t coefficients[32] = {};
    uint32_t shift = 0;
    if (is_fixed) {
      constexpr int32_t kFixed[5][4] = {{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
      for (size_t k = 0; k < order; ++k) coefficients[k] = kFixed[order][k];
    } else {
      const uint32_t precision = bits.take(4) + 1;
      shift = bits.take(5);
      for (size_t k = 0; k < order; ++k) coefficients[k] = bits.take_signed(precision);
    }
    read_residual(bits, order, samples);
    predict(order, coefficients, shift, samples);
  }
  for (int64_t& sample : samples) sample <<= wasted;
}

}  // namespace

std::vector<float> flac_samples(std::string_view file) {
  std::vector<float> all;
  Bits bits(file);
  if (bits.take(32) != 0x664C6143) return all;  // fLaC
  uint32_t width = 0;
  uint64_t total = 0;
  for (bool is_last = false; !is_last;) {
    is_last = bits.take(1) == 1;
    const uint32_t type = bits.take(7);
    const size_t byte_count = bits.take(24);
    if (type != 0) {
      bits.skip(8 * byte_count);
      continue;
    }
    bits.skip(16 + 16 + 24 + 24 + 20);
    if (bits.take(3) != 0) return all;
    width = bits.take(5) + 1;
    total = static_cast<uint64_t>(bits.take(4)) << 32;
    total |= bits.take(32);
    bits.skip(128);
  }
  const float scale = std::ldexp(1.0f, 1 - static_cast<int>(width));
  while (all.size() < total && bits.left() > 16) {
    if (bits.take(14) != 0x3FFE) return {};
    bits.skip(2);
    const uint32_t size_code = bits.take(4);
    const uint32_t rate_code = bits.take(4);
    bits.skip(8);
    uint32_t length = 0;  // of the frame's number, as UTF-8 has it
    for (uint32_t first = bits.take(8); first & (0x80u >> length);) ++length;
    if (length > 1) bits.skip(8 * (length - 1));
    size_t count = size_code == 1   ? 192
                   : size_code < 6  ? size_t{576} << (size_code - 2)
                   : size_code == 6 ? bits.take(8) + 1
                   : size_code == 7 ? bits.take(16) + 1
                                    : size_t{256} << (size_code - 8);
    bits.skip(rate_code == 12 ? 8 : rate_code > 12 ? 16 : 0);
    bits.skip(8);
    std::vector<int64_t> samples(count);
    read_subframe(bits, width, samples);
    bits.align();
    bits.skip(16);
    for (const int64_t sample : samples) all.push_back(static_cast<float>(sample) * scale);
  }
  return all;
}

}  // namespace susurrus::testing
