#pragma once
#include <cstdint>

namespace susurrus {

/// A seed for one of many independent uses of `seed`: sequences, windows, attempts. (Two steps of SplitMix64.)
uint64_t derive_seed(uint64_t seed, uint64_t index);

/// xoshiro256** 1.0 of Blackman and Vigna (public domain), its state filled by SplitMix64: the same numbers on every
/// machine.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed);
  uint64_t next();
  /// In [0, 1): multiples of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_[4];
};

}  // namespace susurrus
