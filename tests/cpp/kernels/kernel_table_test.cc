#include "kernels/kernel_table.h"

#include "kernels/int8_attention/int8_attention.h"
#include "kernels/kernel_support.h"
#include "kernels/linear/linear.h"
#include "kernels/quantize_kv/quantize_kv.h"

namespace susurrus::testing::kernel_table_test {
#if SUSURRUS_WITH_RELAXED
namespace {

bool has_relaxed_dot() {
  return find_kernels(Variant::relaxed)->packing.layout == WeightLayout::panels_of_4;
}

}  // namespace
#endif

// SUSURRUS_WITH_... is defined for every source of a target, so a test binary knows what it should
// contain. This does not check the binary's name.
SUSURRUS_TEST(kernel_table_has_exactly_the_variants_of_this_binary) {
  const KernelTable* reference = find_kernels(Variant::reference);
  const KernelTable* simd128 = find_kernels(Variant::simd128);
  const KernelTable* relaxed = find_kernels(Variant::relaxed);
  ASSERT_TRUE(reference != nullptr);
  EXPECT_EQ(reference->variant, Variant::reference);
#if SUSURRUS_WITH_SIMD128
  ASSERT_TRUE(simd128 != nullptr);
  EXPECT_EQ(simd128->variant, Variant::simd128);
  // No fallback hides behind the name.
  EXPECT_TRUE(simd128->linear != reference->linear);
  EXPECT_TRUE(simd128->attention != reference->attention);
  EXPECT_TRUE(simd128->int8_attention != reference->int8_attention);
  EXPECT_TRUE(simd128->quantize_kv != reference->quantize_kv);
  EXPECT_TRUE(simd128->attention_scores != reference->attention_scores);
  EXPECT_TRUE(simd128->layer_norm != reference->layer_norm);
  EXPECT_TRUE(simd128->softmax != reference->softmax);
  EXPECT_TRUE(simd128->exponential_sum != reference->exponential_sum);
  EXPECT_TRUE(simd128->first_above != reference->first_above);
  EXPECT_TRUE(simd128->gelu != reference->gelu);
  EXPECT_TRUE(simd128->add != reference->add);
  EXPECT_TRUE(simd128->dequantize_row != reference->dequantize_row);
#else
  EXPECT_TRUE(simd128 == nullptr);
#endif
#if SUSURRUS_WITH_RELAXED
  ASSERT_TRUE(relaxed != nullptr);
  EXPECT_EQ(relaxed->variant, Variant::relaxed);
  EXPECT_TRUE(relaxed->linear != simd128->linear);
  EXPECT_TRUE(relaxed->attention != simd128->attention);
  // Nothing is multiplied as integers on a machine that exchanges the dot product's operands.
  EXPECT_EQ(relaxed->packing.pack != nullptr, has_relaxed_dot());
  EXPECT_EQ(relaxed->int8_attention != nullptr, has_relaxed_dot());
  EXPECT_EQ(relaxed->quantize_kv != nullptr, has_relaxed_dot());
  EXPECT_TRUE(relaxed->int8_attention != simd128->int8_attention);
  EXPECT_TRUE(relaxed->quantize_kv != simd128->quantize_kv);
#else
  EXPECT_TRUE(relaxed == nullptr);
#endif
#ifdef __wasm__
  EXPECT_TRUE(simd128 != nullptr);
#endif
}

#if SUSURRUS_WITH_RELAXED
SUSURRUS_TEST(linear_of_a_machine_with_seven_bits) {
  if (!has_relaxed_dot()) return;
  check_linear_in_panels("seven bits", linear_relaxed_seven_bits, WeightLayout::panels_of_4, 63);
}

SUSURRUS_TEST(linear_in_pairs_beside_relaxed_floats) {
  check_linear_in_panels("pairs", linear_relaxed_in_pairs, WeightLayout::panels_of_2, 32767);
}

SUSURRUS_TEST(int8_attention_of_a_machine_with_seven_bits) {
  if (!has_relaxed_dot()) return;
  check_int8_attention("seven bits", int8_attention_relaxed_seven_bits,
                       quantize_kv_relaxed_seven_bits);
}
#endif

SUSURRUS_TEST(kernel_table_default_is_the_fastest_variant) {
  EXPECT_EQ(&default_kernels(), compiled_kernels().back());
}

SUSURRUS_TEST(kernel_table_names_every_variant) {
  EXPECT_EQ(std::string(variant_name(Variant::reference)), "reference");
  EXPECT_EQ(std::string(variant_name(Variant::simd128)), "simd128");
  EXPECT_EQ(std::string(variant_name(Variant::relaxed)), "relaxed");
}

// A model of whatever size must not make scratch memory surprising.
SUSURRUS_TEST(kernel_scratch_stays_small) {
  EXPECT_LE(linear_scratch_floats(5120) * sizeof(float), 1u << 20);
  EXPECT_GE(linear_scratch_floats(5120), 5120u);
  EXPECT_LE(attention_scratch_floats(1500, 64) * sizeof(float), 1u << 20);
}

}  // namespace susurrus::testing::kernel_table_test
