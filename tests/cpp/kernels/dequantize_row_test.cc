#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/half.h"
#include "kernels/kernel_support.h"

namespace susurrus::testing::dequantize_row_test {
namespace {

std::vector<uint8_t> bytes_of(const char* hex) {
  std::vector<uint8_t> bytes;
  const auto digit = [](char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (; *hex != 0; hex += 2)
    bytes.push_back(static_cast<uint8_t>(digit(hex[0]) * 16 + digit(hex[1])));
  return bytes;
}

}  // namespace

SUSURRUS_TEST(dequantize_row_converts_every_half_exactly) {
  std::vector<uint8_t> halves(2 * 65536 + 16);
  for (size_t i = 0; i < 65536; ++i) {
    halves[2 * i] = static_cast<uint8_t>(i);
    halves[2 * i + 1] = static_cast<uint8_t>(i >> 8);
  }
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats y(65536);
    kernels->dequantize_row(Dtype::f16, halves.data(), y.size(), y.data());
    EXPECT_TRUE(y.guards_are_intact());
    for (size_t i = 0; i < y.size() && !current_case_failed(); ++i) {
      const uint32_t exponent = i >> 10 & 31;
      const double mantissa = static_cast<double>(i & 1023);
      EXPECT_EQ(std::signbit(y[i]), i >= 0x8000);
      const float magnitude = std::fabs(y[i]);
      if (exponent == 31 && mantissa != 0) {
        EXPECT_TRUE(std::isnan(magnitude));
      } else if (exponent == 31) {
        EXPECT_EQ(magnitude, std::numeric_limits<float>::infinity());
      } else if (exponent == 0) {
        EXPECT_EQ(static_cast<double>(magnitude), std::ldexp(mantissa, -24));
      } else {
        EXPECT_EQ(static_cast<double>(magnitude),
                  std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25));
      }
    }
  }
}

SUSURRUS_TEST(dequantize_row_keeps_the_bits_of_f32_and_bf16) {
  Random random(11);
  std::vector<uint8_t> stored(4 * 37 + 16);
  for (uint8_t& byte : stored) byte = static_cast<uint8_t>(random.bits());
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats y(37);
    kernels->dequantize_row(Dtype::f32, stored.data(), y.size(), y.data());
    EXPECT_EQ(std::memcmp(y.data(), stored.data(), 4 * 37), 0);
    kernels->dequantize_row(Dtype::bf16, stored.data(), y.size(), y.data());
    EXPECT_TRUE(y.guards_are_intact());
    for (size_t i = 0; i < y.size(); ++i) {
      const uint32_t bits = static_cast<uint32_t>(stored[2 * i] << 16) |
                            static_cast<uint32_t>(stored[2 * i + 1]) << 24;
      EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), bits);
    }
  }
}

// Blocks of x[i] = (i - 16) / 8 and, for q8_0, x[i] = (8 i - 127) / 64, quantised by the rules of
// each type.
SUSURRUS_TEST(dequantize_row_reads_known_blocks) {
  struct Known {
    Dtype dtype;
    const char* block;
    double step;  // largest distance from x
  };
  const Known known[] = {
      {Dtype::q4_0, "0034809191a2a2b3b3c4c4d5d5e6e6f7f7f8", 0.126},
      {Dtype::q4_1, "223400c080809191a2a2b3b3c4c4d5d5e6e6f7f7", 0.14},
      {Dtype::q5_0, "00300000ffff00112233445566778899aabbccddeeff", 0},
      {Dtype::q5_1, "003000c00000ffff00112233445566778899aabbccddeeff", 0},
  };
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const Known& one : known) {
      std::vector<uint8_t> block = bytes_of(one.block);
      EXPECT_EQ(block.size(), dtype_traits(one.dtype).bytes_per_block);
      block.resize(block.size() + 16);
      GuardedFloats y(32);
      kernels->dequantize_row(one.dtype, block.data(), 32, y.data());
      for (size_t i = 0; i < 32; ++i)
        EXPECT_NEAR(y[i], (static_cast<double>(i) - 16) / 8, one.step);
    }
    std::vector<uint8_t> block =
        bytes_of("002481899199a1a9b1b9c1c9d1d9e1e9f1f901091119212931394149515961697179");
    EXPECT_EQ(block.size(), dtype_traits(Dtype::q8_0).bytes_per_block);
    block.resize(block.size() + 16);
    GuardedFloats y(32);
    kernels->dequantize_row(Dtype::q8_0, block.data(), 32, y.data());
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(y[i], (8 * static_cast<float>(i) - 127) / 64);
  }
}

SUSURRUS_TEST(dequantize_row_of_random_blocks) {
  for (const Dtype dtype : kWeightDtypes) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Random random(seed);
      const size_t count = 32 * (1 + random.below(5));
      const auto weight = random_weight(random, dtype, 1, count, 0.5f);
      GuardedFloats first(count);
      for (const KernelTable* kernels : compiled_kernels()) {
        GuardedFloats y(count);
        kernels->dequantize_row(dtype, weight->memory.data(), count, y.data());
        EXPECT_TRUE(y.guards_are_intact());
        const std::string where =
            std::string(dtype_traits(dtype).name) + " seed " + std::to_string(seed);
        for (size_t i = 0; i < count; ++i) {
          // Rounded to f32 once; variants agree to the bit.
          expect_close(variant_name(kernels->variant), where, i, y[i],
                       static_cast<float>(weight->values[i]), 0);
        }
      }
    }
  }
}

SUSURRUS_TEST(dequantize_row_takes_any_alignment_and_no_elements) {
  Random random(5);
  for (const Dtype dtype : kWeightDtypes) {
    const auto weight = random_weight(random, dtype, 1, 64, 1.0f);
    std::vector<uint8_t> shifted(weight->memory.size() + 1);
    std::memcpy(shifted.data() + 1, weight->memory.data(), weight->memory.size());
    for (const KernelTable* kernels : compiled_kernels()) {
      GuardedFloats y(64);
      kernels->dequantize_row(dtype, shifted.data() + 1, 64, y.data());
      for (size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], static_cast<float>(weight->values[i]));
      GuardedFloats none(0);
      kernels->dequantize_row(dtype, shifted.data(), 0, none.data());
      EXPECT_TRUE(none.guards_are_intact());
    }
  }
}

}  // namespace susurrus::testing::dequantize_row_test
