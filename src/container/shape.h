#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "base/checked_math.h"
#include "base/limits.h"

namespace susurrus {

/// Up to 8 dimensions in place, outermost first.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<uint64_t> dims) {
    for (uint64_t dim : dims) append(dim);
  }

  /// Ignored beyond limits::kMaxDims; readers check the rank first.
  void append(uint64_t dim) {
    if (rank_ < limits::kMaxDims) dims_[rank_++] = dim;
  }
  uint32_t rank() const { return rank_; }
  uint64_t operator[](uint32_t index) const { return dims_[index]; }
  std::span<const uint64_t> dims() const { return {dims_.data(), rank_}; }
  uint64_t last() const { return rank_ == 0 ? 1 : dims_[rank_ - 1]; }
  /// nullopt on overflow.
  std::optional<uint64_t> element_count() const {
    std::optional<uint64_t> count = 1;
    for (uint64_t dim : dims()) {
      if (dim == 0) return 0;
    }
    for (uint64_t dim : dims()) {
      count = checked_multiply(*count, dim);
      if (!count) return count;
    }
    return count;
  }
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (uint32_t i = 0; i < rank_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }

 private:
  std::array<uint64_t, limits::kMaxDims> dims_{};
  uint32_t rank_ = 0;
};

}  // namespace susurrus
