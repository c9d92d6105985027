// The decoder of LZ4 blocks against the plainest one, and against liblz4's: what that takes gives the same bytes.
#include "stream/lz4_block.h"

#include <lz4.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness.h"

namespace susurrus::testing {
namespace {

using Bytes = std::vector<uint8_t>;

/// xorshift32
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : state_(seed * 2654435761u | 1u) {}
  uint32_t below(uint32_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % limit;
  }

 private:
  uint32_t state_;
};

Bytes compressed(const Bytes& raw) {
  Bytes block(static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  const int size = LZ4_compress_default(
      reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(block.data()),
      static_cast<int>(raw.size()), static_cast<int>(block.size()));
  block.resize(static_cast<size_t>(size));
  return block;
}

/// Bytes that repeat in runs and from places further back, of all lengths and distances.
Bytes repetitive(size_t byte_count, uint32_t kinds, uint32_t seed) {
  Numbers numbers(seed);
  Bytes raw;
  while (raw.size() < byte_count) {
    const uint32_t length = 1 + numbers.below(numbers.below(8) == 0 ? 600 : 12);
    const bool repeats = !raw.empty() && numbers.below(3) != 0;
    const size_t reach = std::min<size_t>(raw.size(), numbers.below(2) == 0 ? 20 : 65535);
    const size_t distance = repeats ? 1 + numbers.below(static_cast<uint32_t>(reach)) : 0;
    for (uint32_t i = 0; i < length && raw.size() < byte_count; ++i) {
      raw.push_back(repeats ? raw[raw.size() - distance]
                            : static_cast<uint8_t>(numbers.below(kinds)));
    }
  }
  return raw;
}

/// What the format says, byte by byte.
Lz4Fault decode_plainly(const Bytes& block, size_t room, Bytes& raw) {
  size_t at = 0;
  const auto further = [&](size_t& length) {
    uint8_t byte = length == 15 ? 255 : 0;
    while (byte == 255) {
      if (at == block.size()) return false;
      length += byte = block[at++];
    }
    return true;
  };
  while (at < block.size()) {
    const uint8_t token = block[at++];
    size_t literals = token >> 4;
    if (!further(literals)) return Lz4Fault::malformed;
    for (; literals > 0; --literals) {
      if (at == block.size() || raw.size() == room) return Lz4Fault::malformed;
      raw.push_back(block[at++]);
    }
    if (at == block.size()) return Lz4Fault::none;
    if (at + 2 > block.size()) return Lz4Fault::malformed;
    const size_t offset = block[at] + 256u * block[at + 1];
    at += 2;
    size_t match = token & 15;
    if (!further(match)) return Lz4Fault::malformed;
    if (offset == 0) return Lz4Fault::zero_offset;
    if (offset > raw.size() || match + 4 > room - raw.size()) return Lz4Fault::malformed;
    for (match += 4; match > 0; --match) raw.push_back(raw[raw.size() - offset]);
  }
  return Lz4Fault::malformed;
}

struct Outcome {
  Lz4Fault fault = Lz4Fault::none;
  bool liblz4_takes_it = false;
};

Outcome expect_right(const Bytes& block, size_t room, const std::string& where) {
  Bytes expected;
  const Lz4Fault fault = decode_plainly(block, room, expected);
  constexpr uint8_t kGuard = 0xA5;
  Bytes raw(room + 1, kGuard);
  const Lz4Decoded decoded = decode_lz4_block(block, MutableByteSpan(raw).first(room));
  bool is_right = decoded.fault == fault && raw.back() == kGuard;
  if (fault == Lz4Fault::none) {
    is_right = is_right && decoded.byte_count == expected.size() &&
               std::equal(expected.begin(), expected.end(), raw.begin());
  }
  Bytes other(room);
  const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()),
                                       reinterpret_cast<char*>(other.data()),
                                       static_cast<int>(block.size()), static_cast<int>(room));
  if (size >= 0 && fault != Lz4Fault::zero_offset) {
    other.resize(static_cast<size_t>(size));
    // Behind an offset of 0 there may be more that is wrong.
    is_right = is_right && fault == Lz4Fault::none && other == expected;
  }
  if (!is_right) report_failure(__FILE__, __LINE__, where);
  return {fault, size >= 0};
}

SUSURRUS_TEST(lz4_blocks_of_every_kind_decode) {
  for (uint32_t seed = 1; seed <= 60 && !current_case_failed(); ++seed) {
    Numbers numbers(seed);
    const size_t size = seed <= 30 ? seed * 3 : 1 + numbers.below(65536);
    const Bytes block = compressed(repetitive(size, 1 + numbers.below(256), seed));
    const std::string where = "seed " + std::to_string(seed);
    for (const size_t room : {size, size + 1, size + 100}) {
      const Outcome outcome = expect_right(block, room, where);
      EXPECT_TRUE(outcome.fault == Lz4Fault::none && outcome.liblz4_takes_it);
    }
    if (size > 1) EXPECT_TRUE(expect_right(block, size - 1, where).fault == Lz4Fault::malformed);
  }
}

SUSURRUS_TEST(lz4_blocks_that_were_damaged_are_told_apart) {
  int taken = 0;
  int zero_offsets = 0;
  for (uint32_t seed = 1; seed <= 4000 && !current_case_failed(); ++seed) {
    Numbers numbers(seed);
    const size_t size = 1 + numbers.below(seed % 8 == 0 ? 4000 : 200);
    Bytes block = compressed(repetitive(size, 1 + numbers.below(256), seed));
    for (uint32_t i = 1 + numbers.below(4); i > 0; --i) {
      const size_t at = numbers.below(static_cast<uint32_t>(block.size()));
      block[at] = static_cast<uint8_t>(numbers.below(4) == 0 ? 0 : numbers.below(256));
    }
    if (numbers.below(3) == 0) block.resize(1 + numbers.below(static_cast<uint32_t>(block.size())));
    const size_t room = numbers.below(4) == 0 ? 1 + numbers.below(400) : size;
    const Lz4Fault fault = expect_right(block, room, "seed " + std::to_string(seed)).fault;
    taken += fault == Lz4Fault::none;
    zero_offsets += fault == Lz4Fault::zero_offset;
  }
  // Or the damage is of one kind only.
  EXPECT_TRUE(taken > 100 && taken < 3000 && zero_offsets > 10);
}

SUSURRUS_TEST(lz4_blocks_of_nonsense_are_told_apart) {
  for (uint32_t seed = 1; seed <= 20000 && !current_case_failed(); ++seed) {
    Numbers numbers(seed);
    Bytes block(1 + numbers.below(120));
    const uint32_t limit = numbers.below(2) == 0 ? 256 : 20;
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(numbers.below(limit));
    expect_right(block, 1 + numbers.below(300), "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace susurrus::testing
