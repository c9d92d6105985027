#include "convert/quantize.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "convert/fit_block.h"
#include "harness.h"
#include "kernels/half.h"

namespace susurrus::testing::quantize_test {
namespace {

std::string hex_block(Dtype dtype, const float* values) {
  std::vector<uint8_t> block(dtype_traits(dtype).bytes_per_block);
  quantize_block(dtype, values, block.data());
  std::string text;
  for (uint8_t byte : block) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

}  // namespace

SUSURRUS_TEST(golden_blocks) {
  // whisper-sources.md §7
  float x[32];
  for (int i = 0; i < 32; ++i) x[i] = static_cast<float>(i - 16) / 8;
  EXPECT_EQ(hex_block(Dtype::q4_0, x), "0034809191a2a2b3b3c4c4d5d5e6e6f7f7f8");
  EXPECT_EQ(hex_block(Dtype::q4_1, x), "223400c080809191a2a2b3b3c4c4d5d5e6e6f7f7");
  EXPECT_EQ(hex_block(Dtype::q5_0, x), "00300000ffff00112233445566778899aabbccddeeff");
  EXPECT_EQ(hex_block(Dtype::q5_1, x), "003000c00000ffff00112233445566778899aabbccddeeff");
  for (int i = 0; i < 32; ++i) x[i] = static_cast<float>(8 * i - 127) / 64;
  EXPECT_EQ(hex_block(Dtype::q8_0, x),
            "002481899199a1a9b1b9c1c9d1d9e1e9f1f901091119212931394149515961697179");
}

SUSURRUS_TEST(blocks_of_zeros_nan_and_extremes_are_defined) {
  float x[32] = {};
  EXPECT_EQ(hex_block(Dtype::q8_0, x), std::string(68, '0'));
  EXPECT_EQ(hex_block(Dtype::q4_0, x),
            "0080" + std::string(32, '8'));  // 0 / -8 is -0, as ggml writes it
  for (Dtype dtype : {Dtype::q8_0, Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    for (float value : {NAN, INFINITY, -INFINITY, 3e38f, 1e-45f}) {
      for (float& one : x) one = 1.0f;
      x[5] = value;
      hex_block(dtype, x);  // the sanitizer speaks if a conversion is undefined
    }
  }
}

SUSURRUS_TEST(fitted_blocks_lose_less_than_plain_rounding) {
  uint32_t state = 1;
  const auto uniform = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  };
  const auto squared_error = [](Dtype dtype, const float* x, const uint8_t* block) {
    float decoded[32];
    read_floats(dtype, block, 32, decoded);
    double sum = 0;
    for (int i = 0; i < 32; ++i) {
      const double error = static_cast<double>(decoded[i]) - static_cast<double>(x[i]);
      sum += error * error;
    }
    return sum;
  };
  struct Goal {
    Dtype dtype;
    double most;  // of plain rounding's error
  };
  for (const auto& [dtype, most] : {Goal{Dtype::q4_0, 0.92}, Goal{Dtype::q4_1, 0.85},
                                    Goal{Dtype::q5_0, 0.94}, Goal{Dtype::q5_1, 0.85}}) {
    double plain_sum = 0;
    double fitted_sum = 0;
    for (int round = 0; round < 2000; ++round) {
      float x[32];
      // Bell-shaped, as weights are, of many sizes.
      const float size = std::exp2(static_cast<float>(round % 24 - 12));
      for (float& one : x) one = size * (uniform() + uniform() + uniform() + uniform());
      uint8_t plain[32];
      uint8_t fitted[32];
      quantize_block(dtype, x, plain);
      fit_block(dtype, x, fitted);
      const double plain_error = squared_error(dtype, x, plain);
      const double fitted_error = squared_error(dtype, x, fitted);
      // Sums of floats decide, so two blocks may be as good.
      EXPECT_TRUE(fitted_error <= plain_error * (1 + 1e-5));
      plain_sum += plain_error / (static_cast<double>(size) * static_cast<double>(size));
      fitted_sum += fitted_error / (static_cast<double>(size) * static_cast<double>(size));
    }
    if (!(fitted_sum < most * plain_sum))
      report_failure(
          __FILE__, __LINE__,
          std::string(dtype_traits(dtype).name) + ": " + std::to_string(fitted_sum / plain_sum));
  }
}

SUSURRUS_TEST(fitted_blocks_are_the_same_everywhere) {
  // tests/convert/fitted_blocks.test.ts expects the same of WebAssembly.
  struct Expected {
    Dtype dtype;
    uint32_t hash;
  };
  for (const auto& [dtype, expected] :
       {Expected{Dtype::q4_0, 0x3a764238}, Expected{Dtype::q4_1, 0x987557b2},
        Expected{Dtype::q5_0, 0xa74aed2f}, Expected{Dtype::q5_1, 0xb131036a}}) {
    uint32_t state = 1;
    uint32_t hash = 0x811c9dc5;
    for (int block = 0; block < 128; ++block) {
      float x[32];
      for (float& one : x) {
        one = 0;
        for (int i = 0; i < 4; ++i) {
          state = state * 1664525u + 1013904223u;
          one += static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
        }
        one /= 16;
      }
      uint8_t bytes[32];
      fit_block(dtype, x, bytes);
      for (size_t i = 0; i < dtype_traits(dtype).bytes_per_block; ++i) {
        hash = (hash ^ bytes[i]) * 0x01000193u;
      }
    }
    EXPECT_EQ(hash, expected);
  }
}

SUSURRUS_TEST(fitted_blocks_keep_what_plain_rounding_keeps) {
  for (Dtype dtype : {Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    const auto expect_plain = [dtype](const float* x) {
      uint8_t plain[32];
      uint8_t fitted[32];
      const size_t size = dtype_traits(dtype).bytes_per_block;
      quantize_block(dtype, x, plain);
      fit_block(dtype, x, fitted);
      EXPECT_TRUE(std::memcmp(plain, fitted, size) == 0);
    };
    float x[32];
    const int steps = dtype == Dtype::q5_1 ? 32 : 16;  // which the type holds exactly
    for (int i = 0; i < 32; ++i) x[i] = static_cast<float>(i % steps - steps / 2) / 8;
    expect_plain(x);
    for (float value : {0.0f, NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-45f, 1e-20f}) {
      for (float& one : x) one = value;
      expect_plain(x);
      for (float& one : x) one = value == 0 || std::fabs(value) < 1 ? value : 1.0f;
      x[7] = value;
      expect_plain(x);
    }
  }
}

SUSURRUS_TEST(halves_round_to_nearest_even) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    const float value = f32_from_f16(half);
    if (value != value) {
      const uint16_t back = f16_from_f32(value);
      EXPECT_TRUE((back & 0x7C00) == 0x7C00 && (back & 0x3FF) != 0);
      continue;
    }
    if (f16_from_f32(value) != half)
      report_failure(__FILE__, __LINE__, "half " + std::to_string(bits));
    if ((half & 0x7FFF) >= 0x7BFF) continue;
    // Halfway to the next half: the even one; a hair beyond: the next.
    const float next = f32_from_f16(static_cast<uint16_t>(half + 1));
    const float middle =
        static_cast<float>((static_cast<double>(value) + static_cast<double>(next)) / 2);
    const uint16_t even = half & 1 ? static_cast<uint16_t>(half + 1) : half;
    if (f16_from_f32(middle) != even)
      report_failure(__FILE__, __LINE__, "middle " + std::to_string(bits));
    const float beyond = std::nextafter(middle, next);
    if (f16_from_f32(beyond) != half + 1)
      report_failure(__FILE__, __LINE__, "beyond " + std::to_string(bits));
  }
  EXPECT_EQ(f16_from_f32(65519.0f), 0x7BFFu);
  EXPECT_EQ(f16_from_f32(65520.0f), 0x7C00u);
  EXPECT_EQ(f16_from_f32(1e30f), 0x7C00u);
  EXPECT_EQ(saturated_f16_from_f32(1e30f), 0x7BFFu);
  EXPECT_EQ(saturated_f16_from_f32(-65520.0f), 0xFBFFu);
  EXPECT_EQ(saturated_f16_from_f32(INFINITY), 0x7C00u);
}

SUSURRUS_TEST(bf16_rounds_to_nearest_even) {
  for (uint32_t upper = 0; upper < 0x7F80; ++upper) {
    const uint16_t even = static_cast<uint16_t>(upper + (upper & 1));
    for (const auto& [lower, expected] : {std::pair<uint32_t, uint32_t>{0, upper},
                                          {0x7FFF, upper},
                                          {0x8000, even},
                                          {0x8001, upper + 1},
                                          {0xFFFF, upper + 1}}) {
      const uint32_t bits = upper << 16 | lower;
      if (bf16_from_f32(std::bit_cast<float>(bits)) != expected ||
          bf16_from_f32(std::bit_cast<float>(bits | 0x80000000)) != (expected | 0x8000))
        report_failure(__FILE__, __LINE__, "bits " + std::to_string(bits));
    }
  }
  EXPECT_EQ(bf16_from_f32(INFINITY), 0x7F80u);
  EXPECT_EQ(bf16_from_f32(-INFINITY), 0xFF80u);
  EXPECT_EQ(bf16_from_f32(std::bit_cast<float>(0x7F800001u)), 0x7FC0u);  // stays NaN
  const float values[2] = {1.0f, -1.00390625f};
  uint8_t bytes[4];
  write_floats(Dtype::bf16, values, 2, bytes);
  EXPECT_EQ(load_le<uint16_t>(bytes), 0x3F80u);
  EXPECT_EQ(load_le<uint16_t>(bytes + 2), 0xBF80u);  // a tie, to even
}

SUSURRUS_TEST(floats_are_read_at_any_address) {
  uint8_t bytes[9] = {0};
  store_le(bytes + 1, std::bit_cast<uint32_t>(1.5f));
  float value;
  read_floats(Dtype::f32, bytes + 1, 1, &value);
  EXPECT_TRUE(value == 1.5f);
  store_le<uint16_t>(bytes + 1, 0x3FC0);
  read_floats(Dtype::bf16, bytes + 1, 1, &value);
  EXPECT_TRUE(value == 1.5f);
  store_le<uint16_t>(bytes + 1, 0x3E00);
  read_floats(Dtype::f16, bytes + 1, 1, &value);
  EXPECT_TRUE(value == 1.5f);
}

}  // namespace susurrus::testing::quantize_test
