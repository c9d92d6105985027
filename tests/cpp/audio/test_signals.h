// Signals that the tests of src/audio share.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace susurrus::testing {

inline constexpr double kPi = 3.14159265358979323846;

/// Uniform in [-1, 1), the same on every machine.
class Noise {
 public:
  explicit Noise(uint32_t seed) : state_(seed) {}
  float next() { return static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-31f; }
  uint32_t below(uint32_t limit) { return (bits() >> 8) % limit; }
  std::vector<float> samples(size_t count) {
    std::vector<float> result(count);
    for (float& sample : result) sample = next();
    return result;
  }

 private:
  uint32_t bits() {
    state_ = state_ * 1664525u + 1013904223u;
    uint32_t mixed = state_ ^ (state_ >> 15);
    return mixed * 2654435761u;
  }
  uint32_t state_;
};

inline std::vector<float> tone(double hz, double rate, size_t count) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i) {
    result[i] =
        static_cast<float>(std::sin(2 * kPi * std::fmod(hz * static_cast<double>(i), rate) / rate));
  }
  return result;
}

inline double decibels(double amplitude) { return 20 * std::log10(std::fmax(amplitude, 1e-30)); }

}  // namespace susurrus::testing
