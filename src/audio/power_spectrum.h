#pragma once
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "base/result.h"

namespace susurrus {

/// Power spectra of real signals of any length, in double precision: a power of two as complex numbers of half the length,
/// other lengths by Bluestein's convolution.
class PowerSpectrum {
 public:
  PowerSpectrum() = default;
  /// `size` is at least 2 and at most 2^24. out_of_memory.
  static Result<PowerSpectrum> make(uint32_t size);

  uint32_t size() const { return size_; }
  /// Excludes the bin at half the sampling rate.
  uint32_t bin_count() const { return size_ / 2; }
  /// `signal` is [size]; `power` is [bin_count]: |X[k]|².
  void run(std::span<const double> signal, std::span<double> power);

 private:
  struct Complex {
    double re;
    double im;
  };
  static Complex* numbers(AlignedBuffer& buffer) {
    return reinterpret_cast<Complex*>(buffer.data());
  }
  static Complex multiply(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  static Complex root(uint64_t index, uint64_t count);
  void transform(Complex* values);
  void run_halved(std::span<const double> signal, std::span<double> power);
  void run_chirp(std::span<const double> signal, std::span<double> power);

  uint32_t size_ = 0;
  uint32_t inner_ = 0;            // length of the complex transform, a power of two
  AlignedBuffer roots_;           // exp(-2πik / (2·inner)), k < inner
  AlignedBuffer chirp_;           // exp(-πin² / size), n < size
  AlignedBuffer chirp_spectrum_;  // [inner], of the conjugate chirp, divided by inner
  AlignedBuffer values_;          // [inner]
};

}  // namespace susurrus
