#pragma once
#include <algorithm>

#include "kernels/quantize_kv/quantize_kv.h"
#include "kernels/simd/int8_activations.h"
#include "kernels/simd/tile.h"

namespace susurrus::simd {

/// Eight columns of values at a time, in the order that Dot multiplies them.
template <class Dot>
class BlockQuantizer {
 public:
  explicit BlockQuantizer(const QuantizationParams& params) : offset_(params.offset) {}

  /// The scales of columns whose largest magnitudes are these; what the columns are to be multiplied by takes their place.
  static void store_scales(v128_t most[2], float* scales) {
    const v128_t limit = wasm_f32x4_const_splat(127);
    for (size_t half = 0; half < 2; ++half) {
      store(scales + 4 * half, wasm_f32x4_div(most[half], limit));
      most[half] = wasm_v128_and(wasm_f32x4_div(limit, most[half]),
                                 wasm_f32x4_gt(most[half], wasm_f32x4_const_splat(0)));
    }
  }

  /// Column c: x[k * 8 + c], k < count, c < 8. Adds -offset times the integers' sums to `corrections`, unless they are null.
  void quantize(const float* x, size_t count, const v128_t inverse[2], int32_t* corrections,
                uint8_t* q) const {
    for (size_t half = 0; half < 2; ++half) {
      const float* column = x + 4 * half;
      v128_t sum = wasm_i32x4_const_splat(0);
      uint8_t* out = q + 4 * half * Dot::kGroup;
      for (size_t k = 0; k < count; k += Dot::kGroup, out += 8 * Dot::kGroup) {
        v128_t group = wasm_i32x4_const_splat(0);
#pragma unroll
        for (size_t i = 0; i < Dot::kGroup; ++i) {
          const v128_t integer = rounding_.as_integer(
              rounding_.shifted(wasm_f32x4_mul(load(column + (k + i) * 8), inverse[half])));
          sum = wasm_i32x4_add(sum, integer);
          const auto shift = static_cast<uint32_t>(8 * i);
          group = wasm_v128_or(
              group, wasm_i32x4_shl(wasm_v128_and(integer, wasm_i32x4_const_splat(0xFF)), shift));
        }
        if constexpr (Dot::kGroup == 4) {
          wasm_v128_store(out, group);
        } else {
          group = wasm_i16x8_shuffle(group, group, 0, 2, 4, 6, 0, 2, 4, 6);
          wasm_v128_store64_lane(out, group, 0);
        }
      }
      if (corrections == nullptr) continue;
      corrections += 4 * half;
      wasm_v128_store(corrections, wasm_i32x4_add(load(corrections),
                                                  wasm_i32x4_mul(sum, wasm_i32x4_splat(-offset_))));
    }
  }

 private:
  Rounding rounding_;
  int32_t offset_;
};

/// of[c] = combine(of[c], x[j, c]) for one row j after the other, columns c < `columns`, four at a time; from 0.
template <class Combine>
inline void combine_rows(const float* x, size_t stride, size_t rows, size_t columns, float* of,
                         const Combine& combine) {
  std::fill_n(of, round_up(columns, kBlockValues), 0.0f);
  for (size_t j = 0; j < rows; ++j, x += stride) {
    for (size_t c = 0; c < columns; c += 4) {
      store(of + c, combine(c, load(of + c), load_up_to_four(x + c, columns - c)));
    }
  }
}

inline void column_means(const float* x, size_t stride, size_t rows, size_t columns, float* means) {
  combine_rows(x, stride, rows, columns, means,
               [](size_t, v128_t sum, v128_t value) { return wasm_f32x4_add(sum, value); });
  for (size_t c = 0; c < columns; ++c) means[c] *= 1 / static_cast<float>(rows);
}

/// How far the farthest value of each column is from its mean; 0 for what is next to nothing and has no finite inverse.
inline void column_scales(const float* x, size_t stride, size_t rows, size_t columns,
                          const float* means, float* scales) {
  combine_rows(x, stride, rows, columns, scales, [means](size_t c, v128_t most, v128_t value) {
    return largest_magnitude(most, wasm_f32x4_sub(value, load(means + c)));
  });
  for (size_t c = 0; c < columns; ++c) {
    if (scales[c] < 1e-30f) scales[c] = 0;
  }
}

template <class Dot>
class KvQuantizer {
 public:
  KvQuantizer(const QuantizeKvArgs& args, const QuantizationParams& params)
      : args_(args), layout_(args.key_rows, args.head_size), quantizer_(params) {}

  void quantize_keys(const float* k, uint8_t* head) const {
    auto* means = reinterpret_cast<float*>(head + layout_.key_means);
    auto* scales = reinterpret_cast<float*>(head + layout_.key_scales);
    column_means(k, args_.k_stride, args_.key_rows, args_.head_size, means);
    column_scales(k, args_.k_stride, args_.key_rows, args_.head_size, means, scales);
    float part[kPart * 8];
    uint8_t* panel = head;
    for (size_t j = 0; panel < head + layout_.values; j += 8, panel += layout_.key_panel_bytes) {
      const float* rows[8];
      for (size_t c = 0; c < 8; ++c) {
        // Keys beyond the last are means: zeros without them.
        rows[c] = j + c < args_.key_rows ? k + (j + c) * args_.k_stride : means;
      }
      v128_t largest[2] = {};
      for (size_t d = 0; d < layout_.width; d += kPart) {
        find_largest(part, load_keys(rows, d, means, scales, part), largest);
      }
      quantizer_.store_scales(largest, reinterpret_cast<float*>(panel));
      auto* corrections = reinterpret_cast<int32_t*>(panel + Int8KvLayout::kKeyCorrections);
      std::fill_n(corrections, 8, 0);
      for (size_t d = 0; d < layout_.width; d += kPart) {
        size_t count = layout_.width;
        // A head of one part has it still.
        if (count > kPart) count = load_keys(rows, d, means, scales, part);
        quantizer_.quantize(part, count, largest, corrections,
                            panel + Int8KvLayout::kKeyIntegers + 8 * d);
      }
    }
  }

  void quantize_values(const float* v, uint8_t* head) const {
    auto* means = reinterpret_cast<float*>(head + layout_.value_means);
    column_means(v, args_.v_stride, args_.key_rows, args_.head_size, means);
    float part[kPart * 8];
    uint8_t* panel = head + layout_.values;
    for (size_t d = 0; d < layout_.width; d += 8, panel += layout_.value_panel_bytes) {
      const size_t columns = std::min<size_t>(8, args_.head_size - std::min(d, args_.head_size));
      for (size_t b = 0; b < layout_.key_blocks; ++b) {
        const size_t count = std::min(kPart, args_.key_rows - b * kPart);
        const float* source = v + b * kPart * args_.v_stride + d;
        std::fill_n(part, kPart * 8, 0.0f);
        for (size_t i = 0; i < count; ++i, source += args_.v_stride) {
          float* row = part + i * 8;
          if (columns == 8) {
            store(row, wasm_f32x4_sub(load(source), load(means + d)));
            store(row + 4, wasm_f32x4_sub(load(source + 4), load(means + d + 4)));
          } else {
            for (size_t c = 0; c < columns; ++c) row[c] = source[c] - means[d + c];
          }
        }
        v128_t largest[2] = {};
        find_largest(part, kPart, largest);
        quantizer_.store_scales(largest, reinterpret_cast<float*>(panel) + 8 * b);
        quantizer_.quantize(part, kPart, largest, nullptr,
                            panel + layout_.value_integers + b * Int8KvLayout::kBlockIntegers);
      }
    }
  }

 private:
  static constexpr size_t kPart = Int8KvLayout::kKeys;

  /// Columns [d, d + kPart) of eight keys without means, divided by their columns' scales; returns how many there are, a multiple of 32.
  size_t load_keys(const float* const* keys, size_t d, const float* means, const float* scales,
                   float* part) const {
    const size_t count = std::min(kPart, layout_.width - d);
    const size_t real = std::min(count, args_.head_size - std::min(d, args_.head_size));
    const float* rows[8];
    for (size_t c = 0; c < 8; ++c) rows[c] = keys[c] + d;
    transpose_to_panel(rows, real, part);
    for (size_t i = 0; i < real; ++i) {
      const v128_t mean = load_splat(means + d + i);
      const float scale = scales[d + i];
      const v128_t factor = wasm_f32x4_splat(scale > 0 ? 1 / scale : 0.0f);
      for (float* half = part + 8 * i; half < part + 8 * i + 8; half += 4) {
        store(half, wasm_f32x4_mul(wasm_f32x4_sub(load(half), mean), factor));
      }
    }
    std::fill(part + 8 * real, part + 8 * count, 0.0f);
    return count;
  }

  static void find_largest(const float* part, size_t count, v128_t largest[2]) {
    for (size_t i = 0; i < count; ++i) {
      largest[0] = largest_magnitude(largest[0], load(part + 8 * i));
      largest[1] = largest_magnitude(largest[1], load(part + 8 * i + 4));
    }
  }

  const QuantizeKvArgs& args_;
  Int8KvLayout layout_;
  BlockQuantizer<Dot> quantizer_;
};

template <class Dot>
inline void quantize_kv(const QuantizeKvArgs& args, const QuantizationParams& params) {
  const KvQuantizer<Dot> quantizer(args, params);
  const size_t head_bytes = Int8KvLayout(args.key_rows, args.head_size).head_bytes;
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    uint8_t* head = args.kv.data + h * head_bytes;
    quantizer.quantize_keys(args.k + h * args.head_size, head);
    quantizer.quantize_values(args.v + h * args.head_size, head);
  }
}

}  // namespace susurrus::simd
