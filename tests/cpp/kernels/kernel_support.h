// What the kernel tests share: repeatable random data, guarded buffers, weights of every type with
// their exact values.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness.h"
#include "kernels/kernel_table.h"

namespace susurrus::testing {

/// splitmix64: the same numbers everywhere, from a seed that failure messages print.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  /// Uniform in [low, high).
  float uniform(float low, float high);
  size_t below(size_t limit) { return static_cast<size_t>(bits() % limit); }
  /// Bell-shaped, around 0, deviation 1.
  float bell();

 private:
  uint64_t state_;
};

/// 64-byte aligned floats with patterned guards on both sides: a kernel may read 16 bytes too far,
/// never write.
class GuardedFloats {
 public:
  explicit GuardedFloats(size_t count);
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;
  float* data() { return data_; }
  const float* data() const { return data_; }
  float& operator[](size_t i) { return data_[i]; }
  float operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }
  std::span<float> span() { return {data_, count_}; }
  void fill_bell(Random& random, float deviation);
  void fill(float value);
  bool guards_are_intact() const;

 private:
  std::vector<uint8_t> memory_;
  float* data_;
  size_t count_;
};

/// A weight of any type, filled with random stored bits, and what they mean in float64.
struct RandomWeight {
  TensorView view;
  std::vector<double> values;
  std::vector<uint8_t> memory;
};
/// `rows` x `columns`. Values are about `deviation` in size; f16 weights contain subnormals and zeros.
std::unique_ptr<RandomWeight> random_weight(Random& random, Dtype dtype, size_t rows,
                                            size_t columns, float deviation);
uint16_t half_from(float value);  // truncates

inline constexpr Dtype kWeightDtypes[] = {Dtype::f32,  Dtype::f16,  Dtype::bf16, Dtype::q8_0,
                                          Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1};

/// Every variant in this binary; the reference comes first.
std::vector<const KernelTable*> compiled_kernels();

/// linear() with a random weight of a block type in panels against float64, for activations of up to `limit`.
void check_linear_in_panels(const char* name, void (*linear)(const LinearArgs&),
                            WeightLayout layout, float limit);

/// int8_attention() of any shape against float64, for seven-bit activations in fours.
void check_int8_attention(const char* name, void (*attention)(const AttentionArgs&),
                          void (*quantize)(const QuantizeKvArgs&));

double exact_gelu(double x);

/// Reports the first element that is farther off than allowed; `where` names case and seed.
void expect_close(const char* what, const std::string& where, size_t index, double actual,
                  double expected, double tolerance);

}  // namespace susurrus::testing
