#pragma once
#include <cmath>
#include <cstdint>
#include <span>

#include "base/json_writer.h"

namespace susurrus {

/// What values are like, counted as they come. Range and mean are of the finite ones.
class ValueStatistics {
 public:
  void add(std::span<const float> values) {
    for (const float value : values) {
      if (std::isnan(value)) {
        ++nan_count_;
      } else if (std::isinf(value)) {
        ++infinity_count_;
      } else {
        if (finite_count_ == 0 || value < least_) least_ = value;
        if (finite_count_ == 0 || value > greatest_) greatest_ = value;
        sum_ += static_cast<double>(value);
        ++finite_count_;
      }
    }
  }

  /// {min, max, mean, nan, infinite}; the first three are null where no value is finite.
  void write(JsonWriter& json) const {
    const bool has_range = finite_count_ > 0;
    json.begin_object()
        .field("min", has_range ? least_ : std::nanf(""))
        .field("max", has_range ? greatest_ : std::nanf(""))
        .field("mean", has_range ? sum_ / static_cast<double>(finite_count_) : std::nan(""))
        .field("nan", nan_count_)
        .field("infinite", infinity_count_)
        .end_object();
  }

 private:
  float least_ = 0;
  float greatest_ = 0;
  double sum_ = 0;
  uint64_t finite_count_ = 0;
  uint64_t nan_count_ = 0;
  uint64_t infinity_count_ = 0;
};

}  // namespace susurrus
