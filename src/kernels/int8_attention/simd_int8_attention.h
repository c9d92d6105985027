// Attention by integers: up to six query rows against a head's keys, block by block, whose probabilities are quantised as
// they come; then against the values.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/int8_attention/int8_attention.h"
#include "kernels/int8_kv.h"
#include "kernels/simd/exp.h"
#include "kernels/simd/int8_activations.h"
#include "kernels/simd/read_ahead.h"

namespace susurrus::simd {

/// The largest quantised probability. They are unsigned and have no offset, which every machine takes.
template <class Dot>
inline float probability_limit(const QuantizationParams& params) {
  if constexpr (!Dot::kHasOffset) return params.limit;
  // Machines with an offset of 128 take unsigned bytes.
  return params.offset == 128 ? 255.0f : 127.0f;
}

/// Quantises the scores of a block of keys to round(limit * 2^((score - maximum) * factor)), a row at a time.
///
/// limit * 2^f by a polynomial, |f| <= 1/2, relative error 7.5e-5 (degree 3) or 2.6e-6 (degree 4, for 16 bits): less than
/// 0.02 and 0.1 of a step.
template <class Dot, class Madd>
class ProbabilityQuantizer {
 public:
  explicit ProbabilityQuantizer(float limit) : shift_(held_u32(0x4B400000)) {
    constexpr float kCubic[] = {0.0551716691f, 0.242611122f, 0.693260985f, 0.999928074f};
    constexpr float kQuartic[] = {0.00957010191f, 0.0559178603f, 0.240247448f, 0.693121815f,
                                  0.999999261f};
    for (int i = 0; i <= kDegree; ++i) {
      polynomial_[i] = wasm_f32x4_splat(limit * (kDegree == 3 ? kCubic[i] : kQuartic[i]));
    }
  }

  struct Block {
    float maximum;  // of the scores
    float sum;      // of the quantised probabilities
  };

  Block quantize(const float* scores, float row_factor, typename Dot::Activation* quantized) const {
    v128_t most = load(scores);
    for (size_t j = 4; j < Int8KvLayout::kKeys; j += 4) {
      most = wasm_f32x4_pmax(most, load(scores + j));
    }
    most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 2, 3, 0, 1));
    most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 1, 0, 3, 2));
    const v128_t factor = wasm_f32x4_splat(row_factor);
    // Scores this far below the maximum all become 0.
    const v128_t lowest = wasm_f32x4_splat(-30.0f / row_factor);
    v128_t sum = wasm_i32x4_const_splat(0);
    const ProbabilityQuantizer held = *this;
    const v128_t ones = Dot::kHasOffset ? wasm_i8x16_const_splat(1) : wasm_i16x8_const_splat(1);
#pragma clang loop unroll(disable)
    for (size_t j = 0; j < Int8KvLayout::kKeys; j += 16, scores += 16, quantized += 16) {
      v128_t q[4];
#pragma unroll
      for (size_t i = 0; i < 4; ++i) {
        q[i] = held.quantize_four(wasm_f32x4_sub(load(scores + 4 * i), most), factor, lowest);
      }
      const v128_t low = wasm_i16x8_narrow_i32x4(q[0], q[1]);
      const v128_t high = wasm_i16x8_narrow_i32x4(q[2], q[3]);
      if constexpr (Dot::kHasOffset) {
        const v128_t bytes = wasm_u8x16_narrow_i16x8(low, high);
        wasm_v128_store(quantized, bytes);
        sum = Dot::dot(ones, bytes, sum);
      } else {
        wasm_v128_store(quantized, low);
        wasm_v128_store(quantized + 8, high);
        sum = Dot::dot(ones, high, Dot::dot(ones, low, sum));
      }
    }
    return {wasm_f32x4_extract_lane(most, 0), sum_lanes(wasm_f32x4_convert_i32x4(sum))};
  }

 private:
  static constexpr int kDegree = Dot::kHasOffset ? 3 : 4;

  v128_t quantize_four(v128_t score, v128_t factor, v128_t lowest) const {
    const v128_t x = wasm_f32x4_pmax(lowest, score);
    const v128_t shifted = Madd::madd(x, factor, shift_);
    const v128_t f = Madd::madd(x, factor, wasm_f32x4_sub(shift_, shifted));
    v128_t y = Madd::madd(polynomial_[0], f, polynomial_[1]);
#pragma unroll
    for (int i = 2; i <= kDegree; ++i) y = Madd::madd(y, f, polynomial_[i]);
    y = wasm_i32x4_add(y, wasm_i32x4_shl(shifted, 23));
    return wasm_i32x4_sub(wasm_f32x4_add(y, shift_), shift_);
  }

  v128_t shift_;
  v128_t polynomial_[kDegree + 1];
};

/// Quantised values of a row that lie together, followed by the next row's: of queries as many columns, of probabilities as many keys.
inline constexpr size_t kInterleave = Int8KvLayout::kKeys;

/// sums[r * P + p] += eight rows of panel p by `count` values of row r
template <class Dot, int R, int P>
inline void add_products(const uint8_t* panel, size_t panel_stride,
                         const typename Dot::Activation* quantized, size_t count,
                         v128_t sums[R * P][2]) {
  // A step for each turn of the loop: unrolled, V8 moves the loads to the front and runs out of registers.
  const typename Dot::Activation* end = quantized + count;
#pragma clang loop unroll(disable)
  for (; quantized < end; quantized += Dot::kGroup, panel += 8 * Dot::kGroup) {
#pragma unroll
    for (int p = 0; p < P; ++p) {
      const uint8_t* q = panel + static_cast<size_t>(p) * panel_stride;
      const v128_t low = Dot::weights_low(q);
      const v128_t high = Dot::weights_high(q);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const v128_t value = wasm_v128_load32_splat(quantized + r * static_cast<int>(kInterleave));
        sums[r * P + p][0] = Dot::dot(low, value, sums[r * P + p][0]);
        sums[r * P + p][1] = Dot::dot(high, value, sums[r * P + p][1]);
      }
    }
  }
}

/// Query rows against one head: R rows by P panels of eight keys, or columns of values, at a time. A single row takes four
/// panels, so that no product waits for the one before it.
template <class Dot, class Madd>
class Int8Attender {
 public:
  Int8Attender(const AttentionArgs& args, const QuantizationParams& params)
      : args_(args),
        params_(params),
        layout_(args.key_rows, args.head_size),
        place_(layout_.width, layout_.key_blocks, Int8KvLayout::kKeys),
        memory_(args.scratch.data()),
        parts_((layout_.width + kInterleave - 1) / kInterleave),
        root_(std::sqrt(static_cast<float>(args.head_size))),
        quantizer_(probability_limit<Dot>(params)) {}

  void attend(size_t head, size_t first, size_t rows) const {
    return rows == 1 ? attend<1, 4>(head, first, rows)
                     : attend<kQuantizedRows, 1>(head, first, rows);
  }

 private:
  using Activation = typename Dot::Activation;
  static constexpr size_t kKeys = Int8KvLayout::kKeys;
  /// How far rounding the queries may move a score; beyond it a row needs a second term.
  static constexpr float kLargestError = 0.01f;

  /// A tile has room for more than `rows` rows; what memory holds in the others has no effect.
  template <int R, int P>
  __attribute__((noinline)) void attend(size_t head, size_t first, size_t rows) const {
    const uint8_t* keys = args_.kv.data + head * layout_.head_bytes;
    const size_t column = head * args_.head_size;
    // What one of a row's scores as integers is worth.
    float worth[R];
    const bool has_second =
        quantize_queries<R>(args_.q + first * args_.q_stride + column, keys, rows, worth);
    quantize_probabilities<R, P>(keys, has_second, rows, worth);
    scale_probabilities<R>(rows, worth);

    const auto* means = reinterpret_cast<const float*>(keys + layout_.value_means);
    const uint8_t* panel = keys + layout_.values;
    const uint8_t* end = keys + layout_.key_means;
    ReadAhead ahead(panel, layout_.key_means - layout_.values, false);
    for (size_t d = 0; d < layout_.width; d += 8 * P, panel += P * layout_.value_panel_bytes) {
      ahead.reach(std::min(end, panel + P * layout_.value_panel_bytes));
      float y[R * P * 8] = {};
      add_values<R, P>(panel, y);
      for (size_t r = 0; r < rows; ++r) {
        float* out = args_.out + (first + r) * args_.out_stride + column + d;
        float* weighted = y + 8 * P * r;
        for (size_t c = 0; c < 8 * P; c += 4) {
          store(weighted + c,
                wasm_f32x4_add(wasm_f32x4_mul(load(weighted + c), wasm_f32x4_splat(worth[r])),
                               load(means + d + c)));
        }
        if (d + 8 * P <= args_.head_size) {
          std::memcpy(out, weighted, 8 * P * sizeof(float));
        } else {
          std::copy_n(weighted, args_.head_size - std::min(d, args_.head_size), out);
        }
      }
    }
  }

  /// Quantises rows times the keys' scales, with a second term where rounding would change the scores; returns whether
  /// there is one.
  template <int R>
  bool quantize_queries(const float* q, const uint8_t* keys, size_t rows, float* worth) const {
    const auto* scales = reinterpret_cast<const float*>(keys + layout_.key_scales);
    const Rounding rounding;
    const v128_t offset = wasm_i8x16_splat(static_cast<int8_t>(params_.offset));
    const auto quantize_row = [&](auto is_second, size_t r, float inverse, v128_t finer) {
      const float* x = memory_ + r * layout_.width;
      auto* quantized =
          reinterpret_cast<Activation*>(memory_ + place_.quantized_queries) + r * kInterleave;
      if (is_second) quantized += parts_ * R * kInterleave;
      for (size_t d = 0; d < layout_.width; d += kBlockValues) {
        quantize_block<Dot, is_second>(
            rounding, x + d, inverse, finer, offset,
            quantized + d / kInterleave * R * kInterleave + d % kInterleave);
      }
    };
    float inverse[R];
    bool needs_second[R];
    bool has_second = false;
    for (size_t r = 0; r < rows; ++r, q += args_.q_stride) {
      float* x = memory_ + r * layout_.width;
      v128_t largest = wasm_i32x4_const_splat(0);
      for (size_t d = 0; d < layout_.width; d += 4) {
        const v128_t value =
            wasm_f32x4_mul(load_up_to_four(q + d, args_.head_size - std::min(d, args_.head_size)),
                           load(scales + d));
        largest = largest_magnitude(largest, value);
        store(x + d, value);
      }
      const float most = largest_lane(largest);
      inverse[r] = most > 0 ? params_.limit / most : 0.0f;
      worth[r] = most / params_.limit * args_.scale;
      quantize_row(std::false_type(), r, inverse[r], offset);
      // The deviation of a score's rounding error: a step has one of 0.29, and a bell-shaped column's values one of 0.29 of
      // the farthest.
      needs_second[r] = Dot::kHasOffset && worth[r] * 0.083f * root_ > kLargestError;
      has_second |= needs_second[r];
    }
    if constexpr (Dot::kHasOffset) {
      for (size_t r = 0; r < rows && has_second; ++r) {
        quantize_row(std::true_type(), r, inverse[r],
                     wasm_f32x4_splat(needs_second[r] ? 2 * params_.limit : 0.0f));
      }
    }
    return has_second;
  }

  template <int R, int P>
  void quantize_probabilities(const uint8_t* keys, bool has_second, size_t rows,
                              const float* worth) const {
    float* scores = memory_ + place_.scores;
    float* maxima = memory_ + place_.scales;
    float* sums = memory_ + place_.sums;
    auto* quantized = reinterpret_cast<Activation*>(memory_ + place_.probabilities);
    ReadAhead ahead(keys, layout_.values, false);
    for (size_t b = 0; b < layout_.key_blocks; ++b) {
      ahead.reach(keys + kKeys / 8 * layout_.key_panel_bytes);
      score_block<R, P>(keys, 0, scores);
      if constexpr (Dot::kHasOffset) {
        if (has_second) add_second<R, P>(keys, scores);
      }
      keys += kKeys / 8 * layout_.key_panel_bytes;
      const size_t count = std::min(kKeys, args_.key_rows - b * kKeys);
      for (size_t r = 0; r < R; ++r, quantized += kKeys) {
        const size_t at = b * R + r;
        maxima[at] = sums[at] = 0;
        if (r >= rows) continue;
        std::fill(scores + r * kKeys + count, scores + (r + 1) * kKeys,
                  -std::numeric_limits<float>::infinity());
        const auto block = quantizer_.quantize(scores + r * kKeys,
                                               std::max(worth[r] * 1.44269504f, 1e-30f), quantized);
        maxima[at] = block.maximum * worth[r];
        sums[at] = block.sum;
      }
    }
  }

  /// Scores of a block of keys by a term of the queries, without the worth of a row's.
  template <int R, int P>
  __attribute__((noinline)) void score_block(const uint8_t* panel, size_t term,
                                             float* scores) const {
    const Activation* first =
        reinterpret_cast<const Activation*>(memory_ + place_.quantized_queries) +
        term * parts_ * R * kInterleave;
    for (const float* end = scores + kKeys; scores < end;
         scores += 8 * P, panel += P * layout_.key_panel_bytes) {
      v128_t sums[R * P][2];
#pragma unroll
      for (int i = 0; i < R * P; ++i) {
        const uint8_t* corrections = panel + static_cast<size_t>(i % P) * layout_.key_panel_bytes +
                                     Int8KvLayout::kKeyCorrections;
        sums[i][0] = load(corrections);
        sums[i][1] = load(corrections + 16);
      }
      const uint8_t* integers = panel + Int8KvLayout::kKeyIntegers;
      const Activation* quantized = first;
      for (size_t d = 0; d < layout_.width; d += kInterleave, quantized += R * kInterleave) {
        add_products<Dot, R, P>(integers + 8 * d, layout_.key_panel_bytes, quantized,
                                std::min(kInterleave, layout_.width - d), sums);
      }
#pragma unroll
      for (int i = 0; i < R * P; ++i) {
        const uint8_t* keys = panel + static_cast<size_t>(i % P) * layout_.key_panel_bytes;
        float* to = scores + static_cast<size_t>(i / P) * kKeys + static_cast<size_t>(i % P) * 8;
        store(to, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums[i][0]), load(keys)));
        store(to + 4, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums[i][1]), load(keys + 16)));
      }
    }
  }

  template <int R, int P>
  void add_second(const uint8_t* panel, float* scores) const {
    float* second = scores + R * kKeys;
    score_block<R, P>(panel, 1, second);
    const v128_t share = wasm_f32x4_splat(0.5f / params_.limit);
    for (size_t i = 0; i < R * kKeys; i += 4) {
      store(scores + i, wasm_f32x4_add(load(scores + i), wasm_f32x4_mul(load(second + i), share)));
    }
  }

  /// A block's scale is its maximum's share of the row's; `worth` makes the weights of a row add up to one.
  template <int R>
  void scale_probabilities(size_t rows, float* worth) const {
    const size_t count = layout_.key_blocks * R;
    float* scales = memory_ + place_.scales;
    const float* sums = memory_ + place_.sums;
    float most[R];
    float sum[R] = {};
    for (size_t r = 0; r < R; ++r) most[r] = scales[r];
    for (size_t i = R; i < count; i += R) {
      for (size_t r = 0; r < R; ++r) most[r] = std::max(most[r], scales[i + r]);
    }
    for (size_t i = 0; i < count; i += R) {
      for (size_t r = 0; r < R; ++r) scales[i + r] -= most[r];
    }
    const Exp exp;
    for (size_t i = 0; i < count; i += 4) store(scales + i, exp.of<Madd>(load(scales + i)));
    for (size_t i = 0; i < count; i += R) {
      for (size_t r = 0; r < R; ++r) sum[r] += scales[i + r] * sums[i + r];
    }
    for (size_t r = 0; r < rows; ++r) worth[r] = 1 / sum[r];
  }

  /// y[r, c] += weights of row r by columns c < 8 P of the values
  template <int R, int P>
  __attribute__((noinline)) void add_values(const uint8_t* panel, float* y) const {
    const auto* quantized = reinterpret_cast<const Activation*>(memory_ + place_.probabilities);
    const float* scales = memory_ + place_.scales;
    for (size_t b = 0; b < layout_.key_blocks; ++b, quantized += R * kInterleave, scales += R) {
      v128_t sums[R * P][2] = {};
      add_products<Dot, R, P>(panel + layout_.value_integers + b * Int8KvLayout::kBlockIntegers,
                              layout_.value_panel_bytes, quantized, kInterleave, sums);
#pragma unroll
      for (int i = 0; i < R * P; ++i) {
        const auto* factors = reinterpret_cast<const float*>(
            panel + static_cast<size_t>(i % P) * layout_.value_panel_bytes +
            b * Int8KvLayout::kScales);
        const v128_t scale = load_splat(scales + i / P);
        for (size_t half = 0; half < 2; ++half) {
          float* to = y + 8 * i + 4 * half;
          store(to, Madd::madd(wasm_f32x4_convert_i32x4(sums[i][half]),
                               wasm_f32x4_mul(scale, load(factors + 4 * half)), load(to)));
        }
      }
    }
  }

  const AttentionArgs& args_;
  const QuantizationParams& params_;
  Int8KvLayout layout_;
  Int8AttentionScratch place_;
  float* memory_;
  size_t parts_;
  float root_;
  ProbabilityQuantizer<Dot, Madd> quantizer_;
};

template <class Dot, class Madd>
inline void int8_attention(const AttentionArgs& args, const QuantizationParams& params) {
  const Int8Attender<Dot, Madd> attender(args, params);
  for (size_t h = args.head_first; h < args.head_first + args.head_count; ++h) {
    for (size_t i = 0; i < args.query_rows; i += kQuantizedRows) {
      attender.attend(h, i, std::min(kQuantizedRows, args.query_rows - i));
    }
  }
}

}  // namespace susurrus::simd
