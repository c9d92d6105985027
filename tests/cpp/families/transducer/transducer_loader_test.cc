// .april files that are pushed in pieces: the same model as from whole bytes, its matrices packed on the way.
#include "families/transducer/transducer_loader.h"

#include "families/transducer/small_transducer.h"
#include "families/transducer/transducer_networks.h"
#include "kernels/kernel_support.h"

namespace susurrus::testing::transducer_loader_test {
namespace {

constexpr int32_t kBands = 64;

std::vector<float> bell(Random& random, size_t count, float deviation) {
  std::vector<float> values(count);
  for (float& value : values) value = deviation * random.bell();
  return values;
}

/// A file whose encoder has a MatMul, a Gemm and an LSTM with weights of their own, each of more than 16 KiB.
Bytes file_with_products() {
  SmallTransducer small(kBands);
  Random random(17);
  small.embedding = bell(random, small.embedding.size(), 1);
  small.weights = bell(random, small.weights.size(), 1);
  Bytes file;
  small.edit = [&](AprilBuilder& april) {
    OnnxBuilder& encoder = april.networks[0];
    const auto weights = [&](std::string_view name, const std::vector<int64_t>& dims) {
      size_t count = 1;
      for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
      encoder.tensors.push_back(onnx_weights(name, dims, bell(random, count, 0.12F)));
    };
    weights("up", {kBands, 150});
    weights("down", {kBands, 150});
    weights("bias", {kBands});
    weights("W", {1, 4 * kBands, kBands});
    weights("R", {1, 4 * kBands, kBands});
    encoder.nodes = {onnx_node("ReduceMean", {"x"}, {"mean"}, {{"axes", {1}}, {"keepdims", {1}}}),
                     onnx_node("MatMul", {"mean", "up"}, {"wide"}),
                     onnx_node("Tanh", {"wide"}, {"bent"}),
                     onnx_node("Squeeze", {"bent"}, {"row"}, {{"axes", {0}}}),
                     onnx_node("Gemm", {"row", "down", "bias"}, {"narrow"}, {{"transB", {1}}}),
                     onnx_node("Unsqueeze", {"narrow"}, {"again"}, {{"axes", {0}}}),
                     onnx_node("LSTM", {"again", "W", "R", "", "", "h", "c"},
                               {"all", "next_h", "next_c"}, {{"hidden_size", {kBands}}}),
                     onnx_node("Squeeze", {"all"}, {"encoder_out"}, {{"axes", {0}}})};
    file = april.build();
  };
  EXPECT_TRUE(small.make().has_value());
  return file;
}

Result<std::unique_ptr<TransducerModel>> load(const Bytes& file, size_t piece,
                                              const WeightOptions& weights) {
  TransducerLoader loader(weights);
  loader.set_file_byte_count(file.size());
  for (ByteSpan left = file; !left.empty();) {
    const size_t count = std::min(piece, left.size());
    SUSURRUS_RETURN_IF_ERROR(loader.push(left.first(count)));
    left = left.subspan(count);
  }
  return loader.finish();
}

/// Logits of the first context after three segments of the same frames.
std::vector<float> logits_of(const TransducerModel& model) {
  auto networks = TransducerNetworks::make(model);
  if (!EXPECT_TRUE(networks.has_value())) return {};
  Random random(3);
  const std::vector<float> frames = bell(random, networks->segment().size(), 1);
  std::copy(frames.begin(), frames.end(), networks->segment().begin());
  for (int i = 0; i < 3; ++i) {
    networks->begin_encoding();
    if (!EXPECT_TRUE(networks->encode(~uint64_t{0}).has_value())) return {};
  }
  const std::vector<int64_t> context(model.context_size(), 1);
  if (!EXPECT_TRUE(networks->set_context(context).has_value())) return {};
  const auto logits = networks->logits();
  if (!EXPECT_TRUE(logits.has_value())) return {};
  return {logits->begin(), logits->end()};
}

}  // namespace

SUSURRUS_TEST(april_in_pieces_is_the_model_of_the_whole_file) {
  const Bytes file = file_with_products();
  const auto whole = read_transducer(file);
  ASSERT_TRUE(whole.has_value());
  const std::vector<float> expected = logits_of(**whole);
  ASSERT_EQ(expected.size(), 4u);
  for (const size_t piece : {size_t{1}, size_t{97}, size_t{4096}, file.size()}) {
    const auto model = load(file, piece, {});
    ASSERT_TRUE(model.has_value());
    const std::vector<float> got = logits_of(**model);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]);
  }
}

SUSURRUS_TEST(april_is_packed_while_it_comes) {
  const Bytes file = file_with_products();
  const auto plain = load(file, 1000, {});
  const auto packed = load(file, 1000, {WeightType::q8_0});
  const auto packed_in_bytes = load(file, 1, {WeightType::q8_0});
  ASSERT_TRUE(plain && packed && packed_in_bytes);
  // 34 bytes for 32 weights of 4 bytes, and columns up to whole blocks: 150 become 160.
  EXPECT_LT((*packed)->weight_byte_count(), (*plain)->weight_byte_count() / 3);
  const std::vector<float> expected = logits_of(**plain);
  const std::vector<float> got = logits_of(**packed);
  ASSERT_EQ(got.size(), expected.size());
  bool differs = false;
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 0.05);
    differs = differs || got[i] != expected[i];
  }
  EXPECT_TRUE(differs);
  EXPECT_TRUE(logits_of(**packed_in_bytes) == got);
}

SUSURRUS_TEST(april_that_ends_too_early_or_is_damaged_is_refused_in_pieces) {
  const Bytes file = file_with_products();
  for (size_t size = 0; size < file.size(); size += 1 + file.size() / 31) {
    TransducerLoader loader({WeightType::q8_0});
    const Bytes part(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    const Status status = loader.push(part);
    EXPECT_TRUE(!status || !loader.finish());
  }
  // Whatever a byte is changed to: a model or an error, the same in one piece and in many.
  for (size_t at = 120; at < file.size(); at += 1 + file.size() / 101) {
    Bytes damaged = file;
    damaged[at] ^= 0x55;
    const auto whole = load(damaged, damaged.size(), {WeightType::q8_0});
    const auto pieces = load(damaged, 61, {WeightType::q8_0});
    ASSERT_EQ(whole.has_value(), pieces.has_value());
    if (whole) continue;
    EXPECT_TRUE(whole.error().code == pieces.error().code);
    EXPECT_EQ(whole.error().offset, pieces.error().offset);
  }
}

SUSURRUS_TEST(a_matrix_that_is_read_in_two_ways_stays_as_it_is) {
  SmallTransducer small(kBands);
  Random random(18);
  const std::vector<float> square = bell(random, kBands * kBands, 0.12F);
  small.weights = bell(random, small.weights.size(), 1);
  Bytes file;
  small.edit = [&](AprilBuilder& april) {
    OnnxBuilder& encoder = april.networks[0];
    encoder.tensors.push_back(onnx_weights("square", {kBands, kBands}, square));
    encoder.nodes = {
        onnx_node("ReduceMean", {"x"}, {"mean"}, {{"axes", {1}}, {"keepdims", {1}}}),
        onnx_node("MatMul", {"mean", "square"}, {"turned"}),
        onnx_node("ReduceMean", {"square"}, {"flat"}, {{"axes", {0}}, {"keepdims", {1}}}),
        onnx_node("Add", {"turned", "flat"}, {"encoder_out"}),
        onnx_node("Identity", {"c"}, {"next_h"}),
        onnx_node("Identity", {"h"}, {"next_c"})};
    file = april.build();
  };
  ASSERT_TRUE(small.make().has_value());
  const auto model = load(file, 4096, {});
  ASSERT_TRUE(model.has_value());
  auto networks = TransducerNetworks::make(**model);
  ASSERT_TRUE(networks.has_value());
  const std::vector<float> frames = bell(random, networks->segment().size(), 1);
  std::copy(frames.begin(), frames.end(), networks->segment().begin());
  networks->begin_encoding();
  ASSERT_TRUE(networks->encode(~uint64_t{0}).has_value());
  const std::array<int64_t, 2> context = {};
  ASSERT_TRUE(networks->set_context(context).has_value());
  const auto logits = networks->logits();
  ASSERT_TRUE(logits.has_value());
  std::vector<double> expected(4);
  for (size_t column = 0; column < kBands; ++column) {
    double sum = 0;
    for (size_t row = 0; row < kBands; ++row) {
      double mean = 0;
      for (size_t frame = 0; frame < 9; ++frame) {
        mean += static_cast<double>(frames[frame * kBands + row]) / 9;
      }
      sum += (mean + 1.0 / kBands) * static_cast<double>(square[row * kBands + column]);
    }
    for (size_t i = 0; i < 4; ++i) {
      expected[i] += sum * static_cast<double>(small.weights[column * 4 + i]);
    }
  }
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR((*logits)[i], expected[i], 1e-4);
}

}  // namespace susurrus::testing::transducer_loader_test
