#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/int8_kv.h"
#include "tensor/tensor_view.h"
#include "tensor/weight_packing.h"

namespace susurrus {

enum class Variant : uint8_t { reference = 0, simd128 = 1, relaxed = 2 };
const char* variant_name(Variant variant);

enum class Epilogue : uint8_t {
  store,       // y = r
  gelu,        // y = gelu(r), the exact erf form
  accumulate,  // y += r: the residual stream
};

/// y[m, n] = epilogue(sum_k x[m, k] * W[n, k] + bias[n]),  rows m < `rows`, n < weight rows.
/// x rows are x_stride floats apart, y rows y_stride floats; x and y do not overlap. A convolution is such a product of rows
/// that overlap each other.
struct LinearArgs {
  size_t rows = 0;
  const float* x = nullptr;
  size_t x_stride = 0;
  TensorView weight;            // (n, k): any weight dtype; block types also in panels
  const float* bias = nullptr;  // n floats, or null
  float* y = nullptr;
  size_t y_stride = 0;
  Epilogue epilogue = Epilogue::store;
  /// Packed weights: x quantised to 14 bits or more whatever the machine's dot product takes. Costs up to twice the time.
  bool is_fine = false;
  /// At least linear_scratch_floats(k) floats, 64-byte aligned; contents are lost.
  std::span<float> scratch = {};
};

/// Rows of keys and values that query rows do not share: sequences that begin alike and go on apart. Query row i sees the
/// first `shared` rows of k and v; its key j after them is row rows[i * rows_stride + j - shared] of `k` and `v` here.
struct OwnKeys {
  const uint32_t* rows = nullptr;  // null: every key is a row of the shared ones
  size_t rows_stride = 0;
  size_t shared = 0;
  const float* k = nullptr;  // rows as far apart as those of the shared ones
  const float* v = nullptr;
};

/// Multi-head attention: for each head h and query row i,
/// out[i, h] = softmax_j(scale * q[i, h] . k[j, h]) v[j, h],
/// j < key_rows (and j <= causal_offset + i when causal)
/// with h the columns [h * head_size, (h + 1) * head_size). q, k, v, out rows are `*_stride` floats
/// apart. With keys of their own, query rows are not causal.
struct AttentionArgs {
  size_t query_rows = 0;
  size_t key_rows = 0;
  size_t head_first = 0;  // heads [head_first, head_first + head_count) are computed
  size_t head_count = 0;
  size_t head_size = 0;
  float scale = 1.0f;
  bool causal = false;
  size_t causal_offset = 0;  // keys that precede query row 0
  const float* q = nullptr;
  size_t q_stride = 0;
  const float* k = nullptr;
  size_t k_stride = 0;
  const float* v = nullptr;
  size_t v_stride = 0;
  float* out = nullptr;
  size_t out_stride = 0;
  OwnKeys own = {};
  Int8Kv kv = {};  // of int8_attention, instead of k and v
  /// attention_scratch_floats(key_rows, head_size), or int8_attention_scratch_floats()
  std::span<float> scratch;
};

/// Keys and values, as AttentionArgs has them, to integers.
struct QuantizeKvArgs {
  size_t key_rows = 0;
  size_t head_first = 0;
  size_t head_count = 0;
  size_t head_size = 0;
  const float* k = nullptr;
  size_t k_stride = 0;
  const float* v = nullptr;
  size_t v_stride = 0;
  Int8Kv kv = {};
};

/// One head's scores before the softmax: out[i, j] = scale * q[i] . k[j], i < query_rows, j < key_rows; q and k point at the
/// head's columns, rows are `*_stride` floats apart.
struct AttentionScoresArgs {
  size_t query_rows = 0;
  size_t key_rows = 0;
  size_t head_size = 0;
  float scale = 1.0f;
  const float* q = nullptr;
  size_t q_stride = 0;
  const float* k = nullptr;
  size_t k_stride = 0;
  float* out = nullptr;
  size_t out_stride = 0;
};

/// Rows of floats prepared for convolve_frames(): see frame_convolution/frame_convolution.h.
struct FoldFramesArgs {
  size_t rows = 0;
  size_t channels = 0;  // a multiple of 4
  /// The first of `rows`, x_stride floats apart; the one before it and the one behind the last are there, and zeros.
  const float* x = nullptr;
  size_t x_stride = 0;
  float factor = 1;
  int16_t* out = nullptr;  // FrameConvolution::folded()
};

/// y = convolution of the inputs * scales[n] * scale + bias[n] (+ y)
struct ConvolveFramesArgs {
  size_t rows = 0;
  size_t channels = 0;
  size_t outputs = 0;
  std::span<const int16_t* const> inputs;  // each folded; null ones are zeros
  const int16_t* weights = nullptr;        // fold_weights(), as the next
  const float* scales = nullptr;
  float scale = 1;
  const float* bias = nullptr;  // or null
  float* y = nullptr;
  size_t y_stride = 0;
  bool accumulates = false;
};

/// Every operation of one instruction set. Kernels never allocate and know no models; formulas,
/// edge cases and error bounds stand in each operation's own header.
struct KernelTable {
  Variant variant;
  /// How linear() is fastest with weights of the block types; it then computes with integers.
  WeightPacking packing;
  void (*linear)(const LinearArgs&);
  void (*attention)(const AttentionArgs&);
  /// attention() with keys and values as integers, for packed weights; null without such a kernel.
  void (*int8_attention)(const AttentionArgs&);
  void (*quantize_kv)(const QuantizeKvArgs&);
  void (*attention_scores)(const AttentionScoresArgs&);
  /// y = (x - mean) / sqrt(variance + 1e-5) * gamma + beta per row; rows `stride` floats apart; y
  /// may be x.
  void (*layer_norm)(size_t rows, size_t columns, const float* x, size_t x_stride,
                     const float* gamma, const float* beta, float* y, size_t y_stride);
  /// In place, per row: exp(x - max) / sum; a row of -inf gives zeros.
  void (*softmax)(size_t rows, size_t columns, float* x, size_t stride);
  /// sum exp((x - maximum) * scale) of x <= maximum, scale > 0; -inf adds nothing.
  double (*exponential_sum)(size_t count, const float* x, float maximum, float scale);
  /// The first i with x[i] > threshold, or `count`.
  size_t (*first_above)(size_t count, const float* x, float threshold);
  /// y = x * 0.5 * (1 + erf(x / sqrt(2))); y may be x.
  void (*gelu)(size_t count, const float* x, float* y);
  /// y = 1 / (1 + exp(-x)); y may be x.
  void (*sigmoid)(size_t count, const float* x, float* y);
  /// y may be x.
  void (*tanh)(size_t count, const float* x, float* y);
  void (*fold_frames)(const FoldFramesArgs&);
  void (*convolve_frames)(const ConvolveFramesArgs&);
  /// y += x
  void (*add)(size_t count, const float* x, float* y);
  /// `count` elements (a multiple of the block) of any weight dtype to f32, exactly.
  void (*dequantize_row)(Dtype dtype, const uint8_t* source, size_t count, float* y);
};

size_t linear_scratch_floats(size_t k);
size_t attention_scratch_floats(size_t key_rows, size_t head_size);
size_t int8_attention_scratch_floats(size_t key_rows, size_t head_size);

/// The table of a variant that is compiled in, or nullptr.
const KernelTable* find_kernels(Variant variant);
/// The fastest variant compiled into this binary.
const KernelTable& default_kernels();

}  // namespace susurrus
