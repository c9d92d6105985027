// april.md: what is read, every malformed case that the bytes decide, and that splits change nothing.
#include "container/april/april_reader.h"

#include <random>

#include "container/april_builder.h"
#include "container/malformed_file.h"
#include "harness.h"

namespace susurrus::testing::april_reader_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

struct NetworkBytes : AprilSink {
  Status on_network_bytes(size_t index, ByteSpan bytes) override {
    networks[index].insert(networks[index].end(), bytes.begin(), bytes.end());
    return ok_status();
  }
  std::array<Bytes, 3> networks;
};

Status read_whole(AprilReader& reader, const Bytes& file, bool tell_length = true) {
  return read(reader, file, tell_length, [] { return ~size_t{0}; });
}

/// A valid file, changed.
template <typename Edit>
Bytes edited(Edit&& edit) {
  AprilBuilder builder;
  edit(builder);
  return builder.build();
}

struct Malformed {
  const char* name;
  Code code;
  Reason reason;
  uint64_t offset;
  std::string subject;
  Bytes file;
};

void expect_refused(const std::vector<Malformed>& cases) {
  AprilReader sound;
  ASSERT_TRUE(read_whole(sound, AprilBuilder().build()));
  for (const Malformed& one : cases) {
    for (const bool tell_length : {true, false}) {
      AprilReader whole;
      expect_error(one, read_whole(whole, one.file, tell_length), "whole");
      AprilReader bytewise;
      expect_error(one, read(bytewise, one.file, tell_length, [] { return size_t{1}; }),
                   "bytewise");
      std::mt19937 random(7);
      AprilReader pieces;
      expect_error(one, read(pieces, one.file, tell_length, [&] { return size_t{random() % 40}; }),
                   "in pieces");
    }
  }
}

/// The network's message, with `edit` applied to its builder.
template <typename Edit>
Bytes with_network(size_t index, Edit&& edit) {
  return edited([&](AprilBuilder& b) { edit(b.networks[index]); });
}

/// The offset of the ValueInfoProto that holds this name, found by its bytes.
uint64_t value_at(const Bytes& file, uint64_t from, std::string_view name) {
  Bytes field;
  append_text_field(field, 1, name);
  const auto at = std::search(file.begin() + from, file.end(), field.begin(), field.end());
  return at - file.begin();
}

}  // namespace

SUSURRUS_TEST(april_is_read) {
  AprilBuilder builder;
  builder.language = "zh-Hant1";  // all eight bytes
  const Bytes file = builder.build();
  std::mt19937 random(1);
  const std::function<size_t()> sizes[] = {[] { return ~size_t{0}; }, [] { return size_t{1}; },
                                           [&] { return size_t{random() % 100}; }};
  for (const auto& next_size : sizes) {
    for (const bool tell_length : {true, false}) {
      NetworkBytes bytes;
      AprilReader reader(&bytes);
      ASSERT_TRUE(read(reader, file, tell_length, next_size));
      const AprilModel& model = reader.model();
      EXPECT_EQ(model.language(), "zh-Hant1");
      EXPECT_EQ(model.name, "Test model");
      EXPECT_EQ(model.description, "Made for a test");
      EXPECT_EQ(model.params_range.offset, builder.part_at[3]);
      for (size_t i = 0; i < 13; ++i) {
        EXPECT_EQ(model.params.*kAprilParamFields[i].member, builder.params[i]);
      }
      EXPECT_TRUE(model.tokens == builder.tokens);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(model.network_ranges[i].offset, builder.part_at[i]);
        EXPECT_EQ(model.network_ranges[i].byte_count, builder.parts[i].size());
        EXPECT_TRUE(bytes.networks[i] == builder.parts[i]);
      }
      const OnnxNetwork& encoder = model.networks[0];
      EXPECT_EQ(encoder.ir_version, 6u);
      EXPECT_EQ(encoder.opset_version, 11u);
      EXPECT_EQ(encoder.node_count, 3u);
      EXPECT_EQ(encoder.initializer_count, 1u);
      EXPECT_TRUE(encoder.operators == std::vector<std::string>({"Add", "MatMul"}));
      ASSERT_EQ(encoder.inputs.size(), 3u);
      EXPECT_EQ(encoder.inputs[0].name, "x");
      EXPECT_TRUE(encoder.inputs[0].dims == std::vector<int64_t>({1, 9, 80}));
      EXPECT_EQ(onnx_type_name(model.networks[1].inputs[0].element_type), std::string("i64"));
      EXPECT_EQ(model.networks[2].outputs[0].name, "logits");
      EXPECT_TRUE(reader.warnings().empty());
    }
  }
}

SUSURRUS_TEST(april_oddities_are_warnings) {
  const auto warnings = [](const Bytes& file) {
    AprilReader reader;
    const Status status = read_whole(reader, file);
    if (!status) return std::string(status.error().subject.view());
    std::string text;
    for (const std::string& warning : reader.warnings()) text += warning + "\n";
    return text;
  };
  EXPECT_EQ(warnings(AprilBuilder().build()), "");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.header_slack = Bytes(3, 1); })),
            "unused bytes behind the header's fields\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.params_slack = Bytes(5, 1); })),
            "unused bytes behind the tokens\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.behind = Bytes(5, 1); })),
            "unused bytes behind the last part of the file\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.gap = Bytes(1, 0); })),
            "unused bytes between the parts of the file\n"
            "the params do not follow the joiner, where april-asr expects them\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.order = {3, 2, 1, 0}; })),
            "the params do not follow the joiner, where april-asr expects them\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) {
              b.tokens = {"<blk>", std::string("a\0b", 3), "\xFF", "\xC3"};
            })),
            "a token holds a zero byte\na token is not valid UTF-8\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.params[9] = 9000; })),
            "mel_high is above half the sampling rate\n");
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.name = "\xFE"; })),
            "the name is not valid UTF-8\n");
  EXPECT_EQ(warnings(with_network(1, [](OnnxBuilder& n) { n.inputs[0].name = "y"; })),
            "the decoder's inputs or outputs have other names and are taken by their order\n");
  // Weights among the inputs, as IR version 3 has them.
  EXPECT_EQ(warnings(with_network(1, [](OnnxBuilder& n) { n.inputs.push_back({"weight", {4}}); })),
            "");
  // The decoder's bytes lie at the end instead.
  AprilBuilder builder;
  Bytes file = builder.build();
  const Bytes decoder = builder.parts[1];
  file = with(file, builder.network_entries_at + 16, uint64_t{file.size()});
  file.insert(file.end(), decoder.begin(), decoder.end());
  EXPECT_EQ(warnings(file), "unused bytes between the parts of the file\n");
  // The tag ends at its first zero.
  EXPECT_EQ(warnings(edited([](AprilBuilder& b) { b.language = std::string("e\0\xFF", 3); })), "");
}

SUSURRUS_TEST(april_networks_may_share_bytes) {
  AprilBuilder builder;
  Bytes file = builder.build();
  // A joiner inside a field of the encoder that no reader knows.
  builder.network_bytes[0] = builder.parts[0];
  append_bytes_field(*builder.network_bytes[0], 99, builder.parts[2]);
  file = builder.build();
  file = with(file, builder.network_entries_at + 32,
              builder.part_at[0] + builder.parts[0].size() - builder.parts[2].size());
  for (const size_t size : {size_t{1}, size_t{17}, file.size()}) {
    NetworkBytes bytes;
    AprilReader reader(&bytes);
    ASSERT_TRUE(read(reader, file, true, [=] { return size; }));
    EXPECT_TRUE(bytes.networks[0] == builder.parts[0]);
    EXPECT_TRUE(bytes.networks[2] == builder.parts[2]);
    EXPECT_EQ(reader.warnings()[0], "parts of the file overlap");
  }
}

SUSURRUS_TEST(april_malformed_header) {
  AprilBuilder b;
  const Bytes good = b.build();
  const uint64_t header_end = b.part_at[0];
  const uint64_t far = uint64_t{1} << 60;
  const Code bad = Code::malformed;
  const uint64_t entries = b.network_entries_at;
  std::vector<Malformed> cases = {
      {"1 short", Code::truncated_input, Reason::truncated, 19, "header", cut(good, 19)},
      {"2 case", Code::unknown_format, Reason::not_a_model, 0, "magic", with(good, 7, 'l')},
      {"3 version 0", Code::unsupported_version, Reason::version, 8, "version",
       with(good, 8, uint32_t{0})},
      {"3 version 2", Code::unsupported_version, Reason::version, 8, "version",
       with(good, 8, uint32_t{2})},
      {"3 big-endian", Code::unsupported_version, Reason::version, 8, "version",
       with(good, 8, uint32_t{0x01000000})},
      {"4 size past the end", bad, Reason::bounds, 12, "header_size",
       with(with(with(with(with(good, 12, uint64_t{good.size() - 19}), b.params_entry_at, far),
                      entries, far),
                 entries + 16, far),
            entries + 32, far)},
      {"4 size 2^63", bad, Reason::bounds, 12, "header_size", with(good, 12, uint64_t{1} << 63)},
      {"4 size 0", bad, Reason::bounds, 12, "header_size", with(good, 12, uint64_t{0})},
      {"4 size near 2^64", bad, Reason::bounds, 12, "header_size",
       with(good, 12, ~uint64_t{0} - 10)},
      {"4 size too small for the fields", bad, Reason::bounds, 12, "header_size",
       with(good, 12, header_end - 21)},
      {"4 size too small for a language", bad, Reason::bounds, 12, "header_size",
       with(good, 12, uint64_t{15})},
      {"5 name past the header", bad, Reason::bounds, b.name_length_at, "name_length",
       with(good, b.name_length_at, header_end)},
      {"5 name near 2^64", bad, Reason::bounds, b.name_length_at, "name_length",
       with(good, b.name_length_at, ~uint64_t{0})},
      {"5 name beyond any", Code::limit_exceeded, Reason::limit, b.name_length_at, "name_length",
       with(with(good, 12, far), b.name_length_at, far / 2)},
      {"6 description past the header", bad, Reason::bounds, b.description_length_at,
       "description_length", with(good, b.description_length_at, header_end)},
      {"8 model type 2", Code::unsupported_feature, Reason::unsupported, b.model_type_at,
       "model type", with(good, b.model_type_at, uint32_t{2})},
      {"11 params past the end", bad, Reason::bounds, b.params_entry_at, "params.offset",
       with(good, b.params_entry_at, uint64_t{good.size() + 1})},
      {"12 params too long", bad, Reason::bounds, b.params_entry_at + 8, "params.size",
       with(good, b.params_entry_at + 8, uint64_t{b.parts[3].size() + 1})},
      {"12 params wrap", bad, Reason::bounds, b.params_entry_at + 8, "params.size",
       with(good, b.params_entry_at + 8, ~uint64_t{0})},
      {"13 network past the end", bad, Reason::bounds, entries, "networks[0].offset",
       with(good, entries, far)},
      {"13 network too long", bad, Reason::bounds, entries + 40, "networks[2].size",
       with(edited([](AprilBuilder& last) { last.order = {0, 1, 3, 2}; }), entries + 40, far)},
      {"13 network wraps", bad, Reason::bounds, entries + 24, "networks[1].size",
       with(good, entries + 24, ~uint64_t{0})},
      {"14 network of nothing", bad, Reason::size_mismatch, entries + 24, "networks[1].size",
       with(good, entries + 24, uint64_t{0})},
      {"15 params in the header", bad, Reason::layout, b.params_entry_at, "params.offset",
       with(good, b.params_entry_at, uint64_t{20})},
      {"15 network in the header", bad, Reason::layout, entries + 32, "networks[2].offset",
       with(good, entries + 32, header_end - 1)},
      {"16 params of 59 bytes", bad, Reason::size_mismatch, b.params_entry_at + 8, "params.size",
       with(good, b.params_entry_at + 8, uint64_t{59})},
  };
  for (const uint64_t count : {uint64_t{0}, uint64_t{2}, uint64_t{4}, far}) {
    cases.push_back({"9, 10 network_count", bad, Reason::bad_index, b.network_count_at,
                     "network_count", with(good, b.network_count_at, count)});
  }
  expect_refused(cases);
  // 7: wherever the header ends.
  for (size_t size = 20; size < header_end; ++size) {
    AprilReader reader;
    const Status status = read_whole(reader, cut(good, size));
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(error_code_name(status.error().code), "truncated_input");
    EXPECT_EQ(status.error().offset, size);
  }
}

SUSURRUS_TEST(april_malformed_params) {
  AprilBuilder b;
  const Bytes good = b.build();
  const uint64_t at = b.part_at[3];
  const Code bad = Code::malformed;
  std::vector<Malformed> cases = {
      {"17 magic", bad, Reason::bad_metadata, at, "params.magic", with(good, at + 7, ' ')},
  };
  const struct {
    const char* name;
    size_t field;
    int32_t value;
  } numbers[] = {
      {"batch_size", 0, 2},      {"segment_size", 1, 0},       {"segment_size", 1, -1},
      {"segment_size", 1, 100},  {"segment_step", 2, 0},       {"segment_step", 2, 10},
      {"mel_features", 3, 0},    {"mel_features", 3, 256},     {"samplerate", 4, 0},
      {"samplerate", 4, -16000}, {"samplerate", 4, 144000},    {"frame_shift_ms", 5, 0},
      {"frame_shift_ms", 5, 26}, {"frame_length_ms", 6, 5001}, {"frame_length_ms", 6, 0},
      {"mel_low", 8, 0},         {"mel_low", 8, 16000},        {"mel_high", 9, 20},
      {"mel_high", 9, -1},
  };
  for (const auto& number : numbers) {
    const uint64_t offset = at + 8 + 4 * number.field;
    cases.push_back({"18 to 24", bad, Reason::bad_metadata, offset, number.name,
                     with(good, offset, number.value)});
  }
  // At 50 Hz, 25 ms are one sample; at 99 Hz they are two, and 10 ms are none.
  const Bytes slow = with(with(with(good, at + 8 + 4 * 8, int32_t{1}), at + 8 + 4 * 9, int32_t{20}),
                          at + 8 + 4 * 4, int32_t{50});
  cases.push_back({"23 a frame of a sample", bad, Reason::bad_metadata, at + 8 + 4 * 6,
                   "frame_length_ms", slow});
  cases.push_back({"23 frames at one place", bad, Reason::bad_metadata, at + 8 + 4 * 5,
                   "frame_shift_ms", with(slow, at + 8 + 4 * 4, int32_t{99})});
  const uint64_t count_at = at + 52;
  const uint64_t blank_at = at + 56;
  for (const int32_t count : {0, -1, 16384, 1000}) {
    cases.push_back({"25 token_count", bad, Reason::bad_vocabulary, count_at, "token_count",
                     with(good, count_at, count)});
  }
  for (const int32_t id : {-1, 4}) {
    cases.push_back({"26 blank_token_id", bad, Reason::bad_vocabulary, blank_at, "blank_token_id",
                     with(good, blank_at, id)});
  }
  const uint64_t second = at + 60 + 4 + 5;
  cases.push_back({"27 negative length", bad, Reason::bad_vocabulary, second, "tokens[1]",
                   with(good, second, int32_t{-1})});
  cases.push_back({"28 length past the end", bad, Reason::bad_vocabulary, second, "tokens[1]",
                   with(good, second, int32_t{14})});
  // 4 × 4 bytes of lengths, but the first token took all room.
  cases.push_back({"28 no room for a length", bad, Reason::bad_vocabulary, at + 60 + 24,
                   "tokens[1]", with(good, at + 60, int32_t{20})});
  expect_refused(cases);
}

SUSURRUS_TEST(april_malformed_networks) {
  const Code bad = Code::malformed;
  std::vector<Malformed> cases;
  AprilBuilder b;
  b.build();
  const uint64_t first = b.part_at[0];
  cases.push_back(
      {"31 an empty graph", bad, Reason::model, first, "encoder",
       edited([](AprilBuilder& builder) { builder.network_bytes[0] = Bytes{0x3A, 0}; })});
  cases.push_back({"31 encoder with two inputs", bad, Reason::model, first, "encoder",
                   with_network(0, [](OnnxBuilder& n) { n.inputs.pop_back(); })});
  AprilBuilder wide;
  wide.networks[1].outputs.push_back({"more", {1}});
  Bytes file = wide.build();
  cases.push_back(
      {"31 decoder with two outputs", bad, Reason::model, wide.part_at[1], "decoder", file});
  const auto shape = [&](const char* name, size_t network, bool is_output, size_t index,
                         std::vector<int64_t> dims, std::string subject, uint64_t type = 1) {
    AprilBuilder builder;
    auto& values = is_output ? builder.networks[network].outputs : builder.networks[network].inputs;
    values[index].dims = dims;
    values[index].element_type = type;
    const Bytes bytes = builder.build();
    const uint64_t at = value_at(bytes, builder.part_at[network], values[index].name);
    cases.push_back({name, bad, Reason::bad_shape, at, subject, bytes});
  };
  shape("32 segment", 0, false, 0, {1, 8, 80}, "encoder.x");
  shape("32 mels", 0, false, 0, {1, 9, 40}, "encoder.x");
  shape("32 batch", 0, false, 0, {2, 9, 80}, "encoder.x");
  shape("32 rank", 0, false, 0, {9, 80}, "encoder.x");
  shape("32 a dimension with a name", 0, false, 0, {-1, 9, 80}, "encoder.x");
  shape("33 next_h", 0, true, 1, {2, 1, 9}, "encoder.next_h");
  shape("33 next_c", 0, true, 2, {2, 16}, "encoder.next_c");
  shape("34 context of one", 1, false, 0, {1, 1}, "decoder.context", 7);
  shape("34 context of floats", 1, false, 0, {1, 2}, "decoder.context", 1);
  shape("34 context of a batch", 1, false, 0, {2, 2}, "decoder.context", 7);
  shape("35 logits", 2, true, 0, {1, 1, 5}, "joiner.logits");
  shape("35 rank of logits", 2, true, 0, {1, 4}, "joiner.logits");
  shape("35 encoder_out", 2, false, 0, {1, 1, 9}, "joiner.encoder_out");
  shape("35 decoder_out", 2, false, 1, {1, 8}, "joiner.decoder_out");
  expect_refused(cases);
}

SUSURRUS_TEST(april_networks_that_are_no_onnx_are_described_with_a_warning) {
  const struct {
    const char* name;
    uint64_t offset;
    Bytes bytes;
  } cases[] = {
      {"a varint of 65 bits", 1, {0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0x3A, 0}},
      {"a varint without an end", 1, {0x08, 0x80}},
      {"a key without a value", 0, {0x08}},
      {"a graph past the end", 1, {0x3A, 5, 0x12, 1, 'x'}},
      {"a name past its message", 3, {0x3A, 5, 0x12, 7, 'x', 'y', 'z'}},
      {"an input past its message", 3, {0x3A, 3, 0x5A, 2, 'x', 'y'}},
      {"a fixed32 past the end", 0, {0x0D, 1, 2}},
      {"a fixed64 past the end", 0, {0x09, 1, 2, 3, 4, 5, 6, 7}},
      {"a group", 0, {0x0B, 0}},
      {"field 0", 0, {0x00, 0}},
      {"a graph that is a number", 0, {0x38, 1}},
      {"no graph", 0, {0x08, 6}},
      {"a text", 0, Bytes(1000, 'w')},
  };
  for (const auto& one : cases) {
    AprilBuilder builder;
    builder.network_bytes[1] = one.bytes;
    const Bytes file = builder.build();
    for (const bool tell_length : {true, false}) {
      for (const size_t size : {~size_t{0}, size_t{1}, size_t{7}}) {
        NetworkBytes bytes;
        AprilReader reader(&bytes);
        const Status status = read(reader, file, tell_length, [=] { return size; });
        if (!EXPECT_TRUE(status.has_value())) continue;
        ASSERT_EQ(reader.warnings().size(), 1u);
        EXPECT_EQ(reader.warnings()[0], "the decoder is not readable as ONNX (at byte " +
                                            std::to_string(builder.part_at[1] + one.offset) +
                                            "): it cannot be run");
        EXPECT_EQ(reader.model().networks[0].node_count, 3u);
        EXPECT_EQ(reader.model().networks[1].inputs.size(), 0u);
        EXPECT_EQ(reader.model().networks[2].outputs[0].name, "logits");
        EXPECT_TRUE(reader.model().tokens == builder.tokens);
        for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(bytes.networks[i] == builder.parts[i]);
      }
    }
  }
  // What lies outside the file is damage still.
  AprilBuilder builder;
  builder.network_bytes[1] = Bytes(50, 'w');
  const Bytes file = builder.build();
  AprilReader reader;
  EXPECT_FALSE(read_whole(reader, cut(file, file.size() - 1)).has_value());
}

SUSURRUS_TEST(april_model_of_unknown_type_is_described_with_a_warning) {
  AprilBuilder builder;
  const Bytes sound = builder.build();
  const Bytes file = with(sound, builder.model_type_at, kAprilUnknownModel);
  for (const bool tell_length : {true, false}) {
    for (const size_t size : {~size_t{0}, size_t{1}}) {
      AprilReader reader;
      ASSERT_TRUE(read(reader, file, tell_length, [=] { return size; }));
      const AprilModel& model = reader.model();
      EXPECT_EQ(model.name, "Test model");
      EXPECT_EQ(model.model_type, kAprilUnknownModel);
      EXPECT_EQ(model.params_range.offset, builder.part_at[3]);
      ASSERT_EQ(model.unknown_networks.size(), 3u);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(model.unknown_networks[i].offset, builder.part_at[i]);
        EXPECT_EQ(model.unknown_networks[i].byte_count, builder.parts[i].size());
      }
      EXPECT_TRUE(model.tokens.empty());
      ASSERT_EQ(reader.warnings().size(), 1u);
      EXPECT_EQ(reader.warnings()[0], "the model type is 0, unknown: such a model cannot be run");
    }
  }
  // Any number of networks, whatever is in them and in the params; not of the header's bytes, nor past the end.
  const Bytes two = with(file, builder.network_count_at, uint64_t{2});
  AprilReader reader;
  ASSERT_TRUE(read_whole(reader, with(two, builder.part_at[3], uint64_t{0})));
  EXPECT_EQ(reader.model().unknown_networks.size(), 2u);
  std::vector<Malformed> cases = {
      {"more than fit", Code::malformed, Reason::bounds, 12, "header_size",
       with(file, builder.network_count_at, uint64_t{4})},
      {"more than any", Code::limit_exceeded, Reason::limit, builder.network_count_at,
       "network_count", with(file, builder.network_count_at, uint64_t{1} << 60)},
      {"in the header", Code::malformed, Reason::layout, builder.network_entries_at,
       "networks[0].offset", with(file, builder.network_entries_at, uint64_t{20})},
      {"past the end", Code::malformed, Reason::bounds, builder.network_entries_at + 8,
       "networks[0].size", with(file, builder.network_entries_at + 8, uint64_t{file.size()})},
  };
  expect_refused(cases);
}

SUSURRUS_TEST(april_reader_stays_failed) {
  AprilReader reader;
  EXPECT_FALSE(reader.push(Bytes(30, 'x')).has_value());
  EXPECT_TRUE(reader.push(Bytes(1)).error().code == Code::disabled_by_previous_error);
  EXPECT_TRUE(reader.finish().error().code == Code::disabled_by_previous_error);
}

SUSURRUS_TEST(april_file_shorter_than_told) {
  const Bytes file = AprilBuilder().build();
  AprilReader reader;
  reader.set_file_byte_count(file.size() + 1);
  ASSERT_TRUE(reader.push(file));
  const Status status = reader.finish();
  ASSERT_FALSE(status.has_value());
  EXPECT_TRUE(status.error().code == Code::truncated_input);
  EXPECT_EQ(status.error().offset, file.size());
}

SUSURRUS_TEST(april_any_flipped_byte_is_read_or_refused) {
  const Bytes good = AprilBuilder().build();
  for (size_t at = 0; at < good.size(); ++at) {
    for (const uint8_t change : {0x01, 0x80, 0xFF}) {
      Bytes file = good;
      file[at] ^= change;
      AprilReader whole;
      AprilReader pieces;
      const Status one = read_whole(whole, file);
      const Status other = read(pieces, file, true, [] { return size_t{5}; });
      ASSERT_EQ(one.has_value(), other.has_value());
      if (!one) {
        EXPECT_EQ(one.error().subject.view(), other.error().subject.view());
        EXPECT_EQ(one.error().offset, other.error().offset);
      }
    }
  }
}

}  // namespace susurrus::testing::april_reader_test
