// Products on the kernels, with matrices in every form, against plain sums of doubles.
#include <cmath>

#include "graph/graph_run.h"
#include "kernels/kernel_support.h"

namespace susurrus::testing::products_test {
namespace {

using Floats = std::vector<float>;

Floats bell(Random& random, size_t count, float deviation = 1) {
  Floats values(count);
  for (float& value : values) value = deviation * random.bell();
  return values;
}

OwnedTensor tensor_of(const Shape& shape, const Floats& values) {
  auto tensor = OwnedTensor::allocate(ElementType::f32, shape, "test");
  std::copy(values.begin(), values.end(), tensor->buffer.floats().begin());
  return std::move(*tensor);
}

/// One operator; of its inputs the first is given when it runs, the others are constants or not.
struct Node {
  std::string_view op;
  std::vector<Shape> shapes;
  std::vector<Floats> inputs;
  bool has_constants = true;
  std::vector<Attribute> attributes = {};
  size_t output_count = 1;
  WeightType type = WeightType::f32;
  /// Multiplications of a step.
  uint64_t cost = ~uint64_t{0};
  bool packs_filters = false;

  /// Its outputs; empty where anything fails.
  std::vector<Floats> run(const KernelTable& kernels) const {
    GraphBuilder builder;
    std::vector<ValueId> ids;
    std::vector<Shape> given;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0 && has_constants) {
        ids.push_back(builder.add_constant("w", tensor_of(shapes[i], inputs[i])));
      } else {
        ids.push_back(builder.add_input("x", ElementType::f32, shapes[i]));
        given.push_back(shapes[i]);
      }
    }
    const auto first = builder.add(op, ids, attributes, output_count);
    if (!EXPECT_TRUE(first.has_value())) return {};
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < output_count; ++i) outputs.push_back(*first + static_cast<ValueId>(i));
    const auto graph = builder.finish(outputs, {type, &kernels, packs_filters});
    if (!EXPECT_TRUE(graph.has_value())) return {};
    auto plan = make_plan(*graph, given);
    if (!EXPECT_TRUE(plan.has_value())) return {};
    auto graph_run = GraphRun::make(*graph, std::move(*plan), kernels);
    if (!EXPECT_TRUE(graph_run.has_value())) return {};
    for (size_t i = 0; i < given.size(); ++i) graph_run->set_input(i, inputs[i].data());
    graph_run->begin();
    for (bool is_done = false; !is_done;) {
      const auto done = graph_run->step(cost);
      if (!EXPECT_TRUE(done.has_value())) return {};
      is_done = *done;
    }
    std::vector<Floats> results;
    for (size_t i = 0; i < output_count; ++i) {
      const auto values = graph_run->output(i).as<float>();
      results.emplace_back(values.begin(), values.end());
    }
    return results;
  }
};

/// The largest difference, in parts of the largest expected value or 1.
double difference(const Floats& got, const std::vector<double>& expected) {
  if (!EXPECT_EQ(got.size(), expected.size())) return HUGE_VAL;
  double largest = 1;
  double worst = 0;
  for (const double value : expected) largest = std::fmax(largest, std::fabs(value));
  for (size_t i = 0; i < got.size(); ++i) {
    worst = std::fmax(worst, std::fabs(static_cast<double>(got[i]) - expected[i]));
  }
  return worst / largest;
}

/// a [matrices, rows, inner] by b [matrices or 1, inner, columns].
std::vector<double> product(const Floats& a, const Floats& b, size_t matrices, size_t rows,
                            size_t inner, size_t columns) {
  const bool is_shared = b.size() == inner * columns;
  std::vector<double> y;
  for (size_t row = 0; row < matrices * rows; ++row) {
    const float* matrix = b.data() + (is_shared ? 0 : row / rows * inner * columns);
    for (size_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (size_t k = 0; k < inner; ++k) {
        sum += static_cast<double>(a[row * inner + k]) *
               static_cast<double>(matrix[k * columns + column]);
      }
      y.push_back(sum);
    }
  }
  return y;
}

Floats turned(const Floats& matrix, size_t rows, size_t columns) {
  Floats y;
  for (size_t column = 0; column < columns; ++column) {
    for (size_t row = 0; row < rows; ++row) y.push_back(matrix[row * columns + column]);
  }
  return y;
}

constexpr double kFloats = 1e-6;
/// The tolerance of q8_0: weights are at most half a step of 127 off.
constexpr double kBlocks = 0.02;

}  // namespace

SUSURRUS_TEST(matmul_with_constant_matrices_of_any_size) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(1);
    for (int i = 0; i < 60; ++i) {
      const size_t matrices = 1 + random.below(3);
      const size_t rows = 1 + random.below(i % 3 == 0 ? 70 : 5);
      const size_t inner = 1 + random.below(90);
      const size_t columns = 1 + random.below(50);
      const bool is_transposed = random.below(2) == 1;
      const Floats a = bell(random, matrices * rows * inner);
      const Floats b = bell(random, inner * columns);
      Node node{"matmul", {{matrices, rows, inner}, {inner, columns}}, {a, b}, random.below(3) > 0};
      if (is_transposed) {
        node.shapes[1] = {columns, inner};
        node.inputs[1] = turned(b, inner, columns);
        node.attributes = {{"is_transposed", int64_t{1}}};
      }
      if (i % 2 == 0) node.cost = 1000;
      const auto y = node.run(*kernels);
      ASSERT_EQ(y.size(), 1u);
      EXPECT_LT(difference(y[0], product(a, b, matrices, rows, inner, columns)), kFloats);
    }
  }
}

SUSURRUS_TEST(matmul_of_a_matrix_for_each_of_the_batch) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(2);
    for (int i = 0; i < 40; ++i) {
      const size_t matrices = 1 + random.below(4);
      const size_t rows = 1 + random.below(40);
      const size_t inner = random.below(40);
      const size_t columns = random.below(20);
      const bool is_transposed = i % 2 == 1;
      const Floats a = bell(random, matrices * rows * inner);
      const Floats b = bell(random, matrices * inner * columns);
      Node node{"matmul", {{matrices, rows, inner}, {matrices, inner, columns}}, {a, b}, false};
      if (is_transposed) {
        node.shapes[1] = {matrices, columns, inner};
        node.inputs[1].clear();
        for (size_t matrix = 0; matrix < matrices; ++matrix) {
          const auto* from = b.data() + matrix * inner * columns;
          const Floats one = turned({from, from + inner * columns}, inner, columns);
          node.inputs[1].insert(node.inputs[1].end(), one.begin(), one.end());
        }
        node.attributes = {{"is_transposed", int64_t{1}}};
      }
      node.cost = 1 + random.below(5000);
      const auto y = node.run(*kernels);
      ASSERT_EQ(y.size(), 1u);
      const std::vector<double> expected = matrices * inner * columns == 0
                                               ? std::vector<double>(matrices * rows * columns)
                                               : product(a, b, matrices, rows, inner, columns);
      EXPECT_LT(difference(y[0], expected), kFloats);
    }
  }
}

SUSURRUS_TEST(matmul_with_packed_matrices) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(3);
    for (int i = 0; i < 30; ++i) {
      const size_t rows = 1 + random.below(i % 2 == 0 ? 3 : 80);
      const size_t inner = 40 + random.below(200);
      const size_t columns = 110 + random.below(100);
      const bool is_transposed = random.below(2) == 1;
      const Floats a = bell(random, rows * inner);
      const Floats b = bell(random, inner * columns);
      Node node{"matmul", {{rows, inner}, {inner, columns}}, {a, b}};
      if (is_transposed) {
        node.shapes[1] = {columns, inner};
        node.inputs[1] = turned(b, inner, columns);
        node.attributes = {{"is_transposed", int64_t{1}}};
      }
      node.type = WeightType::q8_0;
      const auto y = node.run(*kernels);
      ASSERT_EQ(y.size(), 1u);
      const double worst = difference(y[0], product(a, b, 1, rows, inner, columns));
      EXPECT_LT(worst, kBlocks);
      EXPECT_GT(worst, kFloats);  // They are packed.
    }
  }
}

SUSURRUS_TEST(a_matrix_that_others_read_too_keeps_its_elements) {
  const KernelTable& kernels = default_kernels();
  Random random(4);
  const Floats matrix = bell(random, 64 * 128);
  const Floats x = bell(random, 64);
  for (const WeightType type : {WeightType::f32, WeightType::q8_0}) {
    GraphBuilder builder;
    const ValueId w = builder.add_constant("w", tensor_of({64, 128}, matrix));
    const ValueId a = builder.add_input("a", ElementType::f32, Shape{1, 64});
    const auto first = builder.add("matmul", std::array{a, w});
    const auto second = builder.add("matmul", std::array{a, w});
    const ValueId b = builder.add_input("b", ElementType::f32, Shape{64, 128});
    const auto sum = builder.add("add", std::array{b, w});
    ASSERT_TRUE(first && second && sum);
    const auto graph = builder.finish({*first, *second, *sum}, {type, &kernels});
    ASSERT_TRUE(graph.has_value());
    const std::vector<Shape> shapes = {{1, 64}, {64, 128}};
    auto plan = make_plan(*graph, shapes);
    ASSERT_TRUE(plan.has_value());
    auto run = GraphRun::make(*graph, std::move(*plan));
    ASSERT_TRUE(run.has_value());
    const Floats zeros(64 * 128);
    run->set_input(0, x.data());
    run->set_input(1, zeros.data());
    ASSERT_TRUE(run->run().has_value());
    const std::vector<double> expected = product(x, matrix, 1, 1, 64, 128);
    for (const size_t output : {0, 1}) {
      const auto y = run->output(output).as<float>();
      EXPECT_LT(difference({y.begin(), y.end()}, expected),
                type == WeightType::f32 ? kFloats : kBlocks);
    }
    const auto y = run->output(2).as<float>();
    for (size_t i = 0; i < matrix.size(); ++i) EXPECT_EQ(y[i], matrix[i]);
  }
}

SUSURRUS_TEST(only_products_take_packed_matrices) {
  auto writer =
      MatrixWriter::make({32, 128}, MatrixOrder::rows, WeightType::q8_0, default_kernels());
  ASSERT_TRUE(writer.has_value());
  const Floats values(32 * 128);
  writer->push({reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)});
  GraphBuilder builder;
  const ValueId w = builder.add_constant("w", writer->finish());
  EXPECT_TRUE(builder.constant(w) == nullptr);
  const auto y = builder.add("relu", {&w, 1});
  ASSERT_FALSE(y.has_value());
  EXPECT_TRUE(y.error().code == ErrorCode::shape_mismatch);
}

SUSURRUS_TEST(matrices_are_the_same_whatever_the_pieces) {
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const WeightType type : {WeightType::f32, WeightType::q8_0}) {
      for (const MatrixOrder order : {MatrixOrder::rows, MatrixOrder::columns}) {
        Random random(5);
        const Floats values = bell(random, 45 * 70);
        const ByteSpan bytes{reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(float)};
        const auto made = [&](size_t most) {
          auto writer = MatrixWriter::make({45, 70}, order, type, *kernels);
          for (ByteSpan left = bytes; !left.empty();) {
            const size_t count =
                most == 0 ? left.size() : std::min(left.size(), 1 + random.below(most));
            writer->push(left.first(count));
            left = left.subspan(count);
          }
          OwnedTensor tensor = writer->finish();
          const auto all = tensor.buffer.bytes();
          return std::vector<uint8_t>(all.begin(), all.end());
        };
        const auto whole = made(0);
        EXPECT_TRUE(made(7) == whole);
        EXPECT_TRUE(made(1000) == whole);
      }
    }
  }
}

SUSURRUS_TEST(convolutions_of_any_window) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(6);
    for (int i = 0; i < 40; ++i) {
      const size_t batch = 1 + random.below(2);
      const size_t groups = 1 + random.below(3);
      const size_t in = 1 + random.below(4);
      const size_t out = 1 + random.below(i % 2 == 0 ? 12 : 2);
      const size_t height = 5 + random.below(6);
      const size_t width = 5 + random.below(40);
      const size_t kernel = 1 + random.below(3);
      const size_t stride = 1 + random.below(2);
      const size_t dilation = 1 + random.below(2);
      const size_t pad = random.below(2);
      const size_t span = (kernel - 1) * dilation + 1;
      const size_t out_height = (height + 2 * pad - span) / stride + 1;
      const size_t out_width = (width + 2 * pad - span) / stride + 1;
      const Floats x = bell(random, batch * groups * in * height * width);
      const Floats w = bell(random, groups * out * in * kernel * kernel);
      const Floats bias = bell(random, groups * out);
      Node node{"convolution",
                {{batch, groups * in, height, width}, {groups * out, in, kernel, kernel}},
                {x, w},
                i % 3 > 0};
      if (i % 4 > 0) {
        node.shapes.push_back({groups * out});
        node.inputs.push_back(bias);
      }
      const std::vector<int64_t> strides(2, static_cast<int64_t>(stride));
      const std::vector<int64_t> dilations(2, static_cast<int64_t>(dilation));
      const std::vector<int64_t> pads(4, static_cast<int64_t>(pad));
      node.attributes = {{"strides", strides},
                         {"dilations", dilations},
                         {"pads", pads},
                         {"groups", static_cast<int64_t>(groups)}};
      node.cost = i % 2 == 0 ? 500 : ~uint64_t{0};
      std::vector<double> expected;
      for (size_t n = 0; n < batch; ++n) {
        for (size_t channel = 0; channel < groups * out; ++channel) {
          for (size_t place = 0; place < out_height * out_width; ++place) {
            double sum = i % 4 > 0 ? static_cast<double>(bias[channel]) : 0;
            for (size_t tap = 0; tap < in * kernel * kernel; ++tap) {
              const size_t c = tap / (kernel * kernel);
              const size_t h = place / out_width * stride + tap / kernel % kernel * dilation - pad;
              const size_t v = place % out_width * stride + tap % kernel * dilation - pad;
              if (h >= height || v >= width) continue;
              const size_t from = (n * groups + channel / out) * in + c;
              sum += static_cast<double>(x[(from * height + h) * width + v]) *
                     static_cast<double>(w[channel * in * kernel * kernel + tap]);
            }
            expected.push_back(sum);
          }
        }
      }
      const auto y = node.run(*kernels);
      ASSERT_EQ(y.size(), 1u);
      EXPECT_LT(difference(y[0], expected), kFloats);
    }
  }
}

SUSURRUS_TEST(a_long_convolution_is_done_in_parts) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(7);
    const Floats x = bell(random, 30 * 3000);
    const Floats w = bell(random, 9 * 30 * 5);
    const Node node{"convolution", {{1, 30, 3000}, {9, 30, 5}}, {x, w}};
    const auto y = node.run(*kernels);
    ASSERT_EQ(y.size(), 1u);
    ASSERT_EQ(y[0].size(), 9u * 2996u);
    std::vector<double> expected;
    for (size_t i = 0; i < y[0].size(); ++i) {
      double sum = 0;
      for (size_t tap = 0; tap < 150; ++tap) {
        sum += static_cast<double>(w[i / 2996 * 150 + tap]) *
               static_cast<double>(x[tap / 5 * 3000 + i % 2996 + tap % 5]);
      }
      expected.push_back(sum);
    }
    EXPECT_LT(difference(y[0], expected), kFloats);
  }
}

SUSURRUS_TEST(packed_filters_give_the_bits_that_others_give) {
  for (const KernelTable* kernels : compiled_kernels()) {
    Random random(9);
    for (int i = 0; i < 40; ++i) {
      const size_t batch = 1 + random.below(2);
      const size_t in = 1 + random.below(130);
      const size_t out = 1 + random.below(270);
      const size_t kernel = 1 + random.below(3);
      const size_t width = kernel + random.below(20);
      Node node{"convolution",
                {{batch, in, width}, {out, in, kernel}},
                {bell(random, batch * in * width), bell(random, out * in * kernel)}};
      if (i % 2 == 0) {
        node.shapes.push_back({out});
        node.inputs.push_back(bell(random, out));
      }
      const std::vector<int64_t> strides(1, 1 + i % 2);
      const std::vector<int64_t> pads = {i % 3, 1};
      node.attributes = {{"strides", strides}, {"pads", pads}};
      const auto apart = node.run(*kernels);
      ASSERT_EQ(apart.size(), 1u);
      node.packs_filters = true;
      EXPECT_TRUE(node.run(*kernels) == apart);
    }
  }
}

SUSURRUS_TEST(filters_that_see_few_places_are_packed) {
  const auto is_packed = [](const Shape& x_shape, const Shape& w_shape, int64_t groups = 1) {
    GraphBuilder builder;
    const ValueId x = builder.add_input("x", ElementType::f32, x_shape);
    const Floats filters(static_cast<size_t>(*w_shape.element_count()));
    const ValueId w = builder.add_constant("w", tensor_of(w_shape, filters));
    const auto y =
        builder.add("convolution", std::array{x, w}, std::array{Attribute{"groups", groups}});
    if (!EXPECT_TRUE(y.has_value())) return false;
    WeightOptions options;
    options.packs_filters = true;
    const auto graph = builder.finish({*y}, options);
    return EXPECT_TRUE(graph.has_value()) && graph->constants[0].is_packed();
  };
  EXPECT_TRUE(is_packed({1, 256, 17}, {8, 256, 2}));
  EXPECT_FALSE(is_packed({1, 256, 18}, {8, 256, 2}));
  EXPECT_FALSE(is_packed({1, 256, 17}, {7, 256, 2}));
  EXPECT_FALSE(is_packed({1, 257, 17}, {8, 257, 2}));
  EXPECT_FALSE(is_packed({1, 256, 17}, {8, 128, 2}, 2));
  EXPECT_FALSE(is_packed({1, 256, kAnyDim}, {8, 256, 2}));
}

SUSURRUS_TEST(packed_filters_take_what_is_added_to_their_channels) {
  for (const KernelTable* kernels : compiled_kernels()) {
    // The plain kernel rounds the sum of doubles and bias once.
    if (kernels->variant == Variant::reference) continue;
    for (const Shape& bias_shape : {Shape{9, 1}, Shape{4}, Shape{1, 9, 1}, Shape{9, 4}}) {
      Random random(10);
      const Floats x = bell(random, 2 * 30 * 4);
      const Floats filters = bell(random, 9 * 30);
      const Floats bias = bell(random, static_cast<size_t>(*bias_shape.element_count()));
      std::vector<Floats> results;
      for (const bool packs_filters : {false, true}) {
        GraphBuilder builder;
        const ValueId input = builder.add_input("x", ElementType::f32, Shape{2, 30, 1, 4});
        const ValueId w = builder.add_constant("w", tensor_of({9, 30, 1, 1}, filters));
        const ValueId b = builder.add_constant("b", tensor_of(bias_shape, bias));
        const auto image = builder.add("convolution", std::array{input, w});
        ASSERT_TRUE(image.has_value());
        const auto shape = builder.add_integers("shape", std::vector<int64_t>{2, 9, 4});
        const auto sums = builder.add("reshape", std::array{*image, *shape});
        ASSERT_TRUE(sums.has_value());
        const auto sum = builder.add("add", std::array{*sums, b});
        ASSERT_TRUE(sum.has_value());
        const auto y = builder.add("relu", {&*sum, 1});
        const auto graph = builder.finish({*y}, {WeightType::f32, kernels, packs_filters});
        ASSERT_TRUE(graph.has_value());
        auto plan = make_plan(*graph, std::array{Shape{2, 30, 1, 4}});
        ASSERT_TRUE(plan.has_value());
        const bool is_taken = packs_filters && bias_shape == Shape{9, 1};
        EXPECT_EQ(plan->steps.size(), is_taken ? 3u : 4u);
        auto run = GraphRun::make(*graph, std::move(*plan), *kernels);
        ASSERT_TRUE(run.has_value());
        run->set_input(0, x.data());
        ASSERT_TRUE(run->run().has_value());
        const auto values = run->output(0).as<float>();
        results.emplace_back(values.begin(), values.end());
      }
      EXPECT_TRUE(results[0] == results[1]);
    }
  }
}

SUSURRUS_TEST(lstm_of_every_direction_and_weight_type) {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  for (const KernelTable* kernels : compiled_kernels()) {
    for (const WeightType type : {WeightType::f32, WeightType::q8_0}) {
      for (int64_t direction = 0; direction < 3; ++direction) {
        Random random(8 + static_cast<uint64_t>(direction));
        const size_t steps = 4;
        const size_t batch = 2;
        const size_t in = 45;
        const size_t hidden = 34;
        const size_t directions = direction == 2 ? 2 : 1;
        const Floats x = bell(random, steps * batch * in);
        const Floats w = bell(random, directions * 4 * hidden * in, 0.3F);
        const Floats r = bell(random, directions * 4 * hidden * hidden, 0.3F);
        const Floats bias = bell(random, directions * 8 * hidden, 0.3F);
        const Floats h0 = bell(random, directions * batch * hidden);
        const Floats c0 = bell(random, directions * batch * hidden);
        const Node node{"lstm",
                        {{steps, batch, in},
                         {directions, 4 * hidden, in},
                         {directions, 4 * hidden, hidden},
                         {directions, 8 * hidden},
                         {directions, batch, hidden},
                         {directions, batch, hidden}},
                        {x, w, r, bias, h0, c0},
                        true,
                        {{"direction", direction}},
                        3,
                        type};
        const auto y = node.run(*kernels);
        ASSERT_EQ(y.size(), 3u);
        std::vector<double> all(steps * directions * batch * hidden);
        std::vector<double> h(h0.begin(), h0.end());
        std::vector<double> c(c0.begin(), c0.end());
        for (size_t d = 0; d < directions; ++d) {
          for (size_t step = 0; step < steps; ++step) {
            const size_t t = direction == 1 || d == 1 ? steps - 1 - step : step;
            for (size_t b = 0; b < batch; ++b) {
              double* own_h = h.data() + (d * batch + b) * hidden;
              double* own_c = c.data() + (d * batch + b) * hidden;
              std::vector<double> gates;
              for (size_t gate = 0; gate < 4 * hidden; ++gate) {
                double sum = static_cast<double>(bias[d * 8 * hidden + gate]) +
                             static_cast<double>(bias[d * 8 * hidden + 4 * hidden + gate]);
                const size_t row = d * 4 * hidden + gate;
                for (size_t k = 0; k < in; ++k) {
                  sum += static_cast<double>(w[row * in + k]) *
                         static_cast<double>(x[(t * batch + b) * in + k]);
                }
                for (size_t k = 0; k < hidden; ++k) {
                  sum += static_cast<double>(r[row * hidden + k]) * own_h[k];
                }
                gates.push_back(sum);
              }
              for (size_t i = 0; i < hidden; ++i) {
                own_c[i] = sigmoid(gates[2 * hidden + i]) * own_c[i] +
                           sigmoid(gates[i]) * std::tanh(gates[3 * hidden + i]);
                own_h[i] = sigmoid(gates[hidden + i]) * std::tanh(own_c[i]);
                all[((t * directions + d) * batch + b) * hidden + i] = own_h[i];
              }
            }
          }
        }
        const double limit = type == WeightType::f32 ? 2e-6 : 0.05;
        EXPECT_LT(difference(y[0], all), limit);
        EXPECT_LT(difference(y[1], h), limit);
        EXPECT_LT(difference(y[2], c), limit);
        if (type == WeightType::q8_0) EXPECT_GT(difference(y[0], all), 2e-6);
      }
    }
  }
}

}  // namespace susurrus::testing::products_test
