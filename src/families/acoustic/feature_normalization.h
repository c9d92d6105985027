#pragma once
#include <cstddef>
#include <vector>

namespace susurrus {

/// Features of successive frames: [channels][features][frames], of raw samples [1][channels][samples].
struct FeatureMatrix {
  size_t frame_count = 0;
  std::vector<float> values;

  size_t row_count() const { return frame_count == 0 ? 0 : values.size() / frame_count; }
};

/// Count, mean, sum of squared differences from the mean, and range of some values.
struct FeatureMoments {
  double count = 0;
  double mean = 0;
  double squares = 0;
  float least = 0;
  float most = 0;

  void add(const FeatureMoments& other);
  /// 0 of values that are all the same, however their mean was rounded.
  double deviation() const;
};

/// Covers all values of a frame.
FeatureMoments moments_of(const FeatureMatrix& features, size_t frame);
/// Subtracts the mean from a frame and divides it by the deviation, if it is above 0.
void normalise_frame(FeatureMatrix& features, size_t frame, const FeatureMoments& moments);

/// Regression over `window` frames on each side of rows of `frames` values; frames beyond the ends are those at the ends.
void add_deltas(const float* from, float* to, size_t rows, size_t frames, size_t window);

}  // namespace susurrus
