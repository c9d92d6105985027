#include "families/transducer/transducer_networks.h"

#include <cmath>

#include "families/transducer/small_transducer.h"
#include "harness.h"

namespace susurrus::testing::transducer_networks_test {
namespace {

using testing::AprilBuilder;
using testing::onnx_node;
using testing::SmallTransducer;

/// Its logits are what the encoder and the decoder return.
SmallTransducer transparent() {
  SmallTransducer small;
  for (size_t i = 0; i < 4; ++i) small.weights[i * 4 + i] = 1;
  for (size_t token = 0; token < 4; ++token) {
    for (size_t i = 0; i < 4; ++i) small.embedding[token * 4 + i] = 10 * static_cast<float>(token);
  }
  return small;
}

void encode(TransducerNetworks& networks, uint64_t cost) {
  networks.begin_encoding();
  for (;;) {
    const auto is_done = networks.encode(cost);
    ASSERT_TRUE(is_done.has_value());
    if (*is_done) return;
  }
}

Error error_of(const SmallTransducer& small) {
  auto model = small.make();
  if (!model) return model.error();
  auto networks = TransducerNetworks::make(**model);
  EXPECT_FALSE(networks.has_value());
  return networks ? Error{} : networks.error();
}

}  // namespace

SUSURRUS_TEST(transducer_networks_keep_the_encoders_state) {
  SmallTransducer by_name = transparent();
  // Names that the format does not know: bound by order.
  SmallTransducer by_order = transparent();
  by_order.edit = [](AprilBuilder& file) {
    auto& encoder = file.networks[0];
    encoder.inputs[1].name = "hidden";
    encoder.nodes[1] = onnx_node("Add", {"mean", "hidden"}, {"encoder_out"});
    encoder.nodes[3] = onnx_node("Add", {"hidden", "one"}, {"next_c"});
  };
  // Right names in another order.
  SmallTransducer turned = transparent();
  turned.edit = [](AprilBuilder& file) {
    std::swap(file.networks[0].inputs[1], file.networks[0].inputs[2]);
    std::swap(file.networks[2].inputs[0], file.networks[2].inputs[1]);
  };
  for (const SmallTransducer& small : {by_name, by_order, turned}) {
    for (uint64_t cost : {uint64_t{1}, ~uint64_t{0}}) {
      const auto model = small.make();
      ASSERT_TRUE(model.has_value());
      auto networks = TransducerNetworks::make(**model);
      ASSERT_TRUE(networks.has_value());
      const std::span<float> segment = networks->segment();
      ASSERT_EQ(segment.size(), 9 * 4);
      ASSERT_TRUE(networks->set_context(std::vector<int64_t>{1, 2}).has_value());
      constexpr float kState[] = {0, 0, 1, 1, 2, 2};
      for (int run = 0; run < 6; ++run) {
        for (size_t i = 0; i < segment.size(); ++i) {
          segment[i] = static_cast<float>(i / 4 + i % 4 * 100) + static_cast<float>(run) / 4;
        }
        encode(*networks, cost);
        const auto logits = networks->logits();
        ASSERT_TRUE(logits.has_value());
        ASSERT_EQ((*logits).size(), 4);
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_NEAR((*logits)[i], 4 + 100 * i + run / 4.0 + kState[run] + 15, 1e-4);
        }
      }
      // Another context, the encoder's output as it is.
      ASSERT_TRUE(networks->set_context(std::vector<int64_t>{3, 3}).has_value());
      const auto logits = networks->logits();
      ASSERT_TRUE(logits.has_value());
      EXPECT_NEAR((*logits)[0], 4 + 5 / 4.0 + 2 + 30, 1e-4);
    }
  }
}

SUSURRUS_TEST(transducer_networks_must_make_what_the_file_says) {
  struct Case {
    void (*edit)(AprilBuilder&);
    ErrorCode code;
    std::string_view subject, expected, got;
  };
  const Case cases[] = {
      {[](AprilBuilder& file) {
         file.networks[0].nodes[3] =
             onnx_node("ReduceMean", {"h"}, {"next_c"}, {{"axes", {2}}, {"keepdims", {1}}});
       },
       ErrorCode::malformed, "encoder.next_c", "f32 1×1×4", "f32 1×1×1"},
      {[](AprilBuilder& file) {
         file.networks[0].nodes[0] =
             onnx_node("ReduceMean", {"x"}, {"mean"}, {{"axes", {1}}, {"keepdims", {0}}});
         file.networks[0].nodes[1] = onnx_node("Identity", {"mean"}, {"encoder_out"});
       },
       ErrorCode::malformed, "encoder.encoder_out", "f32 1×1×4", "f32 1×4"},
      {[](AprilBuilder& file) {
         file.networks[1].nodes[1] = onnx_node("Identity", {"rows"}, {"decoder_out"});
       },
       ErrorCode::malformed, "decoder.decoder_out", "f32 1×1×4", "f32 1×2×4"},
      {[](AprilBuilder& file) {
         file.networks[1].nodes = {
             onnx_node("Concat", {"context", "context"}, {"two"}, {{"axis", {1}}}),
             onnx_node("Unsqueeze", {"two"}, {"decoder_out"}, {{"axes", {0}}})};
       },
       ErrorCode::malformed, "decoder.decoder_out", "f32 1×1×4", "i64 1×1×4"},
      {[](AprilBuilder& file) {
         file.networks[2].nodes[1] =
             onnx_node("Concat", {"sum", "sum"}, {"logits"}, {{"axis", {2}}});
       },
       ErrorCode::malformed, "joiner.logits", "f32 1×1×4", "f32 1×1×8"},
      {[](AprilBuilder& file) { file.networks[0].inputs[2].element_type = 7; },
       ErrorCode::malformed, "encoder.c", "f32", "i64"},
      {[](AprilBuilder& file) {
         file.networks[0].nodes[1] = onnx_node("Hyperbolise", {"mean"}, {"encoder_out"});
       },
       ErrorCode::unsupported_operator,
       "encoder: node 1 \"of encoder_out\" (Hyperbolise): Hyperbolise",
       "an operator that is run here", ""},
      {[](AprilBuilder& file) {
         file.networks[2].tensors = {
             testing::onnx_weights("weights", {5, 4}, std::vector<float>(20))};
       },
       ErrorCode::shape_mismatch,
       {},
       {},
       {}},
  };
  for (const Case& one : cases) {
    SmallTransducer small;
    small.edit = one.edit;
    const Error error = error_of(small);
    EXPECT_EQ(error.code, one.code);
    EXPECT_NE(error.offset, kNoOffset);
    if (one.subject.empty()) {
      EXPECT_TRUE(error.subject.view().starts_with("joiner: node 1 \"of logits\""));
      continue;
    }
    EXPECT_EQ(error.subject.view(), one.subject);
    EXPECT_EQ(error.expected.view(), one.expected);
    EXPECT_EQ(error.got.view(), one.got);
  }
}

SUSURRUS_TEST(transducer_networks_that_are_no_onnx_are_refused) {
  for (size_t network = 0; network < kAprilNetworks; ++network) {
    SmallTransducer small;
    uint64_t place = 0;
    small.edit = [&](AprilBuilder& file) {
      file.network_bytes[network] = testing::Bytes(40, 0xFF);
      file.build();
      place = file.part_at[network];
    };
    const auto model = small.make();
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().code, ErrorCode::malformed);
    EXPECT_TRUE(model.error().subject.view().starts_with(kAprilNetworkNames[network]));
    EXPECT_TRUE(model.error().offset >= place && model.error().offset < place + 40);
  }
}

SUSURRUS_TEST(transducer_models_of_the_unknown_type_are_refused) {
  SmallTransducer small;
  small.edit = [](AprilBuilder& file) { file.model_type = 0; };
  const auto model = small.make();
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, ErrorCode::unsupported_feature);
  EXPECT_EQ(model.error().subject.view(), "model_type");
}

}  // namespace susurrus::testing::transducer_networks_test
