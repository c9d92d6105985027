// Compiled once for each final target: only that target knows which variants it links.
#include "kernels/kernel_table.h"

#include "kernels/add/add.h"
#include "kernels/attention/attention.h"
#include "kernels/attention_scores/attention_scores.h"
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/exponential_sum/exponential_sum.h"
#include "kernels/first_above/first_above.h"
#include "kernels/frame_convolution/frame_convolution.h"
#include "kernels/gates/gates.h"
#include "kernels/gelu/gelu.h"
#include "kernels/int8_attention/int8_attention.h"
#include "kernels/layer_norm/layer_norm.h"
#include "kernels/linear/linear.h"
#include "kernels/packed_weights/packed_weights.h"
#include "kernels/packed_weights/rescaled_halves.h"
#include "kernels/quantize_kv/quantize_kv.h"
#include "kernels/softmax/softmax.h"

namespace susurrus {
namespace {

constexpr KernelTable kReference = {
    .variant = Variant::reference,
    .packing = {},
    .linear = linear_reference,
    .attention = attention_reference,
    .int8_attention = int8_attention_reference,
    .quantize_kv = quantize_kv_reference,
    .attention_scores = attention_scores_reference,
    .layer_norm = layer_norm_reference,
    .softmax = softmax_reference,
    .exponential_sum = exponential_sum_reference,
    .first_above = first_above_reference,
    .gelu = gelu_reference,
    .sigmoid = sigmoid_reference,
    .tanh = tanh_reference,
    .fold_frames = fold_frames_reference,
    .convolve_frames = convolve_frames_reference,
    .add = add_reference,
    .dequantize_row = dequantize_row_reference,
};

/// Without what only Whisper needs in modules that run nothing but graphs, so that it is not linked there.
[[maybe_unused]] constexpr KernelTable for_this_module(KernelTable table) {
#if SUSURRUS_GRAPHS_ALONE
  table.packing.rescale = nullptr;
  table.attention = nullptr;
  table.int8_attention = nullptr;
  table.quantize_kv = nullptr;
  table.attention_scores = nullptr;
  table.layer_norm = nullptr;
  table.softmax = nullptr;
  table.exponential_sum = nullptr;
  table.first_above = nullptr;
  table.gelu = nullptr;
  table.add = nullptr;
  table.dequantize_row = nullptr;
#endif
  return table;
}

#if SUSURRUS_WITH_SIMD128
constexpr KernelTable kSimd128 = for_this_module({
    .variant = Variant::simd128,
    .packing = {WeightLayout::panels_of_2, pack_weights, rescale_halves, pack_rows},
    .linear = linear_simd128,
    .attention = attention_simd128,
    .int8_attention = int8_attention_simd128,
    .quantize_kv = quantize_kv_simd128,
    .attention_scores = attention_scores_simd128,
    .layer_norm = layer_norm_simd128,
    .softmax = softmax_simd128,
    .exponential_sum = exponential_sum_simd128,
    .first_above = first_above_simd128,
    .gelu = gelu_simd128,
    .sigmoid = sigmoid_simd128,
    .tanh = tanh_simd128,
    .fold_frames = fold_frames_simd128,
    .convolve_frames = convolve_frames_simd128,
    .add = add_simd128,
    .dequantize_row = dequantize_row_simd128,
});
#endif

#if SUSURRUS_WITH_RELAXED
// Where a fused multiply-add gains nothing measurable, the simd128 kernel serves both.
constexpr KernelTable kRelaxed = for_this_module({
    .variant = Variant::relaxed,
    .packing = {WeightLayout::panels_of_4, pack_weights, rescale_halves, pack_rows},
    .linear = linear_relaxed,
    .attention = attention_relaxed,
    .int8_attention = int8_attention_relaxed,
    .quantize_kv = quantize_kv_relaxed,
    .attention_scores = attention_scores_simd128,
    .layer_norm = layer_norm_simd128,
    .softmax = softmax_simd128,
    .exponential_sum = exponential_sum_simd128,
    .first_above = first_above_simd128,
    .gelu = gelu_relaxed,
    .sigmoid = sigmoid_simd128,
    .tanh = tanh_simd128,
    .fold_frames = fold_frames_simd128,
    .convolve_frames = convolve_frames_simd128,
    .add = add_simd128,
    .dequantize_row = dequantize_row_simd128,
});

#if SUSURRUS_GRAPHS_ALONE
/// Integers of 16 bits where the relaxed dot product is unsound, and where it takes seven: it is no faster there, and twice as
/// slow with two terms.
constexpr KernelTable without_relaxed_dot() {
  KernelTable table = kRelaxed;
  table.packing.layout = WeightLayout::panels_of_2;
  table.linear = linear_relaxed_in_pairs;
  return table;
}

bool uses_relaxed_dot() { return relaxed_dot_is_sound() && relaxed_dot_takes_bytes(); }
#else
/// Fallback if the relaxed dot product is unsound: weights stay in rows and everything is computed in floats. Only engines
/// with relaxed SIMD behind a flag are affected, so simd128's integer kernels are not worth their size here.
constexpr KernelTable without_relaxed_dot() {
  KernelTable table = kRelaxed;
  table.packing = {.rescale = kRelaxed.packing.rescale};
  table.int8_attention = nullptr;
  table.quantize_kv = nullptr;
  return table;
}

bool uses_relaxed_dot() { return relaxed_dot_is_sound(); }
#endif
constexpr KernelTable kRelaxedWithoutDot = without_relaxed_dot();

const KernelTable& relaxed_kernels() {
  static const bool has_dot = uses_relaxed_dot();
  return has_dot ? kRelaxed : kRelaxedWithoutDot;
}
#endif

}  // namespace

const char* variant_name(Variant variant) {
  switch (variant) {
    case Variant::reference: return "reference";
    case Variant::simd128: return "simd128";
    case Variant::relaxed: return "relaxed";
  }
  return "unknown";
}

const KernelTable* find_kernels(Variant variant) {
  switch (variant) {
    case Variant::reference: return &kReference;
    case Variant::simd128:
#if SUSURRUS_WITH_SIMD128
      return &kSimd128;
#else
      return nullptr;
#endif
    case Variant::relaxed:
#if SUSURRUS_WITH_RELAXED
      return &relaxed_kernels();
#else
      return nullptr;
#endif
  }
  return nullptr;
}

const KernelTable& default_kernels() {
#if SUSURRUS_WITH_RELAXED
  return relaxed_kernels();
#elif SUSURRUS_WITH_SIMD128
  return kSimd128;
#else
  return kReference;
#endif
}

}  // namespace susurrus
