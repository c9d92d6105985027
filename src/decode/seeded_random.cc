#include "decode/seeded_random.h"

#include <bit>

namespace susurrus {
namespace {

/// SplitMix64 of Steele, Lea and Flood (public domain): the next number of the sequence that `state` stands in.
uint64_t split_mix(uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t derive_seed(uint64_t seed, uint64_t index) {
  // Mixed before the index is added, so that (seed + 1, index) is not (seed, index + 1).
  uint64_t state = split_mix(seed) + index;
  return split_mix(state);
}

SeededRandom::SeededRandom(uint64_t seed) {
  for (uint64_t& word : state_) word = split_mix(seed);
}

uint64_t SeededRandom::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

}  // namespace susurrus
