#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace susurrus {

/// Values that come in at the end and go at the front, in one piece of memory. Each is moved once on average.
class FloatQueue {
 public:
  size_t size() const { return values_.size() - first_; }
  const float* data() const { return values_.data() + first_; }
  void append(std::span<const float> values) {
    values_.insert(values_.end(), values.begin(), values.end());
  }
  /// Room for `count` values at the end, to be filled before anything else.
  std::span<float> extend(size_t count) {
    values_.resize(values_.size() + count);
    return std::span(values_).last(count);
  }
  void drop(size_t count) {
    first_ += count;
    if (first_ * 2 < values_.size()) return;
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  size_t byte_count() const { return values_.capacity() * sizeof(float); }

 private:
  std::vector<float> values_;
  size_t first_ = 0;
};

}  // namespace susurrus
