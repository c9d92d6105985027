#include "kernels/kernel_support.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace susurrus::testing {
namespace {

constexpr uint8_t kGuard = 0xA5;
constexpr size_t kGuardBytes = 128;

/// The value of a half, from its definition.
double half_value(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

void append_u16(std::vector<uint8_t>& bytes, uint16_t value) {
  bytes.push_back(static_cast<uint8_t>(value));
  bytes.push_back(static_cast<uint8_t>(value >> 8));
}

struct BlockKind {
  Dtype dtype;
  bool has_m;
  bool has_fifth_bit;
  int offset;
  int largest;  // |q - offset| at most, or q where there is an m
};
constexpr BlockKind kNibbleKinds[] = {{Dtype::q4_0, false, false, 8, 8},
                                      {Dtype::q4_1, true, false, 0, 15},
                                      {Dtype::q5_0, false, true, 16, 16},
                                      {Dtype::q5_1, true, true, 0, 31}};

void append_q8_0(Random& random, float deviation, RandomWeight& weight) {
  const uint16_t d = half_from(random.uniform(-1, 1) * deviation / 64);
  append_u16(weight.memory, d);
  for (int i = 0; i < 32; ++i) {
    const uint8_t q = static_cast<uint8_t>(random.bits());
    weight.memory.push_back(q);
    weight.values.push_back(half_value(d) * static_cast<int8_t>(q));
  }
}

void append_nibbles(Random& random, const BlockKind& kind, float deviation, RandomWeight& weight) {
  const uint16_t d =
      half_from(random.uniform(-1, 1) * 2 * deviation / static_cast<float>(kind.largest));
  const uint16_t m = half_from(random.uniform(-1, 1) * deviation);
  append_u16(weight.memory, d);
  if (kind.has_m) append_u16(weight.memory, m);
  const uint32_t fifth = static_cast<uint32_t>(random.bits());
  if (kind.has_fifth_bit) {
    for (int i = 0; i < 4; ++i) weight.memory.push_back(static_cast<uint8_t>(fifth >> 8 * i));
  }
  int q[32];
  for (int i = 0; i < 16; ++i) {
    const uint8_t byte = static_cast<uint8_t>(random.bits());
    weight.memory.push_back(byte);
    q[i] = byte & 15;
    q[i + 16] = byte >> 4;
  }
  for (int i = 0; i < 32; ++i) {
    if (kind.has_fifth_bit) q[i] += static_cast<int>(fifth >> i & 1) * 16;
    weight.values.push_back(half_value(d) * (q[i] - kind.offset) +
                            (kind.has_m ? half_value(m) : 0));
  }
}

void append_float(Random& random, Dtype dtype, float deviation, RandomWeight& weight) {
  float value = random.bell() * deviation;
  if (dtype == Dtype::f32) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    append_u16(weight.memory, static_cast<uint16_t>(bits));
    append_u16(weight.memory, static_cast<uint16_t>(bits >> 16));
    weight.values.push_back(value);
  } else if (dtype == Dtype::bf16) {
    const uint32_t bits = std::bit_cast<uint32_t>(value) & 0xFFFF0000;
    append_u16(weight.memory, static_cast<uint16_t>(bits >> 16));
    weight.values.push_back(std::bit_cast<float>(bits));
  } else {
    // Most chunks of eight values are free of subnormals, some are not: both ways of converting
    // them are taken.
    if (random.below(50) == 0) value = random.bell() * 1e-6f;
    if (random.below(100) == 0) value = 0;
    const uint16_t half = half_from(value);
    append_u16(weight.memory, half);
    weight.values.push_back(half_value(half));
  }
}

}  // namespace

uint16_t half_from(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::fabs(value);
  if (magnitude < 0x1p-14f)
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(magnitude * 0x1p24f));
  return static_cast<uint16_t>(sign | (((bits & 0x7FFFFFFF) >> 13) - ((127 - 15) << 10)));
}

uint64_t Random::bits() {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

float Random::uniform(float low, float high) {
  return low + (high - low) * static_cast<float>(bits() >> 40) * 0x1p-24f;
}

float Random::bell() {
  float sum = 0;
  for (int i = 0; i < 12; ++i) sum += uniform(-0.5f, 0.5f);
  return sum;
}

GuardedFloats::GuardedFloats(size_t count)
    : memory_(count * sizeof(float) + 2 * kGuardBytes + 64, kGuard), count_(count) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory_.data()) + kGuardBytes;
  data_ = reinterpret_cast<float*>((address + 63) / 64 * 64);
  std::memset(data_, 0, count * sizeof(float));
}

void GuardedFloats::fill_bell(Random& random, float deviation) {
  for (float& value : span()) value = random.bell() * deviation;
}

void GuardedFloats::fill(float value) {
  for (float& one : span()) one = value;
}

bool GuardedFloats::guards_are_intact() const {
  const uint8_t* first = reinterpret_cast<const uint8_t*>(data_);
  const uint8_t* last = reinterpret_cast<const uint8_t*>(data_ + count_);
  for (const uint8_t* byte = memory_.data(); byte < first; ++byte) {
    if (*byte != kGuard) return false;
  }
  for (const uint8_t* byte = last; byte < memory_.data() + memory_.size(); ++byte) {
    if (*byte != kGuard) return false;
  }
  return true;
}

std::unique_ptr<RandomWeight> random_weight(Random& random, Dtype dtype, size_t rows,
                                            size_t columns, float deviation) {
  auto weight = std::make_unique<RandomWeight>();
  const size_t count = rows * columns;
  if (is_block_dtype(dtype)) {
    for (size_t i = 0; i < count; i += 32) {
      if (dtype == Dtype::q8_0) append_q8_0(random, deviation, *weight);
      for (const BlockKind& kind : kNibbleKinds) {
        if (kind.dtype == dtype) append_nibbles(random, kind, deviation, *weight);
      }
    }
  } else {
    for (size_t i = 0; i < count; ++i) append_float(random, dtype, deviation, *weight);
  }
  weight->memory.resize(weight->memory.size() + 16);  // kernels may read so far
  weight->view.dtype = dtype;
  weight->view.shape = Shape{rows, columns};
  weight->view.data = weight->memory.data();
  return weight;
}

std::vector<const KernelTable*> compiled_kernels() {
  std::vector<const KernelTable*> tables;
  for (const Variant variant : {Variant::reference, Variant::simd128, Variant::relaxed}) {
    if (const KernelTable* table = find_kernels(variant)) tables.push_back(table);
  }
  return tables;
}

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

void expect_close(const char* what, const std::string& where, size_t index, double actual,
                  double expected, double tolerance) {
  // One failure a case says enough; a NaN fails.
  if (current_case_failed() || std::fabs(actual - expected) <= tolerance) return;
  report_failure(__FILE__, __LINE__,
                 std::string(what) + " " + where + " element " + std::to_string(index) + ": " +
                     describe(actual) + ", expected " + describe(expected) + ", tolerance " +
                     describe(tolerance));
}

}  // namespace susurrus::testing
