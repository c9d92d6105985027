#include "container/tennis/tennis_reader.h"

#include "container/tennis/tennis_names.h"
#include "container/tennis/tennis_values.h"
#include "container/tennis_recording.h"
#include "harness.h"

namespace susurrus::testing::tennis_reader_test {
namespace {

uint32_t next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

/// What the builder put in, field by field.
void expect_read(TennisBuilder builder, const TennisRecording& read) {
  builder.build();
  EXPECT_EQ(read.header.reserved_word, builder.reserved_word);
  EXPECT_TRUE(Bytes(read.header.user_bytes.begin(), read.header.user_bytes.end()) ==
              builder.user_bytes);
  EXPECT_TRUE(std::vector<int32_t>(read.inputs.begin(), read.inputs.end()) == builder.inputs);
  EXPECT_TRUE(std::vector<int32_t>(read.outputs.begin(), read.outputs.end()) == builder.outputs);
  EXPECT_EQ(read.node_count, builder.nodes.size());
  ASSERT_EQ(read.nodes.size(), builder.nodes.size());
  for (size_t i = 0; i < read.nodes.size(); ++i) {
    const BuiltNode& built = builder.nodes[i];
    const TennisRecording::Node& node = read.nodes[i];
    EXPECT_TRUE(std::vector<int32_t>(node.arguments.begin(), node.arguments.end()) ==
                built.arguments);
    ASSERT_EQ(node.parameters.size(), built.parameters.size());
    for (size_t p = 0; p < node.parameters.size(); ++p) {
      EXPECT_EQ(node.parameters[p].name, built.parameters[p].name);
      ASSERT_EQ(node.parameters[p].fields.size(), built.parameters[p].fields.size());
      for (size_t f = 0; f < node.parameters[p].fields.size(); ++f) {
        const BuiltField& expected = built.parameters[p].fields[f];
        const TennisRecording::Field& field = node.parameters[p].fields[f];
        EXPECT_EQ(static_cast<int>(field.dtype), expected.dtype);
        ASSERT_EQ(field.shape.rank(), expected.shape.size());
        for (uint32_t d = 0; d < field.shape.rank(); ++d) {
          EXPECT_EQ(field.shape[d], expected.shape[d]);
        }
        EXPECT_TRUE(field.data == expected.data);
        EXPECT_EQ(field.file_offset,
                  builder.marks["node " + std::to_string(i) + " " + built.parameters[p].name + " " +
                                std::to_string(f) + " data"]);
      }
    }
  }
}

TennisRecording accepted(TennisBuilder builder) {
  const Bytes file = builder.build();
  TennisRecording read;
  const Status status = read_module(read, file, true, ~size_t{0});
  EXPECT_TRUE(status.has_value());
  if (!status) {
    std::printf("    %s\n", std::string(status.error().subject.view()).c_str());
    return read;
  }
  expect_read(builder, read);
  for (const size_t chunk_size : {1, 13}) {
    TennisRecording in_pieces;
    EXPECT_TRUE(read_module(in_pieces, file, false, chunk_size).has_value());
    EXPECT_TRUE(in_pieces == read);
  }
  return read;
}

}  // namespace

SUSURRUS_TEST(tennis_module_is_read_whole) {
  const TennisRecording read = accepted(small_module());
  EXPECT_TRUE(read.warnings.empty());
}

SUSURRUS_TEST(tennis_every_dtype_is_read_with_its_size) {
  const TennisRecording read = accepted(module_of_every_dtype());
  EXPECT_TRUE(read.warnings.empty());
  ASSERT_EQ(read.nodes.size(), 2u);
  EXPECT_EQ(read.nodes[0].parameters.size(), 32u + 3 + 2);
}

SUSURRUS_TEST(tennis_every_split_point_gives_the_same) {
  TennisBuilder builder = small_module();
  builder.behind = {1, 2, 3};
  const Bytes file = builder.build();
  TennisRecording whole;
  ASSERT_TRUE(read_module(whole, file).has_value());
  for (size_t split = 0; split <= file.size(); ++split) {
    TennisRecording read;
    bool is_first = true;
    ASSERT_TRUE(read_module(read, file, split % 2 == 0, [&] {
                  const size_t size = is_first ? split : file.size();
                  is_first = false;
                  return size;
                }).has_value());
    ASSERT_TRUE(read == whole);
  }
  uint32_t random = 11;
  for (int round = 0; round < 200; ++round) {
    TennisRecording read;
    ASSERT_TRUE(read_module(read, file, round % 2 == 0, [&] {
                  return next_random(random) % (1u << (next_random(random) % 10));
                }).has_value());
    ASSERT_TRUE(read == whole);
  }
}

SUSURRUS_TEST(tennis_every_cut_is_truncated_input_the_same_with_the_length_known_and_without) {
  const Bytes file = small_module().build();
  for (size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + size);
    Error errors[4];
    for (int i = 0; i < 4; ++i) {
      TennisRecording read;
      const Status status = read_module(read, cut, i % 2 == 0, i < 2 ? ~size_t{0} : 1);
      ASSERT_FALSE(status.has_value());
      errors[i] = status.error();
      EXPECT_EQ(errors[i].code, ErrorCode::truncated_input);
      EXPECT_EQ(errors[i].reason, ErrorReason::truncated);
      EXPECT_LE(errors[i].offset, size);
      EXPECT_EQ(errors[i].offset, errors[0].offset);
      EXPECT_EQ(errors[i].subject.view(), errors[0].subject.view());
      EXPECT_EQ(errors[i].expected.view(), errors[0].expected.view());
      EXPECT_EQ(errors[i].got.view(), errors[0].got.view());
    }
  }
}

SUSURRUS_TEST(tennis_counts_only_on_what_it_needs) {
  // A constant that no output needs, a <param> that none needs, no inputs at all, an empty name, ranks up to 8.
  TennisBuilder builder;
  builder.nodes = {
      node("<const>", "", {}, {parameter("value", float_field({1, 1, 1, 1, 1, 1, 1, 2}, {1, 2}))}),
      node("<param>", "unused", {}), node("softmax", "", {0})};
  builder.outputs = {2, 0};
  EXPECT_TRUE(accepted(builder).warnings.empty());
}

SUSURRUS_TEST(tennis_output_count_comes_in_any_numeric_type) {
  for (const BuiltField& one :
       {int32_field({1}, {1}), float_field({}, {1}), text_field("1"), text_field("true"),
        BuiltField{21, {}, {1}}, BuiltField{7, {}, {1, 0, 0, 0, 0, 0, 0, 0}},
        BuiltField{9, {}, {0, 0x3C}}, BuiltField{11, {1}, {0, 0, 0, 0, 0, 0, 0xF0, 0x3F}}}) {
    TennisBuilder builder = small_module();
    builder.nodes[5].parameters.push_back(parameter("#output_count", one));
    accepted(builder);
  }
}

SUSURRUS_TEST(tennis_what_cannot_be_run_is_described_with_a_warning) {
  const std::string no_outputs = "there are no outputs: the module cannot be run";
  const std::string no_op = ": without #op, cannot be run";
  TennisBuilder builder = small_module();
  builder.outputs.clear();
  EXPECT_TRUE(accepted(builder).warnings == std::vector<std::string>({no_outputs}));
  // The smallest file.
  builder.inputs.clear();
  builder.nodes.clear();
  EXPECT_TRUE(accepted(builder).warnings == std::vector<std::string>({no_outputs}));

  const auto remove_op = [](BuiltNode& node) {
    std::erase_if(node.parameters, [](const BuiltParameter& one) { return one.name == "#op"; });
  };
  builder = small_module();
  remove_op(builder.nodes[3]);
  const TennisRecording read = accepted(builder);
  EXPECT_TRUE(read.warnings == std::vector<std::string>({"node 3 \"conv\"" + no_op}));
  EXPECT_EQ(read.nodes[3].arguments.size(), 2u);
  // An empty one is none; an input and a node without arguments may be one.
  builder.nodes[2].parameters[0] = parameter("#op", text_field(""));
  builder.nodes[2].arguments.clear();
  remove_op(builder.nodes[0]);
  EXPECT_TRUE(accepted(builder).warnings ==
              std::vector<std::string>({"node 0 \"x\" and 2 more" + no_op}));
}

SUSURRUS_TEST(tennis_warns_about_what_is_acceptable) {
  TennisBuilder builder = small_module();
  builder.behind = Bytes(5, 0);
  std::vector<std::string> warnings = accepted(builder).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "5 bytes behind the graph are ignored");

  builder = small_module();
  builder.nodes[5].parameters.push_back(parameter(std::string(32, 'n'), int32_field({}, {1})));
  warnings = accepted(builder).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "node 5 \"second\": a parameter's name has 32 bytes or more");
  builder.nodes[5].parameters.back().name = std::string(31, 'n');
  EXPECT_TRUE(accepted(builder).warnings.empty());

  builder = small_module();
  builder.nodes[5] = node("crop_nd", "crop", {4}, {parameter("shfit", int32_field({1}, {1}))});
  warnings = accepted(builder).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "node 5 \"crop\": shfit is ignored, since shift would be meant");

  builder = small_module();
  builder.nodes.push_back(node("<param>", "x", {}));
  builder.inputs = {0, 6, 0};
  warnings = accepted(builder).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "two inputs have the name \"x\"");
}

SUSURRUS_TEST(tennis_chain_of_many_nodes_needs_no_stack) {
  TennisBuilder builder;
  builder.nodes.push_back(node("<param>", "x", {}));
  builder.inputs = {0};
  for (int32_t i = 1; i < 5000; ++i) builder.nodes.push_back(node("relu", "", {i - 1}));
  builder.outputs = {4999};
  TennisRecording read;
  EXPECT_TRUE(read_module(read, builder.build()).has_value());
  // The other way round: every reference goes forwards.
  builder.nodes.assign(5000, node("relu", "", {}));
  for (int32_t i = 0; i < 4999; ++i) builder.nodes[i].arguments = {i + 1};
  builder.nodes[4999] = node("<param>", "x", {});
  builder.inputs = {4999};
  builder.outputs = {0};
  EXPECT_TRUE(read_module(read, builder.build()).has_value());
}

SUSURRUS_TEST(tennis_numbers_of_every_type) {
  const auto number = [](int8_t dtype, Bytes bytes) {
    return tennis_number(*tennis_dtype_from_number(dtype), bytes).value_or(-99);
  };
  EXPECT_EQ(number(1, {0x80}), -128.0);
  EXPECT_EQ(number(2, {0x80}), 128.0);
  EXPECT_EQ(number(3, {0xFF, 0xFF}), -1.0);
  EXPECT_EQ(number(4, {0xFF, 0xFF}), 65535.0);
  EXPECT_EQ(number(5, {0xFE, 0xFF, 0xFF, 0xFF}), -2.0);
  EXPECT_EQ(number(6, {0xFE, 0xFF, 0xFF, 0xFF}), 4294967294.0);
  EXPECT_EQ(number(9, {0x00, 0xC4}), -4.0);
  EXPECT_EQ(number(9, {0x01, 0x00}), 5.9604644775390625e-08);
  EXPECT_EQ(number(9, {0x00, 0x7C}), INFINITY);
  EXPECT_EQ(number(10, {0, 0, 0x20, 0xC0}), -2.5);
  EXPECT_EQ(number(13, {'-', '1', '2'}), -12.0);
  EXPECT_EQ(number(13, {'f', 'a', 'l', 's', 'e'}), 0.0);
  EXPECT_EQ(number(21, {1}), 1.0);
  // Not one number.
  EXPECT_EQ(number(5, {0, 0, 0, 0, 0, 0, 0, 0}), -99.0);
  EXPECT_EQ(number(13, {}), -99.0);
  EXPECT_EQ(number(13, {'1', 'x'}), -99.0);
  EXPECT_EQ(number(22, {0, 0, 0, 0}), -99.0);
  EXPECT_EQ(number(16, {1}), -99.0);
  EXPECT_EQ(number(0, {}), -99.0);
}

SUSURRUS_TEST(tennis_names_are_shown_without_what_could_harm) {
  EXPECT_EQ(shown_text("a/b é"), "a/b é");
  EXPECT_EQ(shown_text("\x1B[2Jx\n"), "\xEF\xBF\xBD[2Jx\xEF\xBF\xBD");
  EXPECT_EQ(shown_text("\xFF\xC2\x9B"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(tennis_subject(3, "conv", "stride"), "node 3 \"conv\": stride");
  EXPECT_EQ(tennis_subject(3, "", "stride"), "node 3: stride");
  EXPECT_EQ(tennis_subject(3, "conv", ""), "node 3 \"conv\"");
  EXPECT_EQ(tennis_subject(0, std::string(60, 'n'), ""),
            "node 0 \"" + std::string(48, 'n') + "…\"");
}

}  // namespace susurrus::testing::tennis_reader_test
