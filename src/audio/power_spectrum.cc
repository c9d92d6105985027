#include "audio/power_spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace susurrus {

PowerSpectrum::Complex PowerSpectrum::root(uint64_t index, uint64_t count) {
  constexpr double kPi = 3.14159265358979323846;
  const double angle = -2 * kPi * static_cast<double>(index) / static_cast<double>(count);
  return {std::cos(angle), std::sin(angle)};
}

Result<PowerSpectrum> PowerSpectrum::make(uint32_t size) {
  SUSURRUS_CHECK(size >= 2 && size <= 1u << 24);
  PowerSpectrum spectrum;
  spectrum.size_ = size;
  const bool is_halved = std::has_single_bit(size);
  // The chirp transform keeps only the first half of the convolution's bins.
  const uint32_t inner = is_halved ? size / 2 : std::bit_ceil(size + size / 2);
  spectrum.inner_ = inner;
  const uint64_t inner_bytes = uint64_t{inner} * sizeof(Complex);
  const char* const subject = "spectrum";
  SUSURRUS_ASSIGN_OR_RETURN(spectrum.roots_, AlignedBuffer::allocate(inner_bytes, subject));
  SUSURRUS_ASSIGN_OR_RETURN(spectrum.values_, AlignedBuffer::allocate(inner_bytes, subject));
  Complex* roots = numbers(spectrum.roots_);
  for (uint32_t k = 0; k < inner; ++k) roots[k] = root(k, uint64_t{inner} * 2);
  if (is_halved) return spectrum;

  SUSURRUS_ASSIGN_OR_RETURN(spectrum.chirp_,
                            AlignedBuffer::allocate(uint64_t{size} * sizeof(Complex), subject));
  SUSURRUS_ASSIGN_OR_RETURN(spectrum.chirp_spectrum_,
                            AlignedBuffer::allocate(inner_bytes, subject));
  Complex* chirp = numbers(spectrum.chirp_);
  for (uint64_t n = 0; n < size; ++n) chirp[n] = root(n * n % (uint64_t{size} * 2), size * 2ull);
  Complex* other = numbers(spectrum.chirp_spectrum_);
  std::fill_n(other, inner, Complex{0, 0});
  const double scale = 1.0 / inner;
  for (uint32_t n = 0; n < size; ++n) {
    const Complex conjugate = {chirp[n].re * scale, -chirp[n].im * scale};
    if (n < size / 2) other[n] = conjugate;
    if (n > 0) other[inner - n] = conjugate;
  }
  spectrum.transform(other);
  return spectrum;
}

void PowerSpectrum::transform(Complex* values) {
  for (uint32_t i = 1, j = 0; i < inner_; ++i) {
    uint32_t bit = inner_ >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  const Complex* roots = numbers(roots_);
  for (uint32_t half = 1; half < inner_; half *= 2) {
    const uint32_t stride = inner_ / half;
    for (uint32_t begin = 0; begin < inner_; begin += 2 * half) {
      for (uint32_t k = 0; k < half; ++k) {
        Complex& a = values[begin + k];
        Complex& b = values[begin + k + half];
        const Complex turned = multiply(b, roots[k * stride]);
        b = {a.re - turned.re, a.im - turned.im};
        a = {a.re + turned.re, a.im + turned.im};
      }
    }
  }
}

void PowerSpectrum::run(std::span<const double> signal, std::span<double> power) {
  SUSURRUS_CHECK(signal.size() == size_ && power.size() == bin_count());
  if (chirp_.byte_count() == 0) {
    run_halved(signal, power);
  } else {
    run_chirp(signal, power);
  }
}

void PowerSpectrum::run_halved(std::span<const double> signal, std::span<double> power) {
  Complex* values = numbers(values_);
  for (uint32_t n = 0; n < inner_; ++n) values[n] = {signal[2 * n], signal[2 * n + 1]};
  transform(values);
  const Complex* roots = numbers(roots_);
  for (uint32_t k = 0; k < inner_; ++k) {
    const Complex a = values[k];
    const Complex b = values[(inner_ - k) % inner_];
    // The spectra of the even and of the odd samples, doubled.
    const Complex even = {a.re + b.re, a.im - b.im};
    const Complex odd = multiply({a.im + b.im, b.re - a.re}, roots[k]);
    const double re = even.re + odd.re;
    const double im = even.im + odd.im;
    power[k] = (re * re + im * im) / 4;
  }
}

void PowerSpectrum::run_chirp(std::span<const double> signal, std::span<double> power) {
  Complex* values = numbers(values_);
  const Complex* chirp = numbers(chirp_);
  for (uint32_t n = 0; n < size_; ++n) {
    values[n] = {signal[n] * chirp[n].re, signal[n] * chirp[n].im};
  }
  std::fill(values + size_, values + inner_, Complex{0, 0});
  transform(values);
  const Complex* other = numbers(chirp_spectrum_);
  // Conjugates before and after turn the transform into its inverse; only magnitudes are wanted after.
  for (uint32_t k = 0; k < inner_; ++k) {
    const Complex product = multiply(values[k], other[k]);
    values[k] = {product.re, -product.im};
  }
  transform(values);
  for (uint32_t k = 0; k < bin_count(); ++k) {
    power[k] = values[k].re * values[k].re + values[k].im * values[k].im;
  }
}

}  // namespace susurrus
