// tennis.md §4: every case that a module's bytes decide, with its code, reason, offset and subject.
#include "container/tennis/tennis_limits.h"
#include "container/tennis_recording.h"
#include "harness.h"

namespace susurrus::testing::tennis_malformed_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

struct Malformed {
  const char* name;
  Code code;
  Reason reason;
  uint64_t offset;
  std::string subject;
  Bytes file;
  /// Without the file's length, what is misread after the field may speak first.
  bool needs_length = false;
};

Bytes sound() { return small_module().build(); }

/// The offset of a field of the small module.
uint64_t at(const std::string& mark) {
  TennisBuilder builder = small_module();
  builder.build();
  const auto found = builder.marks.find(mark);
  EXPECT_TRUE(found != builder.marks.end());
  return found == builder.marks.end() ? 0 : found->second;
}

/// The small module with a number at a mark, or at an offset from it.
template <typename T>
Bytes with_number(const std::string& mark, T value, size_t behind = 0) {
  Bytes file = sound();
  store_le(file.data() + at(mark) + behind, value);
  return file;
}

Bytes cut(Bytes file, size_t size) {
  file.resize(size);
  return file;
}

Malformed negative(const char* name, const std::string& mark, std::string subject,
                   size_t behind = 0) {
  return {name,
          Code::malformed,
          Reason::bounds,
          at(mark) + behind,
          std::move(subject),
          with_number<int32_t>(mark, -1, behind)};
}

/// More elements than the rest of the file can hold.
Malformed too_many(const char* name, const std::string& mark, std::string subject,
                   size_t least_bytes, bool needs_length = false) {
  const uint64_t left = sound().size() - at(mark) - 4;
  return {name,
          Code::truncated_input,
          Reason::truncated,
          at(mark),
          std::move(subject),
          with_number<int32_t>(mark, static_cast<int32_t>(left / least_bytes + 1)),
          needs_length};
}

/// The weight with a shape that its bytes do not have.
Bytes with_shape(std::vector<int32_t> shape, int8_t dtype = 10) {
  TennisBuilder builder = small_module();
  builder.nodes[1].parameters[0].fields[0].shape = std::move(shape);
  builder.nodes[1].parameters[0].fields[0].dtype = dtype;
  return builder.build();
}

void expect_error(const Malformed& one) {
  for (const bool tell_length : {true, false}) {
    for (const size_t chunk_size : {~size_t{0}, size_t{1}, size_t{37}}) {
      TennisRecording read;
      const Status status = read_module(read, one.file, tell_length, chunk_size);
      const bool right =
          !status && status.error().code == one.code && status.error().reason == one.reason &&
          status.error().offset == one.offset && status.error().subject.view() == one.subject;
      if (right || (one.needs_length && !tell_length && !status)) continue;
      const Error error = status ? make_error(Code::ok, Reason::none) : status.error();
      report_failure(__FILE__, __LINE__,
                     std::string(one.name) + ": " + std::string(error_code_name(error.code)) + " " +
                         std::string(error_reason_name(error.reason)) + " at " +
                         std::to_string(error.offset) + " about " +
                         std::string(error.subject.view()) + " instead of " +
                         std::to_string(one.offset) + " " + one.subject);
      return;
    }
  }
}

}  // namespace

SUSURRUS_TEST(tennis_sound_module_is_accepted_before_it_is_spoilt) {
  TennisRecording read;
  EXPECT_TRUE(read_module(read, sound(), true, ~size_t{0}).has_value());
  EXPECT_TRUE(read.warnings.empty());
}

SUSURRUS_TEST(tennis_malformed_bytes) {
  const Bytes good = sound();
  Bytes swapped = good;
  std::reverse(swapped.begin() + 4, swapped.begin() + 8);
  Bytes csta = good;
  store_le<uint32_t>(csta.data(), 0x19910929);
  store_le<uint32_t>(csta.data() + 4, 0x00000306);
  const std::string stride = "node 3 stride";
  const Malformed cases[] = {
      {"1 empty", Code::truncated_input, Reason::truncated, 0, "file", {}},
      {"1 half a header", Code::truncated_input, Reason::truncated, 64, "file", cut(good, 64)},
      {"1 header only", Code::truncated_input, Reason::truncated, 128, "file", cut(good, 128)},
      {"1 139 bytes", Code::truncated_input, Reason::truncated, 139, "file", cut(good, 139)},
      {"2 code", Code::unknown_format, Reason::not_a_model, 4, "code",
       [&] {
         Bytes file = good;
         file[4] = 0x28;
         return file;
       }()},
      {"2 code of a short file", Code::unknown_format, Reason::not_a_model, 4, "code",
       [&] {
         Bytes file = cut(good, 20);
         file[4] = 0x28;
         return file;
       }()},
      {"2 byte-swapped", Code::unknown_format, Reason::not_a_model, 4, "code", swapped},
      {"2 csta", Code::unknown_format, Reason::not_a_model, 4, "code", csta},
      negative("3 inputs", "inputs", "inputs"),
      negative("3 outputs", "outputs", "outputs"),
      negative("3 nodes", "nodes", "nodes"),
      negative("3 parameters", "node 3", "node 3: parameters"),
      negative("3 fields", stride + " fields", "node 3: stride fields"),
      negative("3 dims", stride + " 0", "node 3: stride shape", 1),
      negative("3 arguments", "node 3 arguments", "node 3 \"conv\": arguments"),
      negative("3 name", stride, "node 3: a parameter's name"),
      too_many("4 inputs", "inputs", "inputs", 4),
      too_many("4 outputs", "outputs", "outputs", 4),
      too_many("4 nodes", "nodes", "nodes", 8),
      too_many("4 parameters", "node 5", "node 5: parameters", 8, true),
      too_many("4 fields", "node 5 offset fields", "node 5: offset fields", 5, true),
      too_many("4 arguments", "node 5 arguments", "node 5 \"second\": arguments", 4),
      too_many("5 name", stride, "node 3: a parameter's name", 1),
      {"7 pointer", Code::unsupported_feature, Reason::unsupported_dtype, at(stride + " 0"),
       "node 3: stride", with_number<int8_t>(stride + " 0", 12)},
      {"7 dtype 33", Code::unsupported_feature, Reason::unsupported_dtype, at(stride + " 0"),
       "node 3: stride", with_number<int8_t>(stride + " 0", 33)},
      {"7 dtype -1", Code::unsupported_feature, Reason::unsupported_dtype, at(stride + " 0"),
       "node 3: stride", with_number<int8_t>(stride + " 0", -1)},
      {"8 dims", Code::malformed, Reason::bad_shape, at(stride + " 0") + 1, "node 3: stride shape",
       with_number<int32_t>(stride + " 0", 9, 1)},
      {"9 negative size", Code::malformed, Reason::bad_shape, at("node 3 padding 0") + 9,
       "node 3: padding shape", with_number<int32_t>("node 3 padding 0", -2, 9)},
      {"10 a size that overflows", Code::malformed, Reason::bad_shape, at("node 1 value 0"),
       "node 1: value shape", with_shape({65536, 65536, 65536})},
      {"10 a size that overflows 64 bits", Code::malformed, Reason::bad_shape, at("node 1 value 0"),
       "node 1: value shape", with_shape(std::vector<int32_t>(8, INT32_MAX))},
      {"10 a huge size of 0 bytes an element", Code::malformed, Reason::bad_shape,
       at("node 1 value 0"), "node 1: value shape",
       with_shape(std::vector<int32_t>(8, INT32_MAX), 0)},
      {"10 past the end", Code::truncated_input, Reason::truncated, at("node 1 value 0"),
       "node 1: value", with_number<int32_t>("node 1 value 0", 1000, 5)},
      {"10 past the end, second field", Code::truncated_input, Reason::truncated,
       at("node 4 value 1"), "node 4: value[1]",
       [&] {
         TennisBuilder builder = small_module();
         builder.nodes[4].parameters[0].fields[1].shape = {1 << 20};
         return builder.build();
       }()},
  };
  for (const Malformed& one : cases) expect_error(one);
}

namespace {

/// A module that was changed by name rather than by byte. `mark` and `behind` say where the error is.
struct Edited {
  const char* name;
  Code code;
  Reason reason;
  const char* mark;
  uint64_t behind;
  const char* subject;
  void (*edit)(TennisBuilder&);
};

void remove(BuiltNode& node, std::string_view name) {
  std::erase_if(node.parameters, [&](const BuiltParameter& one) { return one.name == name; });
}

BuiltParameter& find(BuiltNode& node, std::string_view name) {
  for (BuiltParameter& one : node.parameters) {
    if (one.name == name) return one;
  }
  __builtin_trap();
}

const Edited kEdited[] = {
    {"12 no #name", Code::malformed, Reason::bad_metadata, "node 3", 0, "node 3: #name",
     [](TennisBuilder& b) { remove(b.nodes[3], "#name"); }},
    {"13 #op of numbers", Code::malformed, Reason::bad_metadata, "node 3 #op 0", 0, "node 3: #op",
     [](TennisBuilder& b) { find(b.nodes[3], "#op").fields[0] = int32_field({}, {1}); }},
    {"13 #name of bytes", Code::malformed, Reason::bad_metadata, "node 3 #name 0", 0,
     "node 3: #name", [](TennisBuilder& b) { find(b.nodes[3], "#name").fields[0].dtype = 2; }},
    {"13 #op of two fields", Code::malformed, Reason::bad_metadata, "node 3 #op fields", 0,
     "node 3: #op",
     [](TennisBuilder& b) { find(b.nodes[3], "#op").fields.push_back(text_field("x")); }},
    {"13 #name without a field", Code::malformed, Reason::bad_metadata, "node 3 #name fields", 0,
     "node 3: #name", [](TennisBuilder& b) { find(b.nodes[3], "#name").fields.clear(); }},
    {"14 two outputs", Code::malformed, Reason::bad_metadata, "node 3 #output_count 0 data", 0,
     "node 3: #output_count",
     [](TennisBuilder& b) { find(b.nodes[3], "#output_count").fields[0].data[0] = 2; }},
    {"14 a list of counts", Code::malformed, Reason::bad_metadata, "node 3 #output_count 0 data", 0,
     "node 3: #output_count",
     [](TennisBuilder& b) {
       find(b.nodes[3], "#output_count").fields[0] = int32_field({2}, {1, 1});
     }},
    {"14 a text", Code::malformed, Reason::bad_metadata, "node 3 #output_count 0 data", 0,
     "node 3: #output_count",
     [](TennisBuilder& b) {
       find(b.nodes[3], "#output_count").fields[0] = text_field(std::string(100, '1'));
     }},
    {"14 no field", Code::malformed, Reason::bad_metadata, "node 3 #output_count fields", 0,
     "node 3: #output_count",
     [](TennisBuilder& b) { find(b.nodes[3], "#output_count").fields.clear(); }},
    {"15 a name twice", Code::malformed, Reason::duplicate, "node 3 stride", 0,
     "node 3 \"conv\": stride",
     [](TennisBuilder& b) {
       // The mark is the last one's.
       b.nodes[3].parameters.push_back(parameter("stride", int32_field({}, {1})));
     }},
    {"15 #op twice", Code::malformed, Reason::duplicate, "node 3 #op", 0, "node 3 \"conv\": #op",
     [](TennisBuilder& b) { b.nodes[3].parameters.push_back(parameter("#op", text_field("x"))); }},
    {"16 input past the nodes", Code::malformed, Reason::bad_index, "inputs", 4, "inputs[0]",
     [](TennisBuilder& b) { b.inputs[0] = 6; }},
    {"16 negative input", Code::malformed, Reason::bad_index, "inputs", 4, "inputs[0]",
     [](TennisBuilder& b) { b.inputs[0] = -1; }},
    {"16 output past the nodes", Code::malformed, Reason::bad_index, "outputs", 8, "outputs[1]",
     [](TennisBuilder& b) { b.outputs[1] = INT32_MAX; }},
    {"16 negative output", Code::malformed, Reason::bad_index, "outputs", 8, "outputs[1]",
     [](TennisBuilder& b) { b.outputs[1] = INT32_MIN; }},
    {"17 argument past the nodes", Code::malformed, Reason::bad_index, "node 3 arguments", 8,
     "node 3 \"conv\": arguments[1]", [](TennisBuilder& b) { b.nodes[3].arguments[1] = 6; }},
    {"17 negative argument", Code::malformed, Reason::bad_index, "node 3 arguments", 4,
     "node 3 \"conv\": arguments[0]", [](TennisBuilder& b) { b.nodes[3].arguments[0] = -1; }},
    {"17 itself", Code::malformed, Reason::bad_index, "node 3 arguments", 4,
     "node 3 \"conv\": arguments[0]", [](TennisBuilder& b) { b.nodes[3].arguments[0] = 3; }},
    {"18 two nodes in a circle", Code::malformed, Reason::contradiction, "node 3 arguments", 8,
     "node 3 \"conv\": arguments[1]", [](TennisBuilder& b) { b.nodes[3].arguments[1] = 2; }},
    {"18 a circle that no output needs", Code::malformed, Reason::contradiction, "node 8 arguments",
     4, "node 8 \"c\": arguments[0]",
     [](TennisBuilder& b) {
       b.nodes.push_back(node("relu", "a", {7}));
       b.nodes.push_back(node("relu", "b", {8}));
       b.nodes.push_back(node("relu", "c", {6}));
     }},
    {"19 input that is a constant", Code::malformed, Reason::contradiction, "inputs", 8,
     "inputs[1]", [](TennisBuilder& b) { b.inputs = {0, 1}; }},
    {"19 input that is an operator", Code::malformed, Reason::contradiction, "inputs", 4,
     "inputs[0]", [](TennisBuilder& b) { b.inputs = {3, 0}; }},
    {"19 <param> that is not listed", Code::malformed, Reason::contradiction, "node 0", 0,
     "node 0 \"x\"", [](TennisBuilder& b) { b.inputs.clear(); }},
    {"21 <const> without value", Code::malformed, Reason::bad_metadata, "node 1", 0,
     "node 1 \"weight\": value", [](TennisBuilder& b) { remove(b.nodes[1], "value"); }},
    {"21 <const> of no fields", Code::malformed, Reason::bad_metadata, "node 1 value fields", 0,
     "node 1 \"weight\": value",
     [](TennisBuilder& b) { find(b.nodes[1], "value").fields.clear(); }},
    {"22 <param> with arguments", Code::malformed, Reason::contradiction, "node 0 arguments", 0,
     "node 0 \"x\": arguments", [](TennisBuilder& b) { b.nodes[0].arguments = {1}; }},
    {"22 <const> with arguments", Code::malformed, Reason::contradiction, "node 1 arguments", 0,
     "node 1 \"weight\": arguments", [](TennisBuilder& b) { b.nodes[1].arguments = {0}; }},
    {"23 operator without arguments", Code::malformed, Reason::contradiction, "node 2 arguments", 0,
     "node 2 \"y\": arguments", [](TennisBuilder& b) { b.nodes[2].arguments.clear(); }},
    {"24 <var>", Code::unsupported_feature, Reason::unsupported, "node 1 #op 0 data", 0,
     "node 1 \"weight\": #op",
     [](TennisBuilder& b) { find(b.nodes[1], "#op") = parameter("#op", text_field("<var>")); }},
};

}  // namespace

SUSURRUS_TEST(tennis_malformed_graphs) {
  for (const Edited& one : kEdited) {
    TennisBuilder builder = small_module();
    one.edit(builder);
    const Bytes file = builder.build();
    EXPECT_TRUE(builder.marks.count(one.mark) == 1);
    expect_error(
        {one.name, one.code, one.reason, builder.marks[one.mark] + one.behind, one.subject, file});
  }
}

SUSURRUS_TEST(tennis_errors_say_what_is_wrong_in_which_node) {
  const auto error_of = [](const Bytes& file) {
    TennisRecording read;
    const Status status = read_module(read, file);
    return status ? make_error(Code::ok, Reason::none) : status.error();
  };
  Bytes swapped = sound();
  std::reverse(swapped.begin() + 4, swapped.begin() + 8);
  EXPECT_TRUE(error_of(swapped).got.view().find("big-endian") != std::string_view::npos);
  for (const std::string_view mark : {"\x29\x09\x91\x19", "fast", "seta"}) {
    Bytes csta = sound();
    std::copy(mark.begin(), mark.end(), csta.begin());
    // In a module this word may be anything.
    TennisRecording read;
    EXPECT_TRUE(read_module(read, csta).has_value());
    csta[4] = 6;
    EXPECT_TRUE(error_of(csta).got.view().find(".csta") != std::string_view::npos);
  }
  Bytes other = sound();
  other[4] = 6;
  EXPECT_EQ(error_of(other).got.view(), "0x19910906");
  EXPECT_TRUE(error_of(other).expected.view().find(".csta") != std::string_view::npos);

  TennisBuilder builder = small_module();
  builder.nodes[3].parameters[4].fields[0] = text_field("conv2d");
  builder.nodes[3].arguments[1] = -7;
  Error error = error_of(builder.build());
  EXPECT_EQ(error.expected.view(), "another node below 6");
  EXPECT_EQ(error.got.view(), "-7");

  // Names come from the file: they are shown, never obeyed.
  builder = small_module();
  find(builder.nodes[3], "#name") = parameter("#name", text_field("../\x1B[31m\xFF"));
  builder.nodes[3].arguments[1] = -7;
  error = error_of(builder.build());
  EXPECT_EQ(error.subject.view(), "node 3 \"../\xEF\xBF\xBD[31m\xEF\xBF\xBD\": arguments[1]");
}

SUSURRUS_TEST(tennis_graph_is_limited_not_its_tensors) {
  // Names that promise more than the limit are rejected before a byte of them is taken, whatever the file's length.
  TennisBuilder builder = small_module();
  Bytes file = builder.build();
  const uint64_t name = builder.marks["node 3 stride"];
  store_le<int32_t>(file.data() + name, INT32_MAX);
  expect_error({"a name of 2 GB", Code::limit_exceeded, Reason::limit, name,
                "node 3: a parameter's name", file});
  builder = small_module();
  find(builder.nodes[3], "#name").fields[0].shape = {1 << 30};
  file = builder.build();
  const uint64_t text = builder.marks["node 3 #name 0"];
  expect_error(
      {"a #name of 1 GB", Code::limit_exceeded, Reason::limit, text + 5, "node 3: #name", file});
  // A tensor of the same size is only missing.
  builder = small_module();
  find(builder.nodes[3], "stride").fields[0].shape = {1 << 30};
  file = builder.build();
  expect_error({"a tensor of 4 GB", Code::truncated_input, Reason::truncated,
                builder.marks["node 3 stride 0"], "node 3: stride", file});
}

SUSURRUS_TEST(tennis_reader_is_closed_after_an_error_and_at_the_end) {
  const Bytes good = sound();
  TennisRecording sink;
  TennisReader reader(sink);
  EXPECT_TRUE(reader.push(good).has_value());
  EXPECT_TRUE(reader.finish().has_value());
  EXPECT_EQ(reader.push(good).error().code, Code::disabled_by_previous_error);
  EXPECT_EQ(reader.finish().error().code, Code::disabled_by_previous_error);
  TennisReader spoilt(sink);
  Bytes bad = good;
  bad[4] = 0;
  EXPECT_FALSE(spoilt.push(bad).has_value());
  EXPECT_EQ(spoilt.push(good).error().code, Code::disabled_by_previous_error);
  EXPECT_EQ(spoilt.finish().error().code, Code::disabled_by_previous_error);
}

SUSURRUS_TEST(tennis_flipped_bytes_never_harm) {
  const Bytes good = sound();
  uint32_t random = 3;
  const auto next = [&random] {
    random ^= random << 13;
    random ^= random >> 17;
    return random ^= random << 5;
  };
  for (int round = 0; round < 1000; ++round) {
    Bytes file = good;
    for (uint32_t i = next() % 3 + 1; i > 0; --i) {
      file[next() % file.size()] = static_cast<uint8_t>(next());
    }
    TennisRecording known;
    TennisRecording in_pieces;
    const Status whole = read_module(known, file);
    const Status pieces = read_module(in_pieces, file, true, next() % 40 + 1);
    EXPECT_EQ(whole.has_value(), pieces.has_value());
    if (whole || pieces) continue;
    EXPECT_EQ(whole.error().offset, pieces.error().offset);
    EXPECT_EQ(whole.error().subject.view(), pieces.error().subject.view());
    EXPECT_TRUE(whole.error().code != Code::internal_error);
  }
}

}  // namespace susurrus::testing::tennis_malformed_test
