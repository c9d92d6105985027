// int8 matrices of BW2L files: kept as they are, and their products beside those of the same matrices as floats.
#include <cmath>

#include "graph/small_bw2l.h"
#include "kernels/kernel_support.h"
#include "kernels/packed_weights/packed_weights.h"

namespace susurrus::testing::bw2l_int8_test {
namespace {

using Integers = std::vector<int8_t>;

/// Largest difference to f32 arithmetic, in parts of the results' root mean square. Relaxed kernels quantise the activations to
/// 14 bits on machines whose dot product takes seven, others to 16 or more.
double tolerance(const KernelTable& kernels) {
  return kernels.variant == Variant::relaxed ? 5e-4 : 1e-4;
}

Floats bell(Random& random, size_t count) {
  Floats values(count);
  for (float& value : values) value = random.bell();
  return values;
}

/// Draws from all values of int8.
Integers drawn(Random& random, size_t count) {
  Integers values(count);
  for (int8_t& value : values)
    value = static_cast<int8_t>(static_cast<int>(random.below(256)) - 128);
  return values;
}

/// A layer twice, with arrays of int8 and of the floats that they stand for.
struct Pair {
  Bw2lLayers integers = {};
  Bw2lLayers floats = {};
  float scale = 1;
  int64_t offset = 0;

  void line(std::string_view text) {
    integers.add<int8_t>(text, Bw2lDtype::i8, {}, scale, offset);
    floats.add(text);
  }
  void array(const Integers& values) {
    integers.add_array(Bw2lDtype::i8, values);
    Floats reals;
    for (const int8_t value : values) {
      reals.push_back(static_cast<float>(
          static_cast<double>(scale) * (static_cast<double>(value) - static_cast<double>(offset))));
    }
    floats.add_array(Bw2lDtype::fp32, reals);
  }
  void array(const Floats& values) {
    integers.add_array(Bw2lDtype::fp32, values);
    floats.add_array(Bw2lDtype::fp32, values);
  }
};

size_t byte_count(const Graph& graph) {
  size_t count = 0;
  for (const OwnedTensor& constant : graph.constants) count += constant.buffer.byte_count();
  return count;
}
size_t packed_count(const Graph& graph) {
  size_t count = 0;
  for (const OwnedTensor& constant : graph.constants) count += constant.is_packed() ? 1 : 0;
  return count;
}

double difference(const Floats& got, const Floats& expected) {
  if (!EXPECT_EQ(got.size(), expected.size())) return INFINITY;
  double largest = 0;
  double squares = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::fabs(double{got[i]} - double{expected[i]}));
    squares += double{expected[i]} * double{expected[i]};
  }
  return largest / std::sqrt(squares / static_cast<double>(got.size()));
}

}  // namespace

SUSURRUS_TEST(bw2l_int8_matrices_are_kept_to_the_integer) {
  constexpr size_t kIn = 75;
  constexpr size_t kOut = 133;
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(1);
    Pair pair{.scale = 0.003F, .offset = 7};
    pair.line("RO 1 0 2 3");
    pair.line("L 75 133");
    const Integers matrix = drawn(random, kIn * kOut);
    pair.array(matrix);
    pair.array(bell(random, kOut));
    const auto network = pair.integers.compile(kIn, 1, 0, *kernels);
    ASSERT_TRUE(network.has_value());
    ASSERT_EQ(packed_count(network->graph), 1u);
    for (const OwnedTensor& constant : network->graph.constants) {
      if (!constant.is_packed()) continue;
      EXPECT_EQ(constant.packed.shape[0], kOut);
      Floats row(static_cast<size_t>(constant.packed.shape[1]));
      for (size_t o = 0; o < kOut; ++o) {
        read_weight_row(constant.packed, o, row.data());
        for (size_t i = 0; i < kIn; ++i) {
          EXPECT_EQ(row[i], static_cast<float>(matrix[i * kOut + o]));
        }
      }
    }
  }
}

SUSURRUS_TEST(bw2l_int8_matrices_multiply_as_their_floats_do) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const int64_t offset : {0, -3, 100, -128, 128}) {
      for (const size_t frames : {1, 3, 70}) {
        Random random(static_cast<uint64_t>(offset + 200) + frames);
        // A scale that f16 does not hold.
        Pair pair{.scale = 0.0020126165F, .offset = offset};
        pair.line("RO 1 0 2 3");
        pair.line("L 320 150");
        pair.array(drawn(random, size_t{320} * 150));
        pair.array(bell(random, 150));
        const Floats x = bell(random, 320 * frames);
        const double far =
            difference(pair.integers.run(320, x, *kernels), pair.floats.run(320, x, *kernels));
        EXPECT_LT(far, tolerance(*kernels));
      }
    }
  }
}

SUSURRUS_TEST(bw2l_int8_blocks_take_a_quarter_of_the_memory) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(3);
    Pair pair{.scale = 0.0023F, .offset = -5};
    for (int block = 0; block < 3; ++block) {
      pair.line("TDS 10 9 40 0.05 0 1 0");
      pair.array(drawn(random, 900));
      pair.array(bell(random, 10));
      for (const float one : {1.0F, 0.0F}) pair.array(Floats{one});
      for (int i = 0; i < 2; ++i) {
        pair.array(drawn(random, size_t{400} * 400));
        pair.array(bell(random, 400));
      }
      for (const float one : {1.0F, 0.0F}) pair.array(Floats{one});
    }
    pair.line("V 0 400 1 0");
    pair.line("RO 1 0 3 2");
    pair.line("L 400 17 0");
    pair.array(drawn(random, size_t{400} * 17));
    const auto integers = pair.integers.compile(40, 10, 0, *kernels);
    const auto floats = pair.floats.compile(40, 10, 0, *kernels);
    ASSERT_TRUE(integers && floats);
    EXPECT_EQ(packed_count(integers->graph), 7u);
    EXPECT_EQ(packed_count(floats->graph), 0u);
    const auto all = static_cast<double>(byte_count(floats->graph));
    EXPECT_LT(static_cast<double>(byte_count(integers->graph)), 0.29 * all);
  }
}

SUSURRUS_TEST(bw2l_int8_matrices_that_need_floats_become_floats) {
  const auto run_both = [](Pair& pair, size_t in, size_t out) {
    Random random(4);
    pair.line("RO 1 0 2 3");
    pair.line("L " + std::to_string(in) + " " + std::to_string(out) + " 0");
    pair.array(drawn(random, in * out));
    const auto network = pair.integers.compile(in);
    if (!EXPECT_TRUE(network.has_value())) return;
    EXPECT_EQ(packed_count(network->graph), 0u);
    Floats x = bell(random, in * 5);
    for (float& value : x) value *= 0x1p-20F;  // Sums of the largest weights are finite.
    const Floats got = pair.integers.run(in, x);
    const Floats expected = pair.floats.run(in, x);
    ASSERT_EQ(got.size(), 5 * out);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]);
  };
  Pair small{.scale = 0.01F, .offset = 2};
  run_both(small, 20, 30);
  for (const int64_t offset : {int64_t{129}, int64_t{-129}, INT64_MIN, INT64_MAX}) {
    Pair far{.scale = 0.01F, .offset = offset};
    run_both(far, 96, 64);
  }
  Pair large{.scale = 2e36F, .offset = 0};
  run_both(large, 96, 64);
}

SUSURRUS_TEST(bw2l_int8_matrices_have_to_lie_in_the_file) {
  Bw2lLayers layers;
  layers.add("RO 1 0 2 3").add<int8_t>("L 96 64 0", Bw2lDtype::i8, {Integers(96 * 64, 1)});
  layers.file.pop_back();
  const auto network = layers.compile(96);
  ASSERT_FALSE(network.has_value());
  EXPECT_EQ(network.error().subject.view(), "layers[1] (L 96 64 0)");
  EXPECT_EQ(network.error().expected.view(), "arrays that the file holds");
}

}  // namespace susurrus::testing::bw2l_int8_test
