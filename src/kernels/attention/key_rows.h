// Where the keys, or the values, lie that a query row sees.
#pragma once
#include "kernels/kernel_table.h"

namespace susurrus {

/// Those that all query rows share, then one query row's own.
struct SeenRows {
  const float* shared;
  const float* own;
  const uint32_t* rows;  // null: all are shared
  size_t shared_count;
  size_t stride;
  const float* operator[](size_t j) const {
    return rows == nullptr || j < shared_count ? shared + j * stride
                                               : own + rows[j - shared_count] * stride;
  }
};

/// The rows that query row i alone sees; null if there are none.
inline const uint32_t* own_rows(const AttentionArgs& args, size_t i) {
  return args.own.rows == nullptr ? nullptr : args.own.rows + i * args.own.rows_stride;
}
inline SeenRows seen_keys(const AttentionArgs& args, size_t i) {
  return {args.k, args.own.k, own_rows(args, i), args.own.shared, args.k_stride};
}
inline SeenRows seen_values(const AttentionArgs& args, size_t i) {
  return {args.v, args.own.v, own_rows(args, i), args.own.shared, args.v_stride};
}

}  // namespace susurrus
