// The cost of a kernel call, from its arguments: multiply-adds, with 16 for a GELU or an
// exponential and 4 for each element of a norm or of a quantised input.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/kernel_table.h"

namespace susurrus::testing {

inline uint64_t counted_work(const LinearArgs& args) {
  const uint64_t each = args.weight.shape[1] + (args.epilogue == Epilogue::gelu ? 16 : 0);
  return args.rows * args.weight.shape[0] * each;
}

/// Keys that a causal row does not see are not counted.
inline uint64_t counted_work(const AttentionArgs& args) {
  uint64_t keys = 0;
  for (size_t i = 0; i < args.query_rows; ++i) {
    keys += args.causal ? std::min(args.key_rows, args.causal_offset + i + 1) : args.key_rows;
  }
  return keys * args.head_count * (2 * args.head_size + 16);
}

inline uint64_t counted_work(const QuantizeKvArgs& args) {
  return uint64_t{4} * 2 * args.key_rows * args.head_count * args.head_size;
}

inline uint64_t counted_norm_work(size_t rows, size_t columns) {
  return uint64_t{4} * rows * columns;
}

}  // namespace susurrus::testing
