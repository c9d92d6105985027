// Where the keys, or the values, lie that a query row sees.
#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// Every query row sees the same ones.
struct SharedRows {
  const float* base;
  size_t stride;
  const float* operator[](size_t j) const { return base + j * stride; }
};

/// One query row's: those that all share, then its own.
struct OwnRows {
  const float* shared;
  const float* own;
  const uint32_t* rows;
  size_t shared_count;
  size_t stride;
  const float* operator[](size_t j) const {
    return j < shared_count ? shared + j * stride : own + rows[j - shared_count] * stride;
  }
};

inline SharedRows shared_keys(const AttentionArgs& args) { return {args.k, args.k_stride}; }
inline SharedRows shared_values(const AttentionArgs& args) { return {args.v, args.v_stride}; }

/// Of query row i, where args.own.rows is not null.
inline OwnRows own_keys(const AttentionArgs& args, size_t i) {
  const OwnKeys& own = args.own;
  return {args.k, own.k, own.rows + i * own.rows_stride, own.shared, args.k_stride};
}
inline OwnRows own_values(const AttentionArgs& args, size_t i) {
  const OwnKeys& own = args.own;
  return {args.v, own.v, own.rows + i * own.rows_stride, own.shared, args.v_stride};
}

}  // namespace susurrus
