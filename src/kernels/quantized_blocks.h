#pragma once
#include <cstddef>

#include "container/dtype.h"

namespace susurrus {

/// Block layouts of the quantised types, 32 values each, little-endian, no alignment, no gaps.
/// d and m are halves. The low nibble of qs[j] belongs to value j, the high nibble to value j + 16;
/// bit j of qh is the fifth bit of value j.
///
///   q8_0   d, i8[32]              value = d * q
///   q4_0   d, qs[16]              value = d * (q - 8)
///   q4_1   d, m, qs[16]           value = d * q + m
///   q5_0   d, qh u32, qs[16]      value = d * (q - 16)
///   q5_1   d, m, qh u32, qs[16]   value = d * q + m
inline constexpr size_t kBlockValues = 32;

/// Byte offsets inside a block; kAbsent where a type has no such field.
struct BlockLayout {
  static constexpr size_t kAbsent = ~size_t{0};
  size_t m;
  size_t qh;
  size_t qs;
  size_t byte_count;
};

inline constexpr BlockLayout kQ80Layout{BlockLayout::kAbsent, BlockLayout::kAbsent, 2, 34};
inline constexpr BlockLayout kQ40Layout{BlockLayout::kAbsent, BlockLayout::kAbsent, 2, 18};
inline constexpr BlockLayout kQ41Layout{2, BlockLayout::kAbsent, 4, 20};
inline constexpr BlockLayout kQ50Layout{BlockLayout::kAbsent, 2, 6, 22};
inline constexpr BlockLayout kQ51Layout{2, 4, 8, 24};

/// `dtype` is one of the five block types.
constexpr const BlockLayout& block_layout(Dtype dtype) {
  switch (dtype) {
    case Dtype::q4_0: return kQ40Layout;
    case Dtype::q4_1: return kQ41Layout;
    case Dtype::q5_0: return kQ50Layout;
    case Dtype::q5_1: return kQ51Layout;
    default: return kQ80Layout;
  }
}
/// What is subtracted from the stored integer.
constexpr int block_offset(Dtype dtype) {
  return dtype == Dtype::q4_0 ? 8 : dtype == Dtype::q5_0 ? 16 : 0;
}

}  // namespace susurrus
