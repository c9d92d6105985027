// apr.md §10: every case that a container reader meets, with its code and reason.
#include "container/inspection.h"
#include "container/recording_sink.h"
#include "families/whisper/whisper_family.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::apr2_malformed_test {
namespace {

using Code = ErrorCode;
using Reason = ErrorReason;

struct Malformed {
  const char* name;
  Code code;
  Reason reason;
  Bytes file;
  /// The case needs the file's length beforehand; without it another rule speaks first.
  bool needs_length = false;
};

Bytes tensor_bytes(size_t count) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i);
  return bytes;
}

BuiltTensor one_tensor() {
  BuiltTensor tensor;
  tensor.name = "encoder.conv1.bias";
  tensor.dims = {4};
  tensor.stored = tensor_bytes(16);
  return tensor;
}

Apr2Builder small() {
  Apr2Builder builder;
  builder.metadata = tiny_metadata();
  builder.tensors = {one_tensor()};
  return builder;
}

template <typename Edit>
Bytes edited(Edit&& edit) {
  Apr2Builder builder = small();
  edit(builder);
  return builder.build();
}

template <typename T>
Bytes with_header(size_t offset, T value) {
  return edited([=](Apr2Builder& b) {
    b.edit_header = [=](Bytes& header) { store_le(header.data() + offset, value); };
  });
}

Bytes with_metadata(std::string text) {
  return edited([&](Apr2Builder& b) { b.metadata = text; });
}

Bytes with_metadata_change(std::string_view from, std::string_view to) {
  std::string text = tiny_metadata();
  text.replace(text.find(from), from.size(), to);
  return with_metadata(text);
}

template <typename Edit>
Bytes with_tensor(Edit&& edit) {
  return edited([&](Apr2Builder& b) { edit(b.tensors[0]); });
}

/// One compressed tensor of 64 zero bytes whose stored bytes are `stored`.
Bytes with_lz4(Bytes stored, uint64_t raw_size = 64) {
  return edited([&](Apr2Builder& b) {
    b.flags |= 0x01;
    b.tensors[0].dims = {raw_size / 4};
    b.tensors[0].stored = stored;
    b.tensors[0].raw_size = raw_size;
  });
}

Bytes lz4_block(uint32_t size, Bytes block) {
  Bytes stored;
  append_number(stored, size);
  stored.insert(stored.end(), block.begin(), block.end());
  return stored;
}

// apr.md §11, G3: 64 zero bytes.
const Bytes kZeros = {0x1f, 0, 1, 0, 0x27, 0x50, 0, 0, 0, 0, 0};

Bytes cut(Bytes file, size_t size) {
  file.resize(size);
  return file;
}

std::vector<Malformed> header_cases() {
  const Bytes good = small().build();
  Bytes flipped = good;
  flipped[flipped.size() - 17] ^= 0x10;
  Bytes junk_behind = good;
  junk_behind.insert(junk_behind.end(), 5, 0x41);
  Bytes no_footer = good;
  no_footer[no_footer.size() - 12] = 'x';
  auto stated = [&](int64_t change) {
    Bytes file = good;
    store_le<uint64_t>(file.data() + file.size() - 8, file.size() + change);
    return file;
  };
  return {
      {"1 empty", Code::truncated_input, Reason::truncated, {}},
      {"1 three bytes", Code::truncated_input, Reason::truncated, cut(good, 3)},
      {"1 half a header", Code::truncated_input, Reason::truncated, cut(good, 31)},
      {"2 unknown magic", Code::unknown_format, Reason::not_a_model, Bytes(100, 'x')},
      {"3 version 0", Code::unsupported_version, Reason::version, with_header<uint16_t>(4, 0)},
      {"3 version 3", Code::unsupported_version, Reason::version, with_header<uint16_t>(4, 3)},
      {"5 a flipped bit", Code::checksum_mismatch, Reason::checksum, flipped},
      {"31 shorter than the parts", Code::truncated_input, Reason::truncated, cut(good, 57)},
      {"31 metadata cut", Code::truncated_input, Reason::truncated, cut(good, 100)},
      {"32 data cut", Code::truncated_input, Reason::truncated, cut(good, good.size() - 20)},
      {"32 last byte gone", Code::truncated_input, Reason::truncated, cut(good, good.size() - 1)},
      {"32 no end magic", Code::truncated_input, Reason::truncated, no_footer},
      {"33 states more", Code::truncated_input, Reason::truncated, stated(1)},
      {"33 states less", Code::malformed, Reason::trailing_data, stated(-1)},
      {"33 junk behind", Code::malformed, Reason::trailing_data, junk_behind},
      {"34 bit 8", Code::unsupported_feature, Reason::unsupported_flag,
       with_header<uint32_t>(8, 0x102)},
      {"34 bit 31", Code::unsupported_feature, Reason::unsupported_flag,
       with_header<uint32_t>(8, 0x80000002)},
      {"37 metadata_offset 0", Code::malformed, Reason::bounds, with_header<uint32_t>(12, 0)},
      {"37 index_offset past the end", Code::malformed, Reason::bounds,
       with_header<uint32_t>(20, 0xFFFFFF00), true},
      {"37 index_size past the end", Code::malformed, Reason::bounds,
       with_header<uint32_t>(24, 100000), true},
      {"37 data_offset past the end", Code::malformed, Reason::bounds,
       with_header<uint32_t>(28, 0x7FFFFFC0)},
      {"37 metadata_size past the end", Code::malformed, Reason::bounds,
       with_header<uint32_t>(16, 1 << 20), true},
      {"38 metadata over index", Code::malformed, Reason::layout, with_header<uint32_t>(16, 250)},
      {"38 index over data", Code::malformed, Reason::layout, with_header<uint32_t>(28, 320)},
      {"38 index before metadata", Code::malformed, Reason::layout, with_header<uint32_t>(20, 40)},
      {"39 metadata_size 0", Code::limit_exceeded, Reason::limit, with_header<uint32_t>(16, 0)},
      {"39 metadata_size huge", Code::limit_exceeded, Reason::limit,
       with_header<uint32_t>(16, 65 << 20)},
  };
}

std::string with_vocab(std::string_view vocab) {
  std::string text = tiny_metadata();
  text.insert(text.size() - 1, ",\"vocab\":" + std::string(vocab));
  return text;
}

std::string with_keys(std::string_view keys) {
  std::string text = tiny_metadata();
  text.insert(text.size() - 1, "," + std::string(keys));
  return text;
}

std::vector<Malformed> metadata_cases() {
  const std::string good = tiny_metadata();
  std::string many(51866 * 4, ' ');
  for (size_t i = 0; i < 51866; ++i) many.replace(i * 4, 4, i == 0 ? "[\"\"," : "\"\", ");
  many += "\"\"]";
  std::vector<Malformed> cases;
  auto bad = [&](const char* name, Bytes file) {
    cases.push_back({name, Code::malformed, Reason::bad_metadata, std::move(file)});
  };
  bad("40 not JSON", with_metadata("nothing at all"));
  bad("40 not UTF-8", with_metadata_change("whisper\"", "whis\xC3per\""));
  bad("40 not an object", with_metadata("[1, 2, 3]"));
  bad("40 trailing text", with_metadata(good + "x"));
  bad("40 a NUL behind", with_metadata(good + std::string(1, '\0')));
  bad("40 a byte order mark", with_metadata("\xEF\xBB\xBF" + good));
  bad("40 too deep",
      with_metadata(with_keys("\"x\":" + std::string(64, '[') + std::string(64, ']'))));
  bad("40 cut", with_metadata(good.substr(0, good.size() - 1)));
  bad("41 no apr_version", with_metadata_change("apr_version", "apr_versiom"));
  bad("41 no model_type", with_metadata_change("model_type", "model_typo"));
  bad("41 no n_mels", with_metadata_change("n_mels", "n_mel"));
  bad("41 architecture is a string",
      with_metadata(R"({"apr_version":"2.0.0","model_type":"whisper","architecture":"x"})"));
  bad("41 n_mels is a string", with_metadata_change("\"n_mels\":80", "\"n_mels\":\"80\""));
  bad("41 apr_version is a number", with_metadata_change("\"2.0.0\"", "2"));
  bad("41 n_mels twice", with_metadata_change("\"n_mels\":80", "\"n_mels\":80,\"n_mels\":80"));
  bad("41 model_type twice", with_metadata(with_keys("\"model_type\":\"whisper\"")));
  cases.push_back({"42 another major", Code::unsupported_version, Reason::version,
                   with_metadata_change("2.0.0", "3.0.0")});
  bad("43 zero", with_metadata_change("\"n_mels\":80", "\"n_mels\":0"));
  bad("43 negative", with_metadata_change("\"n_mels\":80", "\"n_mels\":-80"));
  bad("43 fractional", with_metadata_change("\"n_mels\":80", "\"n_mels\":80.5"));
  bad("43 too large", with_metadata_change("\"n_mels\":80", "\"n_mels\":2147483648"));
  bad("44 heads", with_metadata_change("\"n_audio_head\":6", "\"n_audio_head\":7"));
  bad("44 states", with_metadata_change("\"n_text_state\":384", "\"n_text_state\":390"));
  cases.push_back({"45 too many tokens", Code::malformed, Reason::bad_vocabulary,
                   with_metadata(with_vocab(many))});
  cases.push_back({"45 not a string", Code::malformed, Reason::bad_vocabulary,
                   with_metadata(with_vocab("[\"a\", 7]"))});
  cases.push_back({"45 not an array", Code::malformed, Reason::bad_vocabulary,
                   with_metadata(with_vocab("{}"))});
  for (const char* keys :
       {R"("mel_filterbank":[0.5])", R"("mel_filterbank":[0.5],"mel_filterbank_shape":[80,201])",
        R"("mel_filterbank":[0.5],"mel_filterbank_shape":[1,1])",
        R"("mel_filterbank":[0.5],"mel_filterbank_shape":[80])"}) {
    cases.push_back(
        {"46 filterbank", Code::malformed, Reason::bad_filterbank, with_metadata(with_keys(keys))});
  }
  return cases;
}

std::vector<Malformed> index_cases() {
  std::vector<Malformed> cases;
  auto add = [&](const char* name, Reason reason, Bytes file, Code code = Code::malformed) {
    cases.push_back({name, code, reason, std::move(file)});
  };
  add("4 offset overflows", Reason::bounds, with_tensor([](auto& t) { t.offset = INT64_MAX; }));
  add("47 index_size 7", Reason::bad_index, with_header<uint32_t>(24, 7));
  add("47 tensor_count", Reason::bad_index, edited([](auto& b) { b.tensor_count = 1000; }));
  add("48 entry past the index", Reason::bad_index, edited([](auto& b) {
        b.edit_header = [](Bytes& h) { store_le<uint32_t>(h.data() + 24, 66 - 4); };
      }));
  add("48 fewer entries than counted", Reason::bad_index, edited([](auto& b) {
        b.tensor_count = 2;
        b.index_tail.assign(30, 1);
      }));
  add("49 bytes left", Reason::bad_index, edited([](auto& b) { b.index_tail = {0}; }));
  // The file has one tensor: an entry shorter than any valid one is not a wrong tensor_count.
  add("50 empty name", Reason::bad_name, with_tensor([](auto& t) { t.name = ""; }));
  add("50 long name", Reason::bad_name, with_tensor([](auto& t) { t.name.assign(1025, 'a'); }));
  add("50 not UTF-8", Reason::bad_name, with_tensor([](auto& t) { t.name = "a\xFF"; }));
  add("50 control character", Reason::bad_name, with_tensor([](auto& t) { t.name = "a\nb"; }));
  add("51 twice", Reason::duplicate, edited([](auto& b) { b.tensors.push_back(one_tensor()); }));
  for (uint8_t dtype : {8, 15, 21, 255}) {
    add("52 dtype", Reason::unsupported_dtype, with_tensor([=](auto& t) { t.dtype = dtype; }),
        Code::unsupported_feature);
  }
  add("53 no dims", Reason::bad_shape, with_tensor([](auto& t) { t.dims = {}; }));
  add("53 nine dims", Reason::bad_shape, with_tensor([](auto& t) { t.dims.assign(9, 1); }));
  add("54 product overflows", Reason::bad_shape,
      with_tensor([](auto& t) { t.dims = {1ull << 40, 1ull << 40}; }));
  add("54 bytes overflow", Reason::bad_shape, with_tensor([](auto& t) { t.dims = {1ull << 62}; }));
  add("54 larger than the file", Reason::bad_shape, with_tensor([](auto& t) {
        t.dims = {1 << 20};
        t.size = 4 << 20;
      }));
  cases.back().needs_length = true;
  add("54 larger than the file, size as it was", Reason::bad_shape,
      with_tensor([](auto& t) { t.dims = {1 << 20}; }));
  cases.back().needs_length = true;
  add("55 part of a block", Reason::bad_shape, with_tensor([](auto& t) {
        t.dtype = 16;
        t.dims = {2, 16};
      }));
  add("56 size", Reason::size_mismatch, with_tensor([](auto& t) { t.dims = {5}; }));
  add("57 raw_size", Reason::size_mismatch, edited([](auto& b) {
        b.flags |= 1;
        b.tensors[0].raw_size = 17;
      }));
  add("58 not COMPRESSED", Reason::contradiction, with_tensor([](auto& t) {
        t.dims = {16};
        t.raw_size = 64;
      }));
  add("59 bomb", Reason::decompress, with_lz4(tensor_bytes(16), 4100));
  add("60 past the footer", Reason::bounds, with_tensor([](auto& t) { t.offset = 64; }));
  add("60 one byte into the footer", Reason::bounds, edited([](auto& b) {
        b.tensors[0].dtype = 7;
        b.tensors[0].dims = {17};
        b.tensors[0].size = 17;
      }));
  add("61 overlap", Reason::layout, edited([](auto& b) {
        b.tensors.push_back(one_tensor());
        b.tensors[1].name = "b";
        b.tensors[1].offset = 8;
      }));
  return cases;
}

std::vector<Malformed> lz4_cases() {
  std::vector<Malformed> cases;
  auto add = [&](const char* name, Bytes stored, uint64_t raw_size = 64) {
    cases.push_back(
        {name, Code::malformed, Reason::decompress, with_lz4(std::move(stored), raw_size)});
  };
  Bytes zeros_and_one = lz4_block(11, kZeros);
  zeros_and_one.push_back(1);
  add("63 csize 0", lz4_block(0, kZeros));
  add("63 csize 65810", lz4_block(65810, kZeros));
  add("63 bit 31", lz4_block(0x8000000B, kZeros));
  add("63 an LZ4 frame", lz4_block(0x184D2204, kZeros));
  add("63 size-prepended", lz4_block(64, kZeros));
  add("64 csize past the tensor", lz4_block(12, kZeros));
  add("64 a stray byte", zeros_and_one);
  add("65 literals past the block", lz4_block(2, {0x40, 1}));
  add("66 offset 0", lz4_block(11, {0x1f, 0, 0, 0, 0x27, 0x50, 0, 0, 0, 0, 0}));
  add("66 offset before the block", lz4_block(11, {0x1f, 0, 2, 0, 0x27, 0x50, 0, 0, 0, 0, 0}));
  add("67 length runs off", lz4_block(3, {0xf0, 0xff, 0xff}));
  add("67 length past 65536", lz4_block(6, {0x1f, 0, 1, 0, 0xff, 0x50}));
  add("68 ends after a match", lz4_block(5, {0x1f, 0, 1, 0, 0x2c}));
  add("68 ends inside an offset", lz4_block(3, {0x10, 0, 1}));
  add("69 an empty block", lz4_block(1, {0}));
  add("69 too little", lz4_block(5, {0x40, 1, 2, 3, 4}));
  add("69 too much", lz4_block(11, kZeros), 60);
  Bytes twice = lz4_block(11, kZeros);
  twice.insert(twice.end(), twice.begin(), twice.begin() + 15);
  add("69 another block", twice);
  return cases;
}

void expect_rejected(const Malformed& one, bool tell_length, size_t chunk_size) {
  RecordingSink sink;
  const Status status = read_file(sink, one.file, tell_length, chunk_size);
  const std::string where = std::string(one.name) +
                            (tell_length ? ", length known" : ", length unknown") + ", chunks of " +
                            std::to_string(chunk_size);
  if (status) {
    report_failure(__FILE__, __LINE__, where + ": accepted");
    return;
  }
  InspectSink inspection;
  EXPECT_EQ(read_file(inspection, one.file, tell_length, chunk_size).error().reason, one.reason);
  const Error& error = status.error();
  if (error.code != one.code || error.reason != one.reason) {
    report_failure(__FILE__, __LINE__,
                   where + ": " + std::string(error_code_name(error.code)) + "/" +
                       std::string(error_reason_name(error.reason)) + " about " +
                       std::string(error.subject.view()) + ", got " +
                       std::string(error.got.view()));
  }
  EXPECT_TRUE(!error.subject.empty());
  EXPECT_TRUE(error.offset != kNoOffset);
}

void expect_all_rejected(const std::vector<Malformed>& cases) {
  for (const Malformed& one : cases) {
    for (size_t chunk_size : {~size_t{0}, size_t{1}, size_t{7}}) {
      expect_rejected(one, true, chunk_size);
      if (!one.needs_length) expect_rejected(one, false, chunk_size);
    }
  }
}

Error load_error(const Bytes& file) {
  WeightStore store(whisper_alone());
  const Status status = read_file(store, file);
  return status ? make_error(ErrorCode::ok, ErrorReason::none) : status.error();
}

template <typename Edit>
Error whisper_error(Edit&& edit) {
  Apr2Builder builder = whisper_builder();
  edit(builder);
  return load_error(builder.build());
}

BuiltTensor& named(Apr2Builder& builder, std::string_view name) {
  for (BuiltTensor& tensor : builder.tensors) {
    if (tensor.name == name) return tensor;
  }
  __builtin_trap();
}

}  // namespace

SUSURRUS_TEST(apr2_small_file_is_accepted_as_the_cases_are_made_from_it) {
  RecordingSink sink;
  EXPECT_TRUE(read_file(sink, small().build()).has_value());
  EXPECT_TRUE(sink.tensors["encoder.conv1.bias"] == tensor_bytes(16));
  RecordingSink compressed;
  EXPECT_TRUE(read_file(compressed, with_lz4(lz4_block(11, kZeros))).has_value());
  EXPECT_TRUE(compressed.tensors["encoder.conv1.bias"] == Bytes(64, 0));
}

SUSURRUS_TEST(apr2_malformed_header_and_footer) { expect_all_rejected(header_cases()); }
SUSURRUS_TEST(apr2_malformed_metadata) { expect_all_rejected(metadata_cases()); }
SUSURRUS_TEST(apr2_malformed_index) { expect_all_rejected(index_cases()); }
SUSURRUS_TEST(apr2_malformed_lz4) { expect_all_rejected(lz4_cases()); }

SUSURRUS_TEST(apr2_nothing_is_placed_before_the_index_is_sound) {
  for (const auto& cases : {header_cases(), metadata_cases(), index_cases()}) {
    for (const Malformed& one : cases) {
      if (one.reason == Reason::checksum || one.reason == Reason::truncated ||
          one.reason == Reason::trailing_data) {
        continue;
      }
      RecordingSink sink;
      (void)!read_file(sink, one.file).has_value();
      EXPECT_EQ(sink.order.size(), 0u);
      EXPECT_EQ(sink.manifests, 0);
    }
  }
}

SUSURRUS_TEST(whisper_model_is_refused_before_its_first_weight) {
  EXPECT_EQ(whisper_error([](Apr2Builder&) {}).code, Code::ok);

  Error error = whisper_error([](Apr2Builder& b) {
    std::erase_if(b.tensors,
                  [](const BuiltTensor& t) { return t.name.starts_with("encoder.conv1"); });
  });
  EXPECT_EQ(error.code, Code::missing_tensor);
  EXPECT_EQ(error.reason, Reason::model);
  EXPECT_EQ(error.subject.view(), "encoder.conv1.weight, encoder.conv1.bias");

  error = whisper_error(
      [](Apr2Builder& b) { named(b, "encoder.blocks.0.mlp.0.weight").dims = {64, 64}; });
  EXPECT_EQ(error.code, Code::shape_mismatch);
  EXPECT_EQ(error.subject.view(), "encoder.blocks.0.mlp.0.weight");
  EXPECT_EQ(error.expected.view(), "[128, 32]");
  EXPECT_EQ(error.got.view(), "[64, 64]");

  error = whisper_error([](Apr2Builder& b) {
    named(b, "decoder.token_embedding.weight").dims = {6, 32};
    named(b, "decoder.token_embedding.weight").stored.resize(6 * 32 * 4);
  });
  EXPECT_EQ(error.code, Code::shape_mismatch);

  error = whisper_error([](Apr2Builder& b) { b.tensors.clear(); });
  EXPECT_EQ(error.code, Code::malformed);
  EXPECT_EQ(error.reason, Reason::no_tensors);

  error = whisper_error(
      [](Apr2Builder& b) { b.metadata.replace(b.metadata.find("\"vocab\""), 7, "\"other\""); });
  EXPECT_EQ(error.code, Code::malformed);
  EXPECT_EQ(error.reason, Reason::model);
  EXPECT_EQ(error.subject.view(), "n_vocab");

  error = whisper_error([](Apr2Builder& b) { named(b, "encoder.conv1.bias").dtype = 5; });
  EXPECT_EQ(error.code, Code::malformed);
  EXPECT_EQ(error.reason, Reason::model);

  error = whisper_error([](Apr2Builder& b) {
    b.metadata.replace(b.metadata.find("\"whisper\""), 9, "\"moonshine\"");
  });
  EXPECT_EQ(error.code, Code::unsupported_feature);
  EXPECT_EQ(error.reason, Reason::model);

  error = whisper_error([](Apr2Builder& b) { b.flags |= 0x10; });
  EXPECT_EQ(error.code, Code::decryption_failed);
  EXPECT_EQ(error.reason, Reason::decrypt);

  error = whisper_error([](Apr2Builder& b) {
    BuiltTensor copy = named(b, "encoder.conv1.bias");
    copy.name = "model.encoder.conv1.bias";
    b.tensors.push_back(copy);
  });
  EXPECT_EQ(error.code, Code::malformed);
  EXPECT_EQ(error.reason, Reason::duplicate);
}

SUSURRUS_TEST(apr2_reader_stays_failed) {
  RecordingSink sink;
  DetectingReader reader(sink);
  const Bytes file = with_header<uint16_t>(4, 3);
  EXPECT_EQ(reader.push(file).error().code, Code::unsupported_version);
  EXPECT_EQ(reader.push(file).error().code, Code::disabled_by_previous_error);
  EXPECT_EQ(reader.finish().error().code, Code::disabled_by_previous_error);
}

}  // namespace susurrus::testing::apr2_malformed_test
