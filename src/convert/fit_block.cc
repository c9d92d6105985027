#include "convert/fit_block.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "convert/quantize.h"
#include "kernels/dequantize_row/dequantize_row.h"
#include "kernels/half.h"
#include "kernels/quantized_blocks.h"

namespace susurrus {
namespace {

constexpr size_t kLanes = 4;

/// Values of a block are `d * q + m`, q from `least` to `most`; both factors as the file has them, rounded to halves.
struct Fit {
  float q[kBlockValues];
  float d = 0.0f;
  float m = 0.0f;
};

/// Sums over a block. In lanes, which compilers turn into vectors without reordering anything.
template <class Term>
float sum_of(const Term& term) {
  float lanes[kLanes] = {};
  for (size_t i = 0; i < kBlockValues; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) lanes[j] += term(i + j);
  }
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/// The nearest q to each value, for a scale that is not 0.
void round_values(const float* x, float least, float most, Fit& fit) {
  const float inverse = 1.0f / fit.d;
  for (size_t i = 0; i < kBlockValues; ++i) {
    fit.q[i] = std::clamp(std::nearbyint((x[i] - fit.m) * inverse), least, most);
  }
}

float squared_error(const float* x, const Fit& fit) {
  return sum_of([&](size_t i) {
    const float error = fit.d * fit.q[i] + fit.m - x[i];
    return error * error;
  });
}

float stored(float value) { return f32_from_f16(saturated_f16_from_f32(value)); }

/// The best fit yet.
struct Search {
  const float* x;
  float least_error;
  bool has_found = false;
  Fit best = {};

  void take(const Fit& fit) {
    const float error = squared_error(x, fit);
    if (!(error < least_error)) return;
    least_error = error;
    best = fit;
    has_found = true;
  }
};

/// q4_0 and q5_0. From scales around the one that gives the extreme value its last step, of either sign: the best scale for
/// the steps that each gives.
void search_scale(Search& search, float extreme, float half) {
  constexpr float kOffsets[] = {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f};
  const float* x = search.x;
  for (float offset : kOffsets) {
    for (float sign : {-1.0f, 1.0f}) {
      Fit fit;
      fit.d = sign * extreme / (half + offset);
      round_values(x, -half, half - 1, fit);
      const float products = sum_of([&](size_t i) { return x[i] * fit.q[i]; });
      const float squares = sum_of([&](size_t i) { return fit.q[i] * fit.q[i]; });
      fit.d = stored(squares > 0 ? products / squares : 0.0f);
      if (fit.d == 0) continue;
      round_values(x, -half, half - 1, fit);
      search.take(fit);
    }
  }
}

/// q4_1 and q5_1. From ranges a little smaller and larger than that of the values: the best scale and minimum for the steps
/// that each gives, and again for the steps that those give.
void search_range(Search& search, float minimum, float maximum, float steps) {
  constexpr float kOffsets[] = {-0.5f, 0.0f, 0.5f, 1.0f};
  constexpr int kRounds = 3;
  const float* x = search.x;
  const float n = static_cast<float>(kBlockValues);
  const float sum_x = sum_of([&](size_t i) { return x[i]; });
  for (float offset : kOffsets) {
    Fit fit;
    fit.d = (maximum - minimum) / (steps + offset);
    fit.m = std::max(minimum, minimum + (maximum - minimum - steps * fit.d) / 2);
    for (int round = 0; round < kRounds && fit.d != 0; ++round) {
      round_values(x, 0, steps, fit);
      const float sum_q = sum_of([&](size_t i) { return fit.q[i]; });
      const float sum_qq = sum_of([&](size_t i) { return fit.q[i] * fit.q[i]; });
      const float sum_qx = sum_of([&](size_t i) { return fit.q[i] * x[i]; });
      const float determinant = n * sum_qq - sum_q * sum_q;
      if (!(determinant > 0)) break;
      const float slope = (n * sum_qx - sum_q * sum_x) / determinant;
      fit.m = stored((sum_x - slope * sum_q) / n);
      fit.d = stored(slope);
      search.take(fit);
    }
    if (fit.d == 0) continue;
    round_values(x, 0, steps, fit);
    search.take(fit);
  }
}

void store_fit(Dtype dtype, const Fit& fit, uint8_t* block) {
  uint8_t q[kBlockValues];
  for (size_t i = 0; i < kBlockValues; ++i) {
    q[i] = static_cast<uint8_t>(static_cast<int>(fit.q[i]) + block_offset(dtype));
  }
  store_block(dtype, fit.d, fit.m, q, block);
}

}  // namespace

void fit_block(Dtype dtype, const float* x, uint8_t* block) {
  quantize_block(dtype, x, block);
  // Where squares of values, or their inverses, leave the range of floats, or something is not finite, plain rounding stays.
  constexpr float kSmallest = 1e-15f;
  constexpr float kLargest = 1e15f;
  float extreme = 0.0f;
  for (size_t i = 0; i < kBlockValues; ++i) {
    if (!(std::fabs(x[i]) < kLargest)) return;
    if (std::fabs(x[i]) > std::fabs(extreme)) extreme = x[i];
  }
  if (std::fabs(extreme) < kSmallest) return;

  float plain[kBlockValues];
  dequantize_row_reference(dtype, block, kBlockValues, plain);
  Search search = {x, sum_of([&](size_t i) {
                     const float error = plain[i] - x[i];
                     return error * error;
                   })};
  switch (dtype) {
    case Dtype::q4_0: search_scale(search, extreme, 8); break;
    case Dtype::q5_0: search_scale(search, extreme, 16); break;
    case Dtype::q4_1:
    case Dtype::q5_1: {
      const auto [minimum, maximum] = std::minmax_element(x, x + kBlockValues);
      search_range(search, *minimum, *maximum, dtype == Dtype::q4_1 ? 15 : 31);
      break;
    }
    default: SUSURRUS_CHECK(false);
  }
  if (search.has_found) store_fit(dtype, search.best, block);
}

}  // namespace susurrus
