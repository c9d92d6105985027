#include "families/acoustic/feature_normalization.h"

#include <algorithm>
#include <cmath>

namespace susurrus {

void FeatureMoments::add(const FeatureMoments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double all = count + other.count;
  const double apart = other.mean - mean;
  squares += other.squares + apart * apart * count * other.count / all;
  mean += apart * other.count / all;
  count = all;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

double FeatureMoments::deviation() const { return least == most ? 0 : std::sqrt(squares / count); }

FeatureMoments moments_of(const FeatureMatrix& features, size_t frame) {
  const size_t rows = features.row_count();
  FeatureMoments moments;
  moments.count = static_cast<double>(rows);
  moments.least = moments.most = features.values[frame];
  for (size_t row = 0; row < rows; ++row) {
    const float value = features.values[row * features.frame_count + frame];
    moments.mean += static_cast<double>(value);
    moments.least = std::min(moments.least, value);
    moments.most = std::max(moments.most, value);
  }
  moments.mean /= moments.count;
  for (size_t row = 0; row < rows; ++row) {
    const double difference =
        static_cast<double>(features.values[row * features.frame_count + frame]) - moments.mean;
    moments.squares += difference * difference;
  }
  return moments;
}

void normalise_frame(FeatureMatrix& features, size_t frame, const FeatureMoments& moments) {
  const double deviation = moments.deviation();
  const double factor = deviation > 0 ? 1 / deviation : 1;
  for (size_t at = frame; at < features.values.size(); at += features.frame_count) {
    float& value = features.values[at];
    value = moments.least == moments.most
                ? 0
                : static_cast<float>((static_cast<double>(value) - moments.mean) * factor);
  }
}

void add_deltas(const float* from, float* to, size_t rows, size_t frames, size_t window) {
  double norm = 0;
  for (size_t d = 1; d <= window; ++d) norm += 2.0 * static_cast<double>(d * d);
  for (size_t row = 0; row < rows; ++row, from += frames, to += frames) {
    for (size_t t = 0; t < frames; ++t) {
      double sum = 0;
      for (size_t d = 1; d <= window; ++d) {
        const double after = from[std::min(t + d, frames - 1)];
        const double before = from[t >= d ? t - d : 0];
        sum += static_cast<double>(d) * (after - before);
      }
      to[t] = static_cast<float>(sum / norm);
    }
  }
}

}  // namespace susurrus
