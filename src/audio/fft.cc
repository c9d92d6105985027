#include "audio/fft.h"

#include <array>
#include <cstdint>

namespace susurrus {
namespace {

struct Complex {
  F32x4 re;
  F32x4 im;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex times_minus_i(Complex a) { return {a.im, -a.re}; }

struct Twiddle {
  float re;
  float im;
};

/// exp(-2 pi i k / n) at compile time, where <cmath> is not constexpr: series in double on [-pi, pi], then rounded.
constexpr Twiddle root_of_unity(int k, int n) {
  constexpr double kPi = 3.14159265358979323846;
  const double angle = 2 * kPi * (2 * k > n ? k - n : k) / n;
  double cosine = 0;
  double sine = 0;
  double term = 1;
  for (int degree = 1; degree < 40; degree += 2) {
    cosine += term;
    term *= angle / degree;
    sine += term;
    term *= -angle / (degree + 1);
  }
  return {static_cast<float>(cosine), static_cast<float>(-sine)};
}

constexpr auto kRoots25 = [] {
  std::array<Twiddle, 25> roots{};
  for (int k = 0; k < 25; ++k) roots[k] = root_of_unity(k, 25);
  return roots;
}();
constexpr auto kRoots400 = [] {
  std::array<Twiddle, 101> roots{};
  for (int k = 0; k <= 100; ++k) roots[k] = root_of_unity(k, 400);
  return roots;
}();

inline Complex operator*(Complex a, Twiddle w) {
  return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

inline void dft5(Complex& a0, Complex& a1, Complex& a2, Complex& a3, Complex& a4) {
  constexpr float kSin72 = 0.95105651629515357212f;
  constexpr float kSin144 = 0.58778525229247312917f;
  constexpr float kQuarterSqrt5 = 0.55901699437494742410f;
  Complex sum14 = a1 + a4;
  Complex sum23 = a2 + a3;
  Complex difference14 = a1 - a4;
  Complex difference23 = a2 - a3;
  Complex sum = sum14 + sum23;
  Complex spread = sum14 - sum23;
  spread = {spread.re * kQuarterSqrt5, spread.im * kQuarterSqrt5};
  Complex centre = {a0.re - sum.re * 0.25f, a0.im - sum.im * 0.25f};
  Complex b1 = centre + spread;
  Complex b2 = centre - spread;
  Complex c1 = {difference14.re * kSin72 + difference23.re * kSin144,
                difference14.im * kSin72 + difference23.im * kSin144};
  Complex c2 = {difference14.re * kSin144 - difference23.re * kSin72,
                difference14.im * kSin144 - difference23.im * kSin72};
  c1 = times_minus_i(c1);
  c2 = times_minus_i(c2);
  a0 = a0 + sum;
  a1 = b1 + c1;
  a4 = b1 - c1;
  a2 = b2 + c2;
  a3 = b2 - c2;
}

inline void dft8(const Complex (&x)[8], Complex (&y)[8]) {
  constexpr float kSqrtHalf = 0.70710678118654752440f;
  Complex a0 = x[0] + x[4], b0 = x[0] - x[4];
  Complex a1 = x[1] + x[5], b1 = x[1] - x[5];
  Complex a2 = x[2] + x[6], b2 = times_minus_i(x[2] - x[6]);
  Complex a3 = x[3] + x[7], b3 = x[3] - x[7];
  Complex c0 = a0 + a2, c2 = a0 - a2;
  Complex c1 = a1 + a3, c3 = times_minus_i(a1 - a3);
  y[0] = c0 + c1;
  y[4] = c0 - c1;
  y[2] = c2 + c3;
  y[6] = c2 - c3;
  // b1 w + b3 w^3 and its mirror images, w = (1 - i) / sqrt(2): p + q, -p + q, ...
  Complex p = b1 - b3;
  Complex q = times_minus_i(b1 + b3);
  p = {p.re * kSqrtHalf, p.im * kSqrtHalf};
  q = {q.re * kSqrtHalf, q.im * kSqrtHalf};
  Complex u = b0 + b2, v = b0 - b2;
  Complex plus = p + q, minus = p - q;
  y[1] = u + plus;
  y[5] = u - plus;
  y[7] = v + minus;
  y[3] = v - minus;
}

/// In place; x[5 n1 + n2] becomes X[k1 + 5 k2] at [5 k1 + k2].
inline void dft25(Complex* x) {
  for (int n2 = 0; n2 < 5; ++n2) {
    dft5(x[n2], x[5 + n2], x[10 + n2], x[15 + n2], x[20 + n2]);
  }
  dft5(x[0], x[1], x[2], x[3], x[4]);
  for (int k1 = 1; k1 < 5; ++k1) {
    Complex* row = x + 5 * k1;
    for (int n2 = 1; n2 < 5; ++n2) row[n2] = row[n2] * kRoots25[k1 * n2];
    dft5(row[0], row[1], row[2], row[3], row[4]);
  }
}

constexpr int kHalf = Fft400::kSize / 2;

}  // namespace

void Fft400::power_spectrum(const F32x4* signal, F32x4* power) {
  Complex work[8][25];  // [k mod 8][n mod 25]
  for (int n25 = 0; n25 < 25; ++n25) {
    Complex x[8];
    Complex y[8];
    for (int n8 = 0; n8 < 8; ++n8) {
      int n = (25 * n8 + 8 * n25) % kHalf;
      x[n8] = {signal[2 * n], signal[2 * n + 1]};
    }
    dft8(x, y);
    for (int k8 = 0; k8 < 8; ++k8) work[k8][n25] = y[k8];
  }
  // 25 is 1 mod 8 and 0 mod 25, 176 is 0 mod 8 and 1 mod 25: the Chinese remainder theorem puts Z[k] in its place.
  Complex z[kHalf];
  for (int k8 = 0; k8 < 8; ++k8) {
    dft25(work[k8]);
    for (int k25 = 0; k25 < 25; ++k25) {
      z[(25 * k8 + 176 * k25) % kHalf] = work[k8][5 * (k25 % 5) + k25 / 5];
    }
  }
  // Even and odd samples apart again: E = (Z[k] + conj Z[-k]) / 2, O = -i (Z[k] - conj Z[-k]) / 2, X = E + w^k O.
  for (int k = 0; k <= kHalf / 2; ++k) {
    Complex a = z[k];
    Complex b = z[(kHalf - k) % kHalf];
    b.im = -b.im;
    Complex even = a + b;
    Complex odd = times_minus_i(a - b) * kRoots400[k];
    Complex low = even + odd;
    Complex high = even - odd;
    power[k] = low.re * low.re + low.im * low.im;
    power[kHalf - k] = high.re * high.re + high.im * high.im;
  }
}

}  // namespace susurrus
