// BW2L's architecture lines as graphs: small networks worked out by hand, and what has to be rejected (bw2l.md §4, 20 to 27).
#include "graph/bw2l/bw2l_network.h"

#include <cmath>

#include "graph/graph_run.h"
#include "graph/small_bw2l.h"
#include "harness.h"

namespace susurrus::testing::bw2l_network_test {
namespace {

void expect_values(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5);
}

/// The error names the layer and says what was expected; `features` is 4.
void expect_refused(const Bw2lLayers& layers, std::string_view subject, std::string_view expected,
                    ErrorCode code = ErrorCode::malformed) {
  const auto network = layers.compile(4);
  if (!EXPECT_FALSE(network.has_value())) return;
  EXPECT_TRUE(network.error().code == code);
  EXPECT_TRUE(network.error().subject.view().starts_with(subject));
  EXPECT_EQ(network.error().expected.view(), expected);
}

/// Bw2lLayers that make (4, T, 1, 1) of (T, 4, 1, 1).
Bw2lLayers turned() {
  Bw2lLayers layers;
  layers.add("RO 1 0 2 3");
  return layers;
}

}  // namespace

SUSURRUS_TEST(bw2l_linear_layers_have_the_outputs_of_an_input_adjacent) {
  const Bw2lLayers layers = turned().add("L 2 3", {{1, 2, 3, 10, 20, 30}, {0.5F, 0, 0}});
  // Frames (1, 5), (2, 6).
  expect_values(layers.run(2, {1, 2, 5, 6}), {51.5F, 102, 153, 62.5F, 124, 186});
}

SUSURRUS_TEST(bw2l_integers_stand_for_scaled_differences) {
  for (const int offset : {0, -3}) {
    const auto shifted = [&](int value) { return static_cast<int8_t>(value + offset); };
    Bw2lLayers layers = turned();
    layers.add<int8_t>("L 2 1 0", Bw2lDtype::i8, {{shifted(4), shifted(-6)}}, 0.5F, offset);
    expect_values(layers.run(2, {1, 2, 5, 6}), {2 - 15, 4 - 18});
  }
  Bw2lLayers wide = turned();
  wide.add<double>("L 2 1", Bw2lDtype::fp64, {{2, 3}, {1}}, 7, 7);
  expect_values(wide.run(2, {1, 2, 5, 6}), {18, 23});
  Bw2lLayers half = turned();
  half.add<uint16_t>("L 2 1 0", Bw2lDtype::fp16, {{0x3C00, 0xC000}});  // 1, -2
  expect_values(half.run(2, {1, 2, 5, 6}), {-9, -10});
}

SUSURRUS_TEST(bw2l_convolutions_pad_by_what_the_recording_leaves) {
  // Taps 1, 10, 100 at a stride of 2, SAME: one frame on each side of an even number of frames leaves r = 2.
  Bw2lLayers layers;
  layers.add("C 1 1 3 2 -1", {{1, 10, 100}, {0}}).add("RO 1 0 2 3");
  expect_values(layers.run(1, {1, 2, 3, 4, 5}), {210, 432, 54});
  expect_values(layers.run(1, {1, 2, 3, 4}), {210, 432});
}

SUSURRUS_TEST(bw2l_asymmetric_convolutions_look_ahead_or_back) {
  for (const auto& [future, expected] :
       {std::pair<const char*, Floats>{"1", {3, 0, 0}}, {"0.5", {2, 3, 0}}, {"0", {1, 2, 3}}}) {
    // The last of three taps alone, padded by one.
    Bw2lLayers layers;
    layers.add("AC 1 1 3 1 1 " + std::string(future), {{0, 0, 1}, {0}}).add("RO 1 0 2 3");
    Floats got = layers.run(1, {1, 2, 3});
    expect_values(got, expected);
  }
}

SUSURRUS_TEST(bw2l_pools_leave_padding_out_of_a_maximum_and_count_it_in_a_mean) {
  Bw2lLayers most;
  most.add("M 2 1 2 1 1 0").add("RO 1 0 2 3");
  expect_values(most.run(1, {-1, -2, -3, -4}), {-1, -2, -4});
  Bw2lLayers mean;
  mean.add("A 2 1 2 1 1 0").add("RO 1 0 2 3");
  expect_values(mean.run(1, {-1, -2, -3, -4}), {-0.5F, -2.5F, -2});
}

SUSURRUS_TEST(bw2l_norms_are_over_the_listed_dimensions) {
  Bw2lLayers layers;
  layers.add("LN 1 2", {{2}, {1}}).add("RO 1 0 2 3");
  expect_values(layers.run(2, {1, 5, 3, 5}), {-1 + 1e-5F, 3 - 1e-5F, 1, 1});
}

SUSURRUS_TEST(bw2l_weight_norms_are_folded) {
  Bw2lLayers layers = turned();
  layers.add("WN 0 L 2 2", {{3, 0, 4, 2}, {10, 6}, {0, 1}});
  expect_values(layers.run(2, {1, 5}), {46, 31});
}

SUSURRUS_TEST(bw2l_residual_blocks_add_what_skipped_their_layers) {
  Bw2lLayers layers;
  layers.add("RES 2 2\nC 1 1 1 1\nSKIP 0 2 3\nR\nSKIPL 0 3 1\nC 1 1 1 1", {{-2}, {0}, {10}, {1}})
      .add("RO 1 0 2 3");
  // (-2x + x) · 3, what is negative of it cut, plus 10x + 1.
  expect_values(layers.run(1, {1, -1}), {11, 3 - 9});
}

SUSURRUS_TEST(bw2l_networks_tell_how_frames_follow_from_frames) {
  Bw2lLayers layers;
  layers.add("V -1 1 NFEAT 0").add("PD 0 6 3").add_sized("C2 4 2 10 1 2 1", {80, 2});
  layers.add_sized("TDS 2 9 1 0 0 1 0", {36, 2, 1, 1, 4, 2, 4, 2, 1, 1})
      .add("RO 2 0 3 1")
      .add_sized("L 2 NLABEL", {6, 3});
  const auto network = layers.compile(4, 1, 3);
  ASSERT_TRUE(network.has_value());
  EXPECT_EQ(network->output_count, 3u);
  EXPECT_EQ(network->timing.stride, 2.0);
  EXPECT_EQ(network->timing.first, -6.0 - 2 * 7);
  EXPECT_EQ(network->timing.last, 3.0 + 2 * 1);
  EXPECT_FALSE(network->timing.sees_all);
  const auto whole = turned().add_sized("LN 0 1", {1, 1}).compile(4);
  ASSERT_TRUE(whole.has_value());
  EXPECT_TRUE(whole->timing.sees_all);
}

SUSURRUS_TEST(bw2l_recordings_that_are_too_short_are_refused_by_the_layer) {
  Bw2lLayers layers;
  layers.add_sized("C 1 1 5 1", {5, 1}).add("RO 1 0 2 3");
  const auto network = layers.compile(1);
  ASSERT_TRUE(network.has_value());
  const Shape shape{1, 1, 1, 4};
  const auto plan = make_plan(network->graph, {&shape, 1});
  ASSERT_FALSE(plan.has_value());
  EXPECT_TRUE(plan.error().code == ErrorCode::shape_mismatch);
  EXPECT_TRUE(plan.error().subject.view().starts_with("layers[0] (C 1 1 5 1)"));
}

SUSURRUS_TEST(bw2l_case_20_lines_that_are_no_layer) {
  expect_refused(Bw2lLayers().add("XYZ 1"), "layers[0]", "a layer that BW2L defines",
                 ErrorCode::unsupported_operator);
  expect_refused(turned().add("GLU"), "layers[1]", "1 to 1 words after GLU");
  expect_refused(turned().add("GLU x"), "layers[1]", "a number instead of x");
  expect_refused(turned().add("V 1.5 0 0 0"), "layers[1] (V 1.5 0 0 0)",
                 "a whole number from -1 as word 1");
  for (const char* code : {"RNN", "GRU", "LSTM"}) {
    expect_refused(Bw2lLayers().add_sized(std::string(code) + " 4 4", {1}),
                   "layers[0] (" + std::string(code) + " 4 4)",
                   "a layer other than RNN, GRU and LSTM", ErrorCode::unsupported_operator);
  }
}

SUSURRUS_TEST(bw2l_case_21_too_few_or_too_many_arrays) {
  expect_refused(turned().add_sized("L 4 2", {8, 2, 2}), "layers[1] (L 4 2)", "arrays, at least 1");
  expect_refused(turned().add_sized("LN 0", {1}), "layers[1] (LN 0)", "arrays, at least 2");
  expect_refused(turned().add_sized("WN 0 C 1 1 1 1", {1, 1}), "layers[1] (WN 0 C 1 1 1 1)",
                 "arrays: 2");
  expect_refused(turned().add_sized("BN 4 0", {4, 4}), "layers[1] (BN 4 0)",
                 "a batch norm with its running statistics", ErrorCode::unsupported_operator);
}

SUSURRUS_TEST(bw2l_case_22_arrays_of_another_size) {
  expect_refused(turned().add_sized("L 4 2", {7, 2}), "layers[1] (L 4 2)",
                 "elements in array 0: 8");
  expect_refused(turned().add_sized("L 4 2", {8, 3}), "layers[1] (L 4 2)",
                 "elements in array 1: 2");
  expect_refused(Bw2lLayers().add_sized("C2 1 2 3 2 1 1", {11, 2}), "layers[0]",
                 "elements in array 0: 12");
  expect_refused(turned().add_sized("WN 0 L 4 2", {8, 4, 2}), "layers[1]",
                 "elements in array 1: 2");
  expect_refused(Bw2lLayers().add_sized("TDS 1 3 4", {3, 1, 1, 1, 15, 4, 16, 4, 1, 1}), "layers[0]",
                 "elements in array 4: 16");
  expect_refused(Bw2lLayers().add_sized("L 1073741824 1073741824", {1}), "layers[0]",
                 "elements in array 0: 1152921504606846976");
}

SUSURRUS_TEST(bw2l_case_23_neighbours_that_do_not_fit) {
  expect_refused(turned().add_sized("L 3 2", {6, 2}), "layers[1] (L 3 2)",
                 "dimension 0 of its input: 3");
  expect_refused(Bw2lLayers().add_sized("C 2 1 1 1", {2, 1}), "layers[0]",
                 "dimension 2 of its input: 2");
  expect_refused(turned().add("V 3 -1 1 1").add("V 5 0 1 1"), "layers[2] (V 5 0 1 1)",
                 "elements: 3");
  expect_refused(Bw2lLayers().add("V 0 3 -1 1"), "layers[0] (V 0 3 -1 1)", "a divisor of 4");
  expect_refused(Bw2lLayers().add("V -1 -1 1 1"), "layers[0]", "-1 once");
}

SUSURRUS_TEST(bw2l_case_24_what_is_no_permutation) {
  expect_refused(Bw2lLayers().add("RO 0 1 1 3"), "layers[0] (RO 0 1 1 3)", "each of 0 to 3 once");
  expect_refused(Bw2lLayers().add("RO 0 1 2 4"), "layers[0]", "a dimension from 0 to 3 as word 4");
}

SUSURRUS_TEST(bw2l_case_25_windows_that_cannot_be) {
  expect_refused(Bw2lLayers().add_sized("C 1 1 0 1", {0, 1}), "layers[0]",
                 "a whole number from 1 as word 3");
  expect_refused(Bw2lLayers().add_sized("C 1 1 1 0", {1, 1}), "layers[0]",
                 "a whole number from 1 as word 4");
  expect_refused(Bw2lLayers().add_sized("C 1 1 1 1 0 0", {1, 1}), "layers[0]",
                 "a whole number from 1 as word 6");
  expect_refused(Bw2lLayers().add("M 1 2 1 0"), "layers[0]", "a whole number from 1 as word 4");
  expect_refused(Bw2lLayers().add_sized("TDS 1 3 4 0 0 3", {3, 1, 1, 1, 16, 4, 16, 4, 1, 1}),
                 "layers[0]", "padding on the right of at most k - 1");
  Bw2lLayers odd = turned().add_sized("L 4 3", {12, 3});
  expect_refused(odd.add("GLU 0"), "layers[2] (GLU 0)", "an even size of dimension 0");
  expect_refused(Bw2lLayers().add_sized("C2 1 1 1 5 1 1", {5, 1}), "layers[0]",
                 "a window of at most 4");
}

SUSURRUS_TEST(bw2l_case_26_residual_blocks_that_lack_something) {
  expect_refused(Bw2lLayers().add("RES 2 0\nR"), "layers[0]",
                 "the lines of one layer, all of them");
  expect_refused(Bw2lLayers().add("RES 2 1\nR\nR\nSKIP 1 2"), "layers[0] (SKIP 1 2)",
                 "a skip over a layer or more, within the block");
  expect_refused(Bw2lLayers().add("RES 2 1\nR\nR\nSKIP 1 4"), "layers[0] (SKIP 1 4)",
                 "a skip over a layer or more, within the block");
  expect_refused(Bw2lLayers().add("RES 1 1\nR\nR"), "layers[0] (RES 1 1)", "layers: 1");
}

SUSURRUS_TEST(bw2l_blocks_in_blocks_cannot_make_endless_networks) {
  std::string lines;
  for (int depth = 0; depth < 6; ++depth) lines += "RES 1 0 4096\n";
  for (const char* last : {"DO 0", "R"}) {
    expect_refused(Bw2lLayers().add(lines + last), "layers[0]", "a network of fewer parts",
                   ErrorCode::limit_exceeded);
  }
}

SUSURRUS_TEST(bw2l_case_27_outputs_that_are_no_emissions) {
  expect_refused(Bw2lLayers().add("R"), "layers", "an output of labels × frames × 1 × 1");
  EXPECT_FALSE(Bw2lLayers().compile(4).has_value());
}

SUSURRUS_TEST(bw2l_case_34_weights_that_are_no_numbers_are_told) {
  const auto network = turned().add("L 1 1 0", {{NAN}}).compile(1);
  ASSERT_TRUE(network.has_value());
  ASSERT_EQ(network->warnings.size(), 1u);
  EXPECT_EQ(network->warnings[0], "layers[1] (L 1 1 0) has weights that are no numbers");
}

}  // namespace susurrus::testing::bw2l_network_test
