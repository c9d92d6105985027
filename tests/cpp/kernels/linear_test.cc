// linear of every variant against a float64 loop.
#include <cmath>

#include "base/aligned_buffer.h"
#include "kernels/kernel_support.h"
#include "kernels/linear/linear.h"
#include "kernels/packed_weights/packed_weights.h"
#include "kernels/packed_weights/rescaled_halves.h"
#include "kernels/scratch_layout.h"

namespace susurrus::testing::linear_test {
namespace {

struct Case3 {
  size_t rows;
  size_t n;
  size_t k;
};

const char* epilogue_name(Epilogue epilogue) {
  return epilogue == Epilogue::store ? "store" : epilogue == Epilogue::gelu ? "gelu" : "accumulate";
}

std::string describe_case(const Case3& c, Dtype dtype, Epilogue epilogue, uint64_t seed) {
  return std::to_string(c.rows) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) + " " +
         std::string(dtype_traits(dtype).name) + " " + epilogue_name(epilogue) + " seed " +
         std::to_string(seed);
}

/// The bound of linear.h.
double linear_bound(size_t k, double magnitude) {
  return 0x1p-24 * (std::sqrt(static_cast<double>(k)) + 8) * magnitude;
}

/// Rescales halves; false for other types.
bool rescale(RandomWeight& weight) {
  if (weight.view.dtype != Dtype::f16) return false;
  EXPECT_TRUE(rescale_halves(MutableByteSpan(weight.memory).first(2 * weight.values.size())));
  weight.view.layout = WeightLayout::rescaled_halves;
  return true;
}

void check_linear(const Case3& c, Dtype dtype, Epilogue epilogue, bool with_bias, uint64_t seed,
                  bool rescaled = false) {
  Random random(seed);
  const auto weight = random_weight(random, dtype, c.n, c.k, 0.5f);
  if (rescaled && !rescale(*weight)) return;
  const size_t x_stride = c.k + random.below(5);
  const size_t y_stride = c.n + 1 + random.below(5);
  GuardedFloats x(c.rows * x_stride);
  GuardedFloats bias(c.n);
  GuardedFloats before(c.rows * y_stride);
  x.fill_bell(random, 1);
  bias.fill_bell(random, 1);
  before.fill_bell(random, 1);
  GuardedFloats scratch(linear_scratch_floats(c.k));
  const std::string where = describe_case(c, dtype, epilogue, seed);

  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats y(c.rows * y_stride);
    std::copy(before.data(), before.data() + before.size(), y.data());
    kernels->linear({.rows = c.rows,
                     .x = x.data(),
                     .x_stride = x_stride,
                     .weight = weight->view,
                     .bias = with_bias ? bias.data() : nullptr,
                     .y = y.data(),
                     .y_stride = y_stride,
                     .epilogue = epilogue,
                     .scratch = scratch.span()});
    EXPECT_TRUE(y.guards_are_intact());
    EXPECT_TRUE(scratch.guards_are_intact());
    for (size_t m = 0; m < c.rows; ++m) {
      for (size_t n = 0; n < c.n; ++n) {
        double exact = with_bias ? bias[n] : 0;
        double magnitude = std::fabs(exact);
        for (size_t k = 0; k < c.k; ++k) {
          const double product =
              static_cast<double>(x[m * x_stride + k]) * weight->values[n * c.k + k];
          exact += product;
          magnitude += std::fabs(product);
        }
        if (epilogue == Epilogue::accumulate) {
          exact += before[m * y_stride + n];
          magnitude += std::fabs(before[m * y_stride + n]);
        }
        double tolerance = linear_bound(c.k, magnitude);
        if (epilogue == Epilogue::gelu) {
          exact = exact_gelu(exact);
          tolerance =
              1.2 * tolerance + 1e-6 + 0x1p-23 * std::fabs(exact);  // gelu's slope is at most 1.13
        }
        expect_close(variant_name(kernels->variant), where, m * c.n + n, y[m * y_stride + n], exact,
                     tolerance);
      }
      for (size_t n = c.n; n < y_stride; ++n)
        EXPECT_EQ(y[m * y_stride + n], before[m * y_stride + n]);
    }
  }
  if (!rescaled) check_linear(c, dtype, epilogue, with_bias, seed, true);
}

/// A weight of a block type in panels; `memory` holds it.
TensorView packed(const RandomWeight& weight, WeightLayout layout, std::vector<uint8_t>& memory) {
  TensorView view = weight.view;
  const auto row_bytes = static_cast<size_t>(view.row_byte_count());
  const auto rows = static_cast<size_t>(view.rows());
  const size_t padded = round_up(rows, kPackedRows) * row_bytes;
  memory.assign(padded + kOverreadBytes, 0xAA);
  std::copy(weight.view.data, weight.view.data + rows * row_bytes, memory.begin());
  std::vector<uint8_t> pack(kPackedRows * row_bytes);
  pack_weights(view, layout, MutableByteSpan(memory).first(padded), pack);
  view.data = memory.data();
  view.layout = layout;
  return view;
}

/// Contiguous rows of x and y, without bias.
LinearArgs panel_args(const TensorView& weight, size_t rows, GuardedFloats& x, GuardedFloats& y,
                      GuardedFloats& scratch) {
  LinearArgs args;
  args.rows = rows;
  args.x = x.data();
  args.x_stride = static_cast<size_t>(weight.shape[1]);
  args.weight = weight;
  args.y = y.data();
  args.y_stride = static_cast<size_t>(weight.shape[0]);
  args.scratch = scratch.span();
  return args;
}

/// What quantisation may cost a row's product: half a step for each value, of its block's largest.
double quantization_bound(const float* x, const double* w, size_t k_count, float limit) {
  double bound = 0;
  for (size_t k = 0; k < k_count; k += kBlockValues) {
    double largest = 0;
    double weights = 0;
    for (size_t j = k; j < k + kBlockValues; ++j) {
      largest = std::max(largest, std::fabs(static_cast<double>(x[j])));
      weights += std::fabs(w[j]);
    }
    bound += largest / (2 * static_cast<double>(limit)) * weights;
  }
  return bound;
}

/// One product in panels against float64, rows alone, and what stands around y.
void check_panel_case(const char* name, LinearFn* linear, WeightLayout layout, float limit,
                      bool is_fine, const Case3& c, Dtype dtype, Epilogue epilogue, float outlier,
                      uint64_t seed) {
  Random random(seed);
  const auto weight = random_weight(random, dtype, c.n, c.k, 0.5f);
  std::vector<uint8_t> memory;
  const TensorView view = packed(*weight, layout, memory);
  GuardedFloats x(c.rows * c.k);
  GuardedFloats bias(c.n);
  GuardedFloats y(c.rows * c.n);
  GuardedFloats alone(c.n);
  GuardedFloats scratch(linear_scratch_floats(c.k));
  x.fill_bell(random, 1);
  bias.fill_bell(random, 1);
  for (size_t m = 0; m < c.rows; m += 2) x[m * c.k + random.below(c.k)] *= outlier;
  LinearArgs args = panel_args(view, c.rows, x, y, scratch);
  args.bias = bias.data();
  args.epilogue = epilogue;
  args.is_fine = is_fine;
  linear(args);
  EXPECT_TRUE(y.guards_are_intact());
  EXPECT_TRUE(scratch.guards_are_intact());
  const std::string where =
      describe_case(c, dtype, epilogue, seed) + (is_fine ? " with fine activations" : "");
  args.rows = 1;
  args.y = alone.data();
  for (size_t m = 0; m < c.rows; ++m) {
    args.x = x.data() + m * c.k;
    alone.fill(0);
    linear(args);
    for (size_t n = 0; n < c.n; ++n) {
      expect_close("alone", where, m * c.n + n, alone[n], y[m * c.n + n], 0);
      const double* w = weight->values.data() + n * c.k;
      double exact = bias[n];
      double magnitude = std::fabs(exact);
      for (size_t k = 0; k < c.k; ++k) {
        exact += static_cast<double>(args.x[k]) * w[k];
        magnitude += std::fabs(static_cast<double>(args.x[k]) * w[k]);
      }
      double tolerance =
          4 * linear_bound(c.k, magnitude) + quantization_bound(args.x, w, c.k, limit);
      if (epilogue == Epilogue::gelu) {
        exact = exact_gelu(exact);
        tolerance = 1.2 * tolerance + 1e-6;
      }
      expect_close(name, where, m * c.n + n, y[m * c.n + n], exact, tolerance);
    }
  }
}

/// Every row of a few against the row alone.
void check_bits_of_few_rows(const Case3& c, Dtype dtype, Epilogue epilogue, uint64_t seed,
                            bool rescaled = false) {
  Random random(seed);
  const auto weight = random_weight(random, dtype, c.n, c.k, 0.5f);
  if (rescaled && !rescale(*weight)) return;
  GuardedFloats x(c.rows * c.k);
  GuardedFloats bias(c.n);
  x.fill_bell(random, 1);
  bias.fill_bell(random, 1);
  GuardedFloats scratch(linear_scratch_floats(c.k));
  for (const KernelTable* kernels : compiled_kernels()) {
    GuardedFloats together(c.rows * c.n);
    GuardedFloats alone(c.rows * c.n);
    LinearArgs args = {.rows = c.rows,
                       .x = x.data(),
                       .x_stride = c.k,
                       .weight = weight->view,
                       .bias = bias.data(),
                       .y = together.data(),
                       .y_stride = c.n,
                       .epilogue = epilogue,
                       .scratch = scratch.span()};
    kernels->linear(args);
    args.rows = 1;
    for (size_t m = 0; m < c.rows; ++m) {
      args.x = x.data() + m * c.k;
      args.y = alone.data() + m * c.n;
      kernels->linear(args);
    }
    for (size_t i = 0; i < c.rows * c.n; ++i) {
      if (!EXPECT_EQ(together[i], alone[i])) {
        report_failure(__FILE__, __LINE__, describe_case(c, dtype, epilogue, seed));
        return;
      }
    }
  }
  if (!rescaled) check_bits_of_few_rows(c, dtype, epilogue, seed, true);
}

}  // namespace

}  // namespace susurrus::testing::linear_test

// The cases of one build alone call it, too.
void susurrus::testing::check_linear_in_panels(const char* name, LinearFn* linear,
                                               WeightLayout layout, float limit) {
  using linear_test::Case3;
  using linear_test::check_panel_case;
  uint64_t seed = 5000;
  for (const bool is_fine : {false, true}) {
    // int16 activations are as fine as they get.
    const float levels = is_fine && limit < 128 ? limit * 2 * limit : limit;
    const auto check = [&](const Case3& c, Dtype dtype, Epilogue epilogue, float outlier) {
      check_panel_case(name, linear, layout, levels, is_fine, c, dtype, epilogue, outlier, seed++);
    };
    for (const Dtype dtype : {Dtype::q8_0, Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
      for (const size_t rows : {1, 2, 3, 4, 5, 6, 7, 200}) {
        for (const size_t n : {1, 7, 8, 9, 24}) {
          const Epilogue epilogue = rows % 2 == 0 ? Epilogue::gelu : Epilogue::accumulate;
          check({rows, n, 96}, dtype, epilogue, n == 24 ? 100.0f : 1.0f);
        }
      }
      check({5, 16, 2048}, dtype, Epilogue::store, 30);
      check({0, 16, 64}, dtype, Epilogue::store, 1);
    }
  }
}

namespace susurrus::testing::linear_test {

SUSURRUS_TEST(linear_in_panels) {
  for (const KernelTable* kernels : compiled_kernels()) {
    // The reference knows both orders.
    const bool is_reference = kernels->variant == Variant::reference;
    for (const WeightLayout layout : {WeightLayout::panels_of_2, WeightLayout::panels_of_4}) {
      if (!is_reference && layout != kernels->packing.layout) continue;
      const float limit = layout == WeightLayout::panels_of_2 ? 32767.0f : 63.0f;
      check_linear_in_panels(variant_name(kernels->variant), kernels->linear, layout, limit);
    }
  }
}

// A block with an outlier gets a second term: the others then lose next to nothing.
SUSURRUS_TEST(linear_in_panels_keeps_small_values_beside_an_outlier) {
  for (const KernelTable* kernels : compiled_kernels()) {
    if (kernels->packing.pack == nullptr) continue;
    Random random(77);
    const auto weight = random_weight(random, Dtype::q8_0, 8, 64, 0.5f);
    std::vector<uint8_t> memory;
    const TensorView view = packed(*weight, kernels->packing.layout, memory);
    GuardedFloats x(64);
    GuardedFloats y(8);
    GuardedFloats scratch(linear_scratch_floats(64));
    x.fill_bell(random, 1);
    x[40] = 500;
    kernels->linear(panel_args(view, 1, x, y, scratch));
    for (size_t n = 0; n < 8; ++n) {
      const double* w = weight->values.data() + n * 64;
      double exact = 0;
      double weights = 0;
      for (size_t k = 0; k < 64; ++k) {
        exact += static_cast<double>(x[k]) * w[k];
        weights += std::fabs(w[k]);
      }
      // The second term rounds by at most half a step of 500 / 63 / 126.
      expect_close(variant_name(kernels->variant), "outlier", n, y[n], exact,
                   0.04 * weights + 1e-4 * std::fabs(exact));
    }
  }
}

SUSURRUS_TEST(linear_in_panels_lets_nan_and_infinity_through) {
  for (const KernelTable* kernels : compiled_kernels()) {
    if (kernels->packing.pack == nullptr) continue;
    Random random(78);
    const auto weight = random_weight(random, Dtype::q8_0, 8, 32, 0.5f);
    std::vector<uint8_t> memory;
    const TensorView view = packed(*weight, kernels->packing.layout, memory);
    for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
      GuardedFloats x(7 * 32);
      GuardedFloats y(7 * 8);
      GuardedFloats scratch(linear_scratch_floats(32));
      x.fill_bell(random, 1);
      x[3 * 32 + 9] = bad;
      kernels->linear(panel_args(view, 7, x, y, scratch));
      for (size_t i = 0; i < 7 * 8; ++i) EXPECT_EQ(std::isfinite(y[i]), i / 8 != 3);
    }
  }
}

SUSURRUS_TEST(weight_rows_come_out_of_panels_as_they_went_in) {
  uint64_t seed = 6000;
  for (const Dtype dtype : {Dtype::q8_0, Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    for (const WeightLayout layout : {WeightLayout::panels_of_2, WeightLayout::panels_of_4}) {
      for (const size_t rows : {1, 8, 13}) {
        Random random(seed++);
        const auto weight = random_weight(random, dtype, rows, 96, 1);
        std::vector<uint8_t> memory;
        const TensorView view = packed(*weight, layout, memory);
        for (size_t n = 0; n < rows; ++n) {
          float row[96];
          read_weight_row(view, n, row);
          for (size_t k = 0; k < 96; ++k) {
            expect_close("packed", std::to_string(seed), n * 96 + k, row[k],
                         static_cast<float>(weight->values[n * 96 + k]), 1e-6);
          }
        }
      }
    }
  }
}

SUSURRUS_TEST(floats_in_panels_give_the_bits_of_exchanged_roles) {
  Random random(6100);
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const size_t rows : {1, 2, 4, 7, 20}) {
      for (const Case3& c : {Case3{rows, 5, 1}, Case3{rows, 8, 33}, Case3{rows, 130, 512}}) {
        const auto x = random_weight(random, Dtype::f32, c.rows, c.k, 1);
        const auto weight = random_weight(random, Dtype::f32, c.n, c.k, 1);
        AlignedBuffer panels =
            AlignedBuffer::allocate(round_up(c.n, kPackedRows) * c.k * sizeof(float), "test")
                .value();
        pack_floats(c.n, c.k, weight->view.f32(), panels.floats().data());
        const TensorView packed{Dtype::f32, {c.n, c.k}, panels.data(), WeightLayout::float_panels};
        for (size_t n = 0; n < c.n; ++n) {
          std::vector<float> row(c.k);
          read_weight_row(packed, n, row.data());
          EXPECT_TRUE(std::equal(row.begin(), row.end(), weight->view.f32() + n * c.k));
        }
        for (const Epilogue epilogue : {Epilogue::store, Epilogue::accumulate}) {
          GuardedFloats scratch(linear_scratch_floats(c.k));
          GuardedFloats y(c.rows * c.n);
          GuardedFloats exchanged(c.n * c.rows);
          y.fill(1);
          exchanged.fill(1);
          LinearArgs args;
          args.scratch = {scratch.data(), linear_scratch_floats(c.k)};
          args.epilogue = epilogue;
          args.x_stride = c.k;
          args.rows = c.rows;
          args.x = x->view.f32();
          args.weight = packed;
          args.y = y.data();
          args.y_stride = c.n;
          kernels->linear(args);
          args.rows = c.n;
          args.x = weight->view.f32();
          args.weight = x->view;
          args.y = exchanged.data();
          args.y_stride = c.rows;
          kernels->linear(args);
          for (size_t i = 0; i < c.rows * c.n; ++i) {
            EXPECT_EQ(y[i], exchanged[i % c.n * c.rows + i / c.n]);
          }
        }
      }
    }
  }
}

SUSURRUS_TEST(rescaled_halves_are_what_they_were_and_never_subnormal) {
  for (uint32_t half = 0; half <= 0xFFFF; ++half) {
    uint8_t bytes[4] = {static_cast<uint8_t>(half), static_cast<uint8_t>(half >> 8), 0x00, 0x3C};
    const bool has_room = (half & 0x7FFF) < 0x5400;  // below 64
    EXPECT_EQ(rescale_halves(bytes), has_room);
    const uint16_t rescaled = load_u16(bytes);
    if (!has_room) {
      EXPECT_EQ(rescaled, half);
      EXPECT_EQ(load_u16(bytes + 2), 0x3C00);
      continue;
    }
    EXPECT_EQ(f32_from_rescaled_half(rescaled), f32_from_f16(static_cast<uint16_t>(half)));
    EXPECT_EQ(rescaled & 0x8000, static_cast<int>(half & 0x8000));
    EXPECT_TRUE((rescaled & 0x7FFF) == 0 || (rescaled & 0x7C00) != 0);
  }
}

SUSURRUS_TEST(linear_of_few_rows_gives_the_bits_of_each_alone) {
  uint64_t seed = 900;
  for (const Dtype dtype : kWeightDtypes) {
    for (const size_t rows : {2, 3, 4}) {
      check_bits_of_few_rows({rows, 83, 512}, dtype, Epilogue::accumulate, seed++);
      check_bits_of_few_rows({rows, 9, 64}, dtype, Epilogue::gelu, seed++);
    }
  }
}

SUSURRUS_TEST(linear_of_every_type_and_row_count) {
  uint64_t seed = 1;
  for (const Dtype dtype : kWeightDtypes) {
    for (const size_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13}) {
      check_linear({rows, 19, 96}, dtype, Epilogue::store, true, seed++);
    }
  }
}

SUSURRUS_TEST(linear_around_the_tiles) {
  uint64_t seed = 1000;
  for (const size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 127, 128, 129, 136}) {
    for (const size_t rows : {1, 2, 6, 13})
      check_linear({rows, n, 33}, Dtype::f32, Epilogue::store, true, seed++);
  }
}

SUSURRUS_TEST(linear_with_any_tail_of_k) {
  uint64_t seed = 2000;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    for (const size_t k : {1, 2, 3, 4, 5, 7, 8, 9, 15, 511, 512, 513, 1027}) {
      for (const size_t rows : {1, 2, 3, 9})
        check_linear({rows, 10, k}, dtype, Epilogue::store, true, seed++);
    }
  }
}

SUSURRUS_TEST(linear_with_several_parts_of_k) {
  uint64_t seed = 3000;
  for (const Dtype dtype : kWeightDtypes) {
    for (const Epilogue epilogue : {Epilogue::store, Epilogue::gelu, Epilogue::accumulate}) {
      for (const size_t rows : {1, 8, 9})
        check_linear({rows, 21, 1120}, dtype, epilogue, true, seed++);
    }
  }
}

SUSURRUS_TEST(linear_epilogues_with_and_without_bias) {
  uint64_t seed = 4000;
  for (const Epilogue epilogue : {Epilogue::store, Epilogue::gelu, Epilogue::accumulate}) {
    for (const bool with_bias : {false, true}) {
      for (const size_t rows : {1, 3, 4, 17})
        check_linear({rows, 131, 64}, Dtype::q8_0, epilogue, with_bias, seed++);
    }
  }
}

SUSURRUS_TEST(linear_of_nothing) {
  check_linear({0, 9, 32}, Dtype::f32, Epilogue::store, true, 1);
  for (const size_t rows : {1, 2, 7, 9}) {
    check_linear({rows, 0, 32}, Dtype::f32, Epilogue::store, true, 2);
    check_linear({rows, 9, 0}, Dtype::f32, Epilogue::store, true, 3);
    check_linear({rows, 9, 0}, Dtype::f16, Epilogue::accumulate, true, 4);
  }
}

// f16 weights that cannot be rescaled, and others: infinities must come through, on every row count.
SUSURRUS_TEST(linear_with_infinite_and_subnormal_halves) {
  const uint16_t special[] = {0x7C00, 0xFC00, 0x0001, 0x8001, 0x03FF,
                              0x0400, 0x7BFF, 0xFBFF, 0x0000, 0x8000};
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const uint16_t half : special) {
      for (const size_t rows : {1, 2, 6}) {
        for (size_t place = 0; place < 24; ++place) {
          std::vector<uint8_t> stored(4 * 24 * 2 + 16);
          for (size_t i = 0; i < 4 * 24; ++i) stored[2 * i + 1] = 0x3C;  // 1.0
          const size_t at = 2 * (24 + place);                            // in weight row 1
          stored[at] = static_cast<uint8_t>(half);
          stored[at + 1] = static_cast<uint8_t>(half >> 8);
          GuardedFloats x(rows * 24);
          x.fill(1.0f);
          GuardedFloats y(rows * 4);
          GuardedFloats scratch(linear_scratch_floats(24));
          TensorView view;
          view.dtype = Dtype::f16;
          view.shape = Shape{4, 24};
          view.data = stored.data();
          if (rescale_halves(MutableByteSpan(stored).first(4 * 24 * 2))) {
            view.layout = WeightLayout::rescaled_halves;
          }
          kernels->linear({.rows = rows,
                           .x = x.data(),
                           .x_stride = 24,
                           .weight = view,
                           .bias = nullptr,
                           .y = y.data(),
                           .y_stride = 4,
                           .epilogue = Epilogue::store,
                           .scratch = scratch.span()});
          const int exponent = half >> 10 & 31;
          double value = exponent == 0 ? std::ldexp(half & 1023, -24)
                                       : std::ldexp(1024 + (half & 1023), exponent - 25);
          if (exponent == 31) value = HUGE_VAL;
          if ((half & 0x8000) != 0) value = -value;
          EXPECT_EQ(y[0], 24.0f);
          EXPECT_NEAR(y[1], 23 + value, 1e-5 + 1e-6 * (exponent == 31 ? 0 : std::fabs(value)));
          EXPECT_EQ(y[2], 24.0f);
          if (current_case_failed()) return;
        }
      }
    }
  }
}

SUSURRUS_TEST(floats_in_panels_are_blocks_padded_with_zeros) {
  uint64_t seed = 6000;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    for (const WeightLayout layout : {WeightLayout::panels_of_2, WeightLayout::panels_of_4}) {
      for (const size_t k : {24, 32, 240, 1152}) {
        Random random(++seed);
        const size_t n = 1 + random.below(20);
        const auto weight = random_weight(random, dtype, n, k, 0.3f);
        const size_t padded = round_up(k, kBlockValues);
        const auto row_bytes = static_cast<size_t>(packed_view(weight->view).row_byte_count());
        std::vector<uint8_t> memory = weight->memory;
        memory.resize(std::max(memory.size(), round_up(n, kPackedRows) * row_bytes));
        std::vector<float> pack(2 * kPackedRows * row_bytes / sizeof(float));
        weight->view.data = memory.data();
        const TensorView view =
            pack_weights(weight->view, layout, memory,
                         {reinterpret_cast<uint8_t*>(pack.data()), pack.size() * sizeof(float)});
        EXPECT_TRUE(view.dtype == Dtype::q8_0 && view.layout == layout);
        ASSERT_TRUE(view.shape == Shape({n, padded}));
        std::vector<float> row(padded);
        for (size_t r = 0; r < n; ++r) {
          read_weight_row(view, r, row.data());
          for (size_t b = 0; b < padded; b += kBlockValues) {
            const size_t count = std::min(kBlockValues, k - b);
            const double* values = weight->values.data() + r * k + b;
            double largest = 0;
            for (size_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
            // Half a step, and what the scale loses as a half.
            const double tolerance = largest * (0.5 / 127 + 0x1p-11) + 0x1p-18;
            for (size_t i = 0; i < count; ++i) {
              expect_close("panel", std::to_string(seed), r * padded + b + i, row[b + i], values[i],
                           tolerance);
            }
            for (size_t i = count; i < kBlockValues; ++i) EXPECT_EQ(row[b + i], 0.0f);
          }
        }
      }
    }
  }
}

SUSURRUS_TEST(convolutions_are_linear_layers_of_rows_that_overlap) {
  uint64_t seed = 5000;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    for (const size_t channels_in : {1, 3, 8, 80, 200}) {
      for (const size_t stride : {1, 2}) {
        for (const size_t frames : {1, 2, 5, 6, 13}) {
          Random random(++seed);
          const size_t channels_out = 1 + random.below(20);
          const auto weight = random_weight(random, dtype, channels_out, 3 * channels_in, 0.3f);
          GuardedFloats x(((frames - 1) * stride + 3) * channels_in);
          GuardedFloats bias(channels_out);
          GuardedFloats scratch(linear_scratch_floats(3 * channels_in));
          x.fill_bell(random, 1);
          bias.fill_bell(random, 1);
          const bool with_bias = random.below(4) != 0;
          for (const KernelTable* kernels : compiled_kernels()) {
            GuardedFloats y(frames * channels_out);
            kernels->linear({.rows = frames,
                             .x = x.data(),
                             .x_stride = stride * channels_in,
                             .weight = weight->view,
                             .bias = with_bias ? bias.data() : nullptr,
                             .y = y.data(),
                             .y_stride = channels_out,
                             .epilogue = Epilogue::gelu,
                             .scratch = scratch.span()});
            EXPECT_TRUE(y.guards_are_intact());
            EXPECT_TRUE(scratch.guards_are_intact());
            const std::string where =
                "channels " + std::to_string(channels_in) + " seed " + std::to_string(seed);
            for (size_t t = 0; t < frames; ++t) {
              for (size_t o = 0; o < channels_out; ++o) {
                double exact = with_bias ? bias[o] : 0;
                double magnitude = std::fabs(exact);
                for (size_t j = 0; j < 3; ++j) {
                  for (size_t c = 0; c < channels_in; ++c) {
                    const double product =
                        static_cast<double>(x[(t * stride + j) * channels_in + c]) *
                        weight->values[(3 * o + j) * channels_in + c];
                    exact += product;
                    magnitude += std::fabs(product);
                  }
                }
                const double tolerance = 1.2 * linear_bound(3 * channels_in, magnitude) + 1e-6;
                expect_close(variant_name(kernels->variant), where, t * channels_out + o,
                             y[t * channels_out + o], exact_gelu(exact),
                             tolerance + 0x1p-23 * std::fabs(exact));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace susurrus::testing::linear_test
