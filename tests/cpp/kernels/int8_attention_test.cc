// int8_attention and quantize_kv of every variant: integers against the reference's, attention against float64.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/int8_attention/int8_attention.h"
#include "kernels/kernel_support.h"
#include "kernels/packed_weights/packed_weights.h"
#include "kernels/quantize_kv/quantize_kv.h"

namespace susurrus::testing::int8_attention_test {
namespace {

struct Variants {
  const char* name;
  Int8AttentionFn* attention;
  QuantizeKvFn* quantize;
  WeightLayout order;
  double query_limit;        // levels of quantised queries; infinity: none
  double probability_limit;  // the same
};

std::vector<Variants> variants() {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<Variants> all;
  for (const KernelTable* kernels : compiled_kernels()) {
    if (kernels->int8_attention == nullptr) continue;
    const bool is_pair = kernels->packing.layout == WeightLayout::panels_of_2;
    const bool is_reference = kernels->variant == Variant::reference;
    const WeightLayout order = is_pair ? WeightLayout::panels_of_2 : WeightLayout::panels_of_4;
    all.push_back({variant_name(kernels->variant), kernels->int8_attention, kernels->quantize_kv,
                   order,
                   is_reference ? kNone
                   : is_pair    ? 32767.0
                                : 63.0,
                   is_reference ? kNone
                   : is_pair    ? 32767.0
                                : 127.0});
    if (is_reference) {
      all.push_back(all.back());
      all.back().order = WeightLayout::panels_of_2;
    }
  }
  return all;
}

/// Random queries, keys and values of some heads, and the integers that a variant makes of them.
class Attention {
 public:
  size_t heads = 3;
  size_t queries;
  size_t keys;
  size_t head_size;
  size_t stride;
  float scale = 0.3f;
  GuardedFloats q;
  GuardedFloats k;
  GuardedFloats v;
  Int8KvLayout layout;
  GuardedFloats integers;

  Attention(size_t query_rows, size_t key_rows, size_t size, uint64_t seed)
      : queries(query_rows),
        keys(key_rows),
        head_size(size),
        stride(heads * size + seed % 4),
        q(queries * stride),
        k(keys * stride),
        v(keys * stride),
        layout(keys, size),
        integers(heads * layout.head_bytes / sizeof(float)) {
    Random random(seed);
    for (GuardedFloats* floats : {&q, &k, &v}) floats->fill_bell(random, 1);
  }

  Int8Kv quantized(const Variants& variant) {
    integers.fill(std::nanf(""));
    const Int8Kv kv = {reinterpret_cast<uint8_t*>(integers.data()), variant.order};
    // In two calls, as threads do.
    QuantizeKvArgs args = {.key_rows = keys,
                           .head_count = 1,
                           .head_size = head_size,
                           .k = k.data(),
                           .k_stride = stride,
                           .v = v.data(),
                           .v_stride = stride,
                           .kv = kv};
    variant.quantize(args);
    args.head_first = 1;
    args.head_count = heads - 1;
    variant.quantize(args);
    EXPECT_TRUE(integers.guards_are_intact());
    return kv;
  }

  /// What a head's integers have for each column at this offset.
  std::vector<float> columns(const Int8Kv& kv, size_t head, size_t offset) const {
    std::vector<float> values(head_size);
    std::memcpy(values.data(), kv.data + head * layout.head_bytes + offset, head_size * 4);
    return values;
  }

  AttentionArgs args(const Int8Kv& kv, GuardedFloats& out, GuardedFloats& scratch) const {
    scratch.fill(std::nanf(""));
    return {.query_rows = queries,
            .key_rows = keys,
            .head_count = heads,
            .head_size = head_size,
            .scale = scale,
            .q = q.data(),
            .q_stride = stride,
            .out = out.data(),
            .out_stride = stride,
            .kv = kv,
            .scratch = scratch.span()};
  }
};

/// One row of one head, within the bounds of int8_attention.h. Returns the squares of error and of the exact row.
std::pair<double, double> check_row(const Variants& variant, const Attention& a, const Int8Kv& kv,
                                    const float* out, size_t h, size_t i,
                                    const std::string& where) {
  std::vector<double> p(a.keys);
  // How far quantised queries can move a key's score.
  double shift = 0;
  std::vector<float> key(a.head_size);
  const float* q = a.q.data() + i * a.stride + h * a.head_size;
  const std::vector<float> means = a.columns(kv, h, a.layout.key_means);
  const std::vector<float> scales = a.columns(kv, h, a.layout.key_scales);
  double step = 0;
  for (size_t d = 0; d < a.head_size; ++d) {
    const double scaled = std::fabs(static_cast<double>(q[d]) * scales[d]);
    step = std::max(step, scaled / (2 * variant.query_limit));
  }
  double magnitude = 0;
  for (size_t j = 0; j < a.keys; ++j) {
    expand_keys(kv, a.layout, h, a.head_size, j, 1, key.data());
    double off = 0;
    double size = 0;
    for (size_t d = 0; d < a.head_size; ++d) {
      const double product = static_cast<double>(q[d]) * key[d];
      p[j] += product;
      size += std::fabs(product);
      if (scales[d] > 0) off += step * std::fabs((key[d] - means[d]) / scales[d]);
    }
    p[j] *= a.scale;
    shift = std::max(shift, off * a.scale);
    magnitude = std::max(magnitude, size * a.scale);
  }
  const double most = *std::max_element(p.begin(), p.end());
  double sum = 0;
  for (double& one : p) sum += one = std::exp(one - most);
  // How far quantised probabilities can move them, all together.
  double moved = 0;
  for (size_t j = 0; j < a.keys; j += Int8KvLayout::kKeys) {
    const size_t end = std::min(j + Int8KvLayout::kKeys, a.keys);
    const double block_most = *std::max_element(p.begin() + static_cast<ptrdiff_t>(j),
                                                p.begin() + static_cast<ptrdiff_t>(end));
    moved += static_cast<double>(end - j) * 0.6 * block_most / variant.probability_limit / sum;
  }
  std::pair<double, double> squares = {0, 0};
  for (size_t d = 0; d < a.head_size; ++d) {
    double exact = 0;
    double largest = 0;
    for (size_t j = 0; j < a.keys; ++j) {
      const double value = expand_value(kv, a.layout, h, d, j);
      exact += p[j] / sum * value;
      largest = std::max(largest, std::fabs(value));
    }
    // Weights that are off by a share e each move a mean by no more than 2 e of the largest value; e^shift by both the
    // score and the sum.
    const double share = std::expm1(2 * shift) + 2 * moved + 8e-6 + 0x1p-20 * magnitude;
    const float actual = out[i * a.stride + h * a.head_size + d];
    expect_close(variant.name, where + " head " + std::to_string(h) + " row " + std::to_string(i),
                 d, actual, exact, share * largest);
    squares.first += (actual - exact) * (actual - exact);
    squares.second += exact * exact;
  }
  return squares;
}

/// Returns the error's root mean square as a share of the exact outputs'.
double check_attention(const Variants& variant, Attention& a, const std::string& where) {
  const Int8Kv kv = a.quantized(variant);
  GuardedFloats out(a.queries * a.stride);
  GuardedFloats scratch(int8_attention_scratch_floats(a.keys, a.head_size));
  AttentionArgs args = a.args(kv, out, scratch);
  out.fill(99);
  // The last heads alone: the first stays as it is.
  args.head_first = 1;
  args.head_count = a.heads - 1;
  variant.attention(args);
  EXPECT_TRUE(out.guards_are_intact());
  EXPECT_TRUE(scratch.guards_are_intact());
  double error = 0;
  double size = 0;
  for (size_t i = 0; i < a.queries; ++i) {
    const float* row = out.data() + i * a.stride;
    for (size_t d = 0; d < a.stride; ++d) {
      if (d < a.head_size || d >= a.heads * a.head_size) EXPECT_EQ(row[d], 99.0f);
    }
    for (size_t h = 1; h < a.heads; ++h) {
      const auto [e, s] = check_row(variant, a, kv, out.data(), h, i, where);
      error += e;
      size += s;
    }
  }
  return std::sqrt(error / size);
}

std::string describe(const Attention& a) {
  return std::to_string(a.queries) + "x" + std::to_string(a.keys) + "x" +
         std::to_string(a.head_size);
}

void check_shapes(const Variants& variant) {
  uint64_t seed = 1;
  for (const size_t queries : {1, 2, 5, 6, 7, 13}) {
    for (const size_t keys : {1, 3, 8, 31, 32, 33, 64, 100}) {
      Attention a(queries, keys, 16, seed++);
      check_attention(variant, a, describe(a));
    }
  }
  for (const size_t head_size : {1, 3, 8, 31, 32, 36, 64, 80}) {
    Attention a(7, 45, head_size, seed++);
    check_attention(variant, a, describe(a));
  }
}

}  // namespace

}  // namespace susurrus::testing::int8_attention_test

// The cases of one build alone call it, too.
void susurrus::testing::check_int8_attention(const char* name,
                                             void (*attention)(const AttentionArgs&),
                                             void (*quantize)(const QuantizeKvArgs&)) {
  int8_attention_test::check_shapes(
      {name, attention, quantize, WeightLayout::panels_of_4, 63, 127});
}

namespace susurrus::testing::int8_attention_test {

SUSURRUS_TEST(quantize_kv_gives_the_integers_of_the_reference) {
  uint64_t seed = 1;
  for (const size_t keys : {1, 7, 8, 31, 32, 33, 100}) {
    for (const size_t head_size : {1, 5, 8, 16, 31, 32, 33, 64, 80}) {
      Attention a(0, keys, head_size, seed++);
      a.k[a.stride * (keys / 2)] = 500;
      for (size_t d = 0; d < std::min<size_t>(head_size, 32); ++d) a.v[d] = 0;
      for (const Variants& variant : variants()) {
        Variants reference = variants().front();
        reference.order = variant.order;
        const Int8Kv expected = a.quantized(reference);
        const std::vector<uint8_t> bytes(expected.data,
                                         expected.data + a.heads * a.layout.head_bytes);
        const Int8Kv kv = a.quantized(variant);
        const Int8KvLayout& l = a.layout;
        int32_t offset = -1;
        for (size_t h = 0; h < a.heads; ++h) {
          const size_t head = h * l.head_bytes;
          for (size_t at = head; at < head + l.values; at += l.key_panel_bytes) {
            EXPECT_TRUE(std::memcmp(kv.data + at, &bytes[at], Int8KvLayout::kScales) == 0);
            const size_t integers = at + Int8KvLayout::kKeyIntegers;
            EXPECT_TRUE(std::memcmp(kv.data + integers, &bytes[integers], 8 * l.width) == 0);
            // Corrections are minus one and the same offset times the sums.
            for (size_t i = 0; i < 8; ++i) {
              int32_t correction;
              std::memcpy(&correction, kv.data + at + Int8KvLayout::kKeyCorrections + 4 * i, 4);
              int32_t sum = 0;
              for (size_t k = 0; k < l.width; ++k) {
                const size_t index = panel_index(panel_group(variant.order), i, k);
                sum += static_cast<int8_t>(kv.data[integers + index]);
              }
              if (sum != 0 && offset < 0) offset = -correction / sum;
              if (sum != 0) EXPECT_EQ(correction, -offset * sum);
            }
          }
          EXPECT_TRUE(std::memcmp(kv.data + head + l.values, &bytes[head + l.values],
                                  l.value_means + 4 * a.head_size - l.values) == 0);
        }
        EXPECT_TRUE(offset <= 0 || offset == 64 || offset == 128);
        if (current_case_failed()) {
          report_failure(__FILE__, __LINE__, variant.name + (" " + describe(a)));
          return;
        }
      }
    }
  }
}

SUSURRUS_TEST(quantized_keys_and_values_are_within_half_a_step) {
  Attention a(0, 75, 40, 9);
  // Columns that are large everywhere, or stray far, cost the others nothing.
  for (size_t j = 0; j < a.keys; ++j) {
    a.k[j * a.stride + 4] += 100;
    a.k[j * a.stride + 7] *= 200;
  }
  const auto means_of = [&](const GuardedFloats& x) {
    std::vector<double> means(a.stride);
    for (size_t i = 0; i < x.size(); ++i) means[i % a.stride] += x[i] / static_cast<double>(a.keys);
    return means;
  };
  const std::vector<double> key_means = means_of(a.k);
  const std::vector<double> value_means = means_of(a.v);
  std::vector<double> farthest(a.stride);
  for (size_t i = 0; i < a.k.size(); ++i) {
    const size_t c = i % a.stride;
    farthest[c] = std::max(farthest[c], std::fabs(a.k[i] - key_means[c]));
  }
  for (const Variants& variant : variants()) {
    const Int8Kv kv = a.quantized(variant);
    std::vector<float> key(a.head_size);
    for (size_t h = 0; h < a.heads; ++h) {
      for (size_t j = 0; j < a.keys; ++j) {
        expand_keys(kv, a.layout, h, a.head_size, j, 1, key.data());
        for (size_t d = 0; d < a.head_size; ++d) {
          const size_t at = j * a.stride + h * a.head_size + d;
          // The step is a share of the column's farthest value: that of the key's value which goes farthest in its column.
          double share = 0;
          for (size_t c = 0; c < a.head_size; ++c) {
            const double distance = std::fabs(a.k[at - d + c] - key_means[h * a.head_size + c]);
            share = std::max(share, distance / farthest[h * a.head_size + c]);
          }
          const double key_step = share * farthest[h * a.head_size + d] / 127;
          expect_close(variant.name, "key", at, key[d], a.k[at], 0.501 * key_step + 2e-5);
          double step = 0;
          const size_t first = j / Int8KvLayout::kKeys * Int8KvLayout::kKeys;
          for (size_t r = first; r < std::min(first + Int8KvLayout::kKeys, a.keys); ++r) {
            step = std::max(step, std::fabs(a.v[r * a.stride + h * a.head_size + d] -
                                            value_means[h * a.head_size + d]) /
                                      127.0);
          }
          expect_close(variant.name, "value", at, expand_value(kv, a.layout, h, d, j), a.v[at],
                       0.501 * step + 1e-5);
        }
      }
    }
  }
}

SUSURRUS_TEST(int8_attention_of_any_shape) {
  for (const Variants& variant : variants()) check_shapes(variant);
}

// The bounds hold whatever the signs; of many errors of either sign far less is left.
SUSURRUS_TEST(int8_attention_loses_about_a_hundredth) {
  for (const Variants& variant : variants()) {
    Attention bell(6, 150, 64, 77);
    bell.scale = 0.125f;
    const double limit = variant.query_limit > 1000 ? 5e-5 : 0.02;
    EXPECT_NEAR(check_attention(variant, bell, "bell"), 0, limit);
    // One column of keys and queries is an outlier.
    Attention outlier(6, 150, 64, 78);
    outlier.scale = 0.125f;
    for (size_t h = 0; h < outlier.heads; ++h) {
      for (size_t j = 0; j < outlier.keys; ++j) outlier.k[j * outlier.stride + h * 64 + 20] *= 50;
    }
    const double outlier_limit = variant.query_limit > 1000 ? 2e-4 : 0.02;
    EXPECT_NEAR(check_attention(variant, outlier, "outlier"), 0, outlier_limit);
  }
}

// Where a score's rounding error would tell, queries have a second term.
SUSURRUS_TEST(int8_attention_of_large_queries_loses_no_more) {
  for (const Variants& variant : variants()) {
    Attention a(6, 150, 64, 79);
    a.scale = 0.125f;
    for (size_t i = 0; i < a.q.size(); ++i) a.q[i] *= 30;
    EXPECT_NEAR(check_attention(variant, a, "large"), 0, variant.query_limit > 1000 ? 5e-4 : 0.006);
  }
}

SUSURRUS_TEST(int8_attention_with_sharp_scores) {
  for (const Variants& variant : variants()) {
    Attention a(7, 100, 16, 80);
    for (size_t i = 0; i < a.q.size(); ++i) a.q[i] *= 40;
    check_attention(variant, a, "sharp");
    // All the weight on one key.
    for (size_t h = 0; h < a.heads; ++h) {
      for (size_t d = 0; d < 16; ++d) {
        for (size_t i = 0; i < a.queries; ++i) a.q[i * a.stride + h * 16 + d] = 100;
        for (size_t j = 0; j < a.keys; ++j) a.k[j * a.stride + h * 16 + d] = j == 70 ? 50 : -50;
      }
    }
    const Int8Kv kv = a.quantized(variant);
    GuardedFloats out(a.queries * a.stride);
    GuardedFloats scratch(int8_attention_scratch_floats(a.keys, 16));
    variant.attention(a.args(kv, out, scratch));
    for (size_t d = 0; d < 16; ++d) {
      EXPECT_NEAR(out[d], expand_value(kv, a.layout, 0, d, 70), 1e-5);
    }
  }
}

SUSURRUS_TEST(int8_attention_of_equal_keys_is_the_mean_of_the_values) {
  for (const Variants& variant : variants()) {
    Attention a(3, 41, 32, 81);
    a.k.fill(0.5f);
    const Int8Kv kv = a.quantized(variant);
    GuardedFloats out(a.queries * a.stride);
    GuardedFloats scratch(int8_attention_scratch_floats(a.keys, 32));
    variant.attention(a.args(kv, out, scratch));
    for (size_t d = 0; d < 32; ++d) {
      double mean = 0;
      for (size_t j = 0; j < a.keys; ++j) mean += expand_value(kv, a.layout, 1, d, j) / 41.0;
      EXPECT_NEAR(out[a.stride + 32 + d], mean, 1e-5);
    }
  }
}

SUSURRUS_TEST(int8_attention_gives_the_bits_of_each_row_alone) {
  for (const Variants& variant : variants()) {
    Attention a(13, 70, 64, 82);
    // A second term in one row.
    a.q[4 * a.stride + 3] = 60;
    const Int8Kv kv = a.quantized(variant);
    GuardedFloats together(a.queries * a.stride);
    GuardedFloats alone(a.queries * a.stride);
    GuardedFloats scratch(int8_attention_scratch_floats(a.keys, 64));
    variant.attention(a.args(kv, together, scratch));
    AttentionArgs one = a.args(kv, alone, scratch);
    one.query_rows = 1;
    for (size_t i = 0; i < a.queries; ++i) {
      one.q = a.q.data() + i * a.stride;
      one.out = alone.data() + i * a.stride;
      variant.attention(one);
      for (size_t d = 0; d < a.heads * 64; ++d) EXPECT_EQ(one.out[d], together[i * a.stride + d]);
    }
  }
}

SUSURRUS_TEST(int8_attention_lets_nan_through) {
  for (const Variants& variant : variants()) {
    for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
      Attention a(7, 40, 32, 83);
      a.q[3 * a.stride + 9] = std::nanf("");
      Int8Kv kv = a.quantized(variant);
      GuardedFloats out(a.queries * a.stride);
      GuardedFloats scratch(int8_attention_scratch_floats(a.keys, 32));
      variant.attention(a.args(kv, out, scratch));
      // The reference's softmax gives zeros, as that of attention() does.
      const bool is_reference = std::isinf(variant.query_limit);
      for (size_t i = 0; i < a.queries; ++i) {
        for (size_t d = 0; d < 96; ++d) {
          EXPECT_EQ(std::isfinite(out[i * a.stride + d]), i != 3 || d >= 32 || is_reference);
        }
      }
      // In a value, an infinity as well: its column.
      a.q[3 * a.stride + 9] = 0;
      a.v[5 * a.stride + 9] = bad;
      kv = a.quantized(variant);
      variant.attention(a.args(kv, out, scratch));
      for (size_t d = 0; d < 96; ++d) EXPECT_EQ(std::isfinite(out[d]), d != 9);
    }
  }
}

}  // namespace susurrus::testing::int8_attention_test
