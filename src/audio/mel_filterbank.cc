#include "audio/mel_filterbank.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "facts/whisper.h"

namespace susurrus {
namespace {

constexpr uint32_t kBins = kFrequencyBins;
constexpr double kBinHz = 40;
constexpr double kTopHz = 8000;

// Slaney's mel scale: linear up to 1 kHz, logarithmic above.
constexpr double kHzPerMel = 200.0 / 3;
constexpr double kBreakHz = 1000;
constexpr double kBreakMel = kBreakHz / kHzPerMel;

double slaney_to_hz(double mel) {
  const double log_step = std::log(6.4) / 27;
  if (mel < kBreakMel) return kHzPerMel * mel;
  return kBreakHz * std::exp(log_step * (mel - kBreakMel));
}
double slaney_mel(double hz) {
  const double log_step = std::log(6.4) / 27;
  if (hz < kBreakHz) return hz / kHzPerMel;
  return kBreakMel + std::log(hz / kBreakHz) / log_step;
}

// HTK's: 2595 · log10(1 + hz / 700).
constexpr double kHtkMels = 2595;
constexpr double kHtkHz = 700;
double htk_to_hz(double mel) { return kHtkHz * (std::exp(mel / kHtkMels * std::log(10.0)) - 1); }
double htk_mel(double hz) { return kHtkMels * std::log(1 + hz / kHtkHz) / std::log(10.0); }

struct MelScale {
  double top_mel;
  double (*to_hz)(double mel);
};
MelScale slaney_scale() { return {slaney_mel(kTopHz), slaney_to_hz}; }
MelScale htk_scale() { return {htk_mel(kTopHz), htk_to_hz}; }

using Row = std::array<float, kBins>;

/// One of the triangles between points that lie equally spaced in mels, each of area 1.
Row triangle_row(uint32_t mel, uint32_t n_mels, const MelScale& scale) {
  const double step = scale.top_mel / (n_mels + 1);
  auto edge_hz = [&](uint32_t i) {
    return scale.to_hz(i == n_mels + 1 ? scale.top_mel : i * step);
  };
  const double low = edge_hz(mel);
  const double centre = edge_hz(mel + 1);
  const double high = edge_hz(mel + 2);
  const double area = 2 / (high - low);
  Row row;
  for (uint32_t bin = 0; bin < kBins; ++bin) {
    const double hz = bin * kBinHz;
    // Written so that the edge at 0 Hz gives -0, as in the reference.
    const double rising = -((low - hz) / (centre - low));
    const double falling = (high - hz) / (high - centre);
    // The reference rounds twice: its triangles are stored in float32 before the norm is applied.
    const float triangle = static_cast<float>(std::max(std::min(rising, falling), 0.0));
    row[bin] = static_cast<float>(triangle * area);
  }
  return row;
}

void fill_triangles(uint32_t n_mels, const MelScale& scale, std::span<float> dense) {
  for (uint32_t mel = 0; mel < n_mels; ++mel) {
    std::ranges::copy(triangle_row(mel, n_mels, scale), dense.begin() + size_t{mel} * kBins);
  }
}

bool has_triangles(uint32_t n_mels, const MelScale& scale, std::span<const float> dense) {
  constexpr float kTolerance = 1e-4f;
  for (uint32_t mel = 0; mel < n_mels; ++mel) {
    const Row wanted = triangle_row(mel, n_mels, scale);
    for (uint32_t bin = 0; bin < kBins; ++bin) {
      if (!(std::abs(dense[size_t{mel} * kBins + bin] - wanted[bin]) <= kTolerance)) return false;
    }
  }
  return true;
}

}  // namespace

Result<MelFilterbank> MelFilterbank::compact(uint32_t n_mels, std::span<const float> dense) {
  if (n_mels == 0 || n_mels > kMaxMels) {
    return make_error(ErrorCode::shape_mismatch, ErrorReason::bad_filterbank)
        .with_subject("n_mels")
        .with_expected("1 to 1024")
        .with_got(n_mels);
  }
  if (dense.size() != size_t{n_mels} * kBins) {
    return make_error(ErrorCode::shape_mismatch, ErrorReason::bad_filterbank)
        .with_subject("mel filterbank")
        .with_expected(uint64_t{n_mels} * kBins)
        .with_got(dense.size());
  }
  MelFilterbank bank;
  bank.n_mels_ = n_mels;
  SUSURRUS_ASSIGN_OR_RETURN(bank.rows_,
                            AlignedBuffer::allocate(n_mels * sizeof(Row), "mel filterbank"));
  Row* rows = reinterpret_cast<Row*>(bank.rows_.data());
  uint32_t weight_count = 0;
  for (uint32_t mel = 0; mel < n_mels; ++mel) {
    std::span<const float> row = dense.subspan(size_t{mel} * kBins, kBins);
    uint32_t first = kBins;
    uint32_t end = 0;
    for (uint32_t bin = 0; bin < kBins; ++bin) {
      if (!std::isfinite(row[bin]) || row[bin] < 0) {
        return make_error(ErrorCode::malformed, ErrorReason::bad_filterbank)
            .with_subject("mel filterbank")
            .with_expected("finite weights that are not negative");
      }
      if (row[bin] == 0) continue;
      first = std::min(first, bin);
      end = bin + 1;
    }
    first = std::min(first, end);  // A row of zeros has no bins.
    rows[mel] = {first, end - first, weight_count};
    weight_count += end - first;
  }
  SUSURRUS_ASSIGN_OR_RETURN(
      bank.weights_, AlignedBuffer::allocate(std::max<uint64_t>(weight_count, 1) * sizeof(float),
                                             "mel filterbank"));
  float* weights = bank.weights_.floats().data();
  for (uint32_t mel = 0; mel < n_mels; ++mel) {
    const float* from = dense.data() + size_t{mel} * kBins + rows[mel].first_bin;
    std::copy_n(from, rows[mel].bin_count, weights + rows[mel].first_weight);
  }
  return bank;
}

void MelFilterbank::slaney(uint32_t n_mels, std::span<float> dense) {
  fill_triangles(n_mels, slaney_scale(), dense);
}

void MelFilterbank::htk(uint32_t n_mels, std::span<float> dense) {
  fill_triangles(n_mels, htk_scale(), dense);
}

FilterbankKind MelFilterbank::kind(uint32_t n_mels, std::span<const float> dense) {
  if (n_mels == 0 || n_mels > kMaxMels || dense.size() != size_t{n_mels} * kBins) {
    return FilterbankKind::other;
  }
  if (has_triangles(n_mels, slaney_scale(), dense)) return FilterbankKind::whisper;
  return has_triangles(n_mels, htk_scale(), dense) ? FilterbankKind::htk : FilterbankKind::other;
}

F32x4 MelFilterbank::apply(uint32_t mel, const F32x4* power) const {
  const Row& row = rows()[mel];
  const float* weights = weights_.floats().data() + row.first_weight;
  power += row.first_bin;
  F32x4 sum = splat(0);
  for (uint32_t i = 0; i < row.bin_count; ++i) sum += power[i] * weights[i];
  return sum;
}

}  // namespace susurrus
