#include "container/apr2/apr2_reader.h"

#include "base/limits.h"
#include "container/inspection.h"
#include "container/recording_sink.h"
#include "families/whisper/whisper_family.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::apr2_reader_test {
namespace {

uint32_t next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

/// Tensors of several blocks each, compressed where that helps.
Apr2Builder large_builder() {
  Apr2Builder builder;
  builder.metadata = tiny_metadata();
  builder.flags = 0x03;
  uint32_t random = 7;
  for (int i = 0; i < 6; ++i) {
    BuiltTensor tensor;
    tensor.name = "t" + std::to_string(i);
    tensor.dtype = 7;
    const size_t sizes[] = {200000, 65536, 65537, 0, 131072, 12};
    Bytes raw(sizes[i]);
    for (uint8_t& byte : raw)
      byte = static_cast<uint8_t>(next_random(random) & (i == 4 ? 0xFF : 0x03));
    tensor.dims = {raw.size()};
    tensor.stored = raw;
    if (Bytes stream = lz4_stream(raw); i % 2 == 0 || stream.size() < raw.size()) {
      tensor.stored = stream;
      tensor.raw_size = raw.size();
    }
    if (i == 5 || raw.empty()) {
      tensor.stored = raw;
      tensor.raw_size = 0;
    }
    builder.tensors.push_back(tensor);
  }
  return builder;
}

void expect_same(const RecordingSink& a, const RecordingSink& b) {
  EXPECT_TRUE(a.tensors == b.tensors);
  EXPECT_TRUE(a.order == b.order);
  EXPECT_TRUE(a.completed == b.completed);
  EXPECT_TRUE(a.warnings == b.warnings);
  EXPECT_TRUE(a.metadata_text == b.metadata_text);
}

bool has_warning(const RecordingSink& sink, std::string_view part) {
  for (const std::string& warning : sink.warnings) {
    if (warning.find(part) != std::string::npos) return true;
  }
  return false;
}

RecordingSink accepted(const Apr2Builder& builder) {
  RecordingSink sink;
  const Status status = read_file(sink, builder.build());
  EXPECT_TRUE(status.has_value());
  if (!status) std::printf("    %s\n", std::string(status.error().got.view()).c_str());
  RecordingSink unknown_length;
  EXPECT_TRUE(read_file(unknown_length, builder.build(), false, 13).has_value());
  expect_same(sink, unknown_length);
  return sink;
}

}  // namespace

SUSURRUS_TEST(apr2_chunk_sizes_do_not_matter) {
  const Apr2Builder builder = large_builder();
  const Bytes file = builder.build();
  RecordingSink whole;
  ASSERT_TRUE(read_file(whole, file).has_value());
  EXPECT_EQ(whole.tensors.size(), 6u);
  for (const BuiltTensor& tensor : builder.tensors) {
    if (tensor.raw_size == 0) EXPECT_TRUE(whole.tensors[tensor.name] == tensor.stored);
  }
  for (size_t size : {1, 7, 65535, 65536, 65537}) {
    for (bool tell_length : {false, true}) {
      RecordingSink sink;
      ASSERT_TRUE(read_file(sink, file, tell_length, size).has_value());
      expect_same(whole, sink);
    }
  }
  uint32_t random = 99;
  for (int round = 0; round < 20; ++round) {
    RecordingSink sink;
    ASSERT_TRUE(read_file(sink, file, round % 2 == 0, [&] {
                  return next_random(random) % (1u << (next_random(random) % 18));
                }).has_value());
    expect_same(whole, sink);
  }
}

SUSURRUS_TEST(apr2_large_raw_tensors_are_filled_in_place) {
  Apr2Builder builder = large_builder();
  uint32_t random = 5;
  size_t large_bytes = 0;
  for (size_t size : {70000, 12, 65536, 65535, 300000}) {
    BuiltTensor tensor;
    tensor.name = "raw" + std::to_string(size);
    tensor.dtype = 7;
    tensor.dims = {size};
    for (size_t i = 0; i < size; ++i) {
      tensor.stored.push_back(static_cast<uint8_t>(next_random(random)));
    }
    builder.tensors.push_back(tensor);
    if (size >= 65536) large_bytes += size;
  }
  const Bytes file = builder.build();
  RecordingSink whole;
  ASSERT_TRUE(read_file(whole, file).has_value());
  for (size_t step : {1000, 65536, 1 << 20}) {
    RecordingSink sink;
    DetectingReader reader(sink);
    size_t placed = 0;
    for (size_t at = 0; at < file.size();) {
      // The index comes first; no place is known before it.
      size_t count = std::min(at == 0 ? 4096 : step, file.size() - at);
      const NextBytes next = reader.next_bytes();
      if (next.place.empty()) {
        count = static_cast<size_t>(std::min<uint64_t>(count, next.count_before_place));
        ASSERT_TRUE(count > 0);
        const Bytes chunk(file.begin() + at, file.begin() + at + count);
        ASSERT_TRUE(reader.push(chunk).has_value());
      } else {
        count = std::min(count, next.place.size());
        std::copy_n(file.begin() + at, count, next.place.begin());
        ASSERT_TRUE(reader.push(next.place.first(count)).has_value());
        placed += count;
      }
      at += count;
    }
    EXPECT_TRUE(reader.finish().has_value());
    EXPECT_EQ(placed, large_bytes);
    expect_same(whole, sink);
  }
}

SUSURRUS_TEST(apr2_every_split_point_gives_the_same) {
  const Bytes file = whisper_builder(16, true).build();
  RecordingSink whole;
  ASSERT_TRUE(read_file(whole, file).has_value());
  for (size_t split = 0; split <= file.size(); split += split < 1200 ? 1 : 331) {
    RecordingSink sink;
    bool is_first = true;
    ASSERT_TRUE(read_file(sink, file, false, [&] {
                  const size_t size = is_first ? split : file.size();
                  is_first = false;
                  return size;
                }).has_value());
    expect_same(whole, sink);
  }
}

SUSURRUS_TEST(apr2_golden_g2) {
  // apr.md §11: built here field by field, so the sheet's CRC proves the layout.
  Apr2Builder builder;
  builder.metadata = tiny_metadata();
  BuiltTensor tensor;
  tensor.name = "encoder.conv1.bias";
  tensor.dims = {4};
  tensor.stored = {0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f};
  builder.tensors = {tensor};
  const Bytes file = builder.build();
  EXPECT_EQ(file.size(), 416u);
  EXPECT_EQ(load_le<uint32_t>(file.data() + 400), 0x582CBE89u);
  RecordingSink sink;
  EXPECT_TRUE(read_file(sink, file).has_value());
  EXPECT_EQ(sink.infos[0].file_offset, 384u);
}

SUSURRUS_TEST(apr2_order_gaps_and_zero_sizes) {
  // The index may list tensors in any order; data come in file order.
  Apr2Builder builder;
  builder.metadata = tiny_metadata();
  for (const char* name : {"c", "a", "b"}) {
    BuiltTensor tensor;
    tensor.name = name;
    tensor.dtype = 7;
    tensor.dims = {10};
    tensor.stored = Bytes(10, static_cast<uint8_t>(name[0]));
    builder.tensors.push_back(tensor);
  }
  builder.tensors[0].offset = 128;  // stored order: what stands at 0, 64, 128
  builder.tensors[1].offset = 0;
  builder.tensors[2].offset = 64;
  builder.tensors[0].stored.swap(builder.tensors[1].stored);
  builder.tensors[1].stored.swap(builder.tensors[2].stored);
  std::swap(builder.tensors[0].stored, builder.tensors[0].stored);
  builder.gap_bytes = 100;
  BuiltTensor empty;
  empty.name = "empty";
  empty.dims = {0, 5};
  empty.offset = 70;
  builder.tensors.push_back(empty);
  const RecordingSink sink = accepted(builder);
  EXPECT_EQ(sink.order.size(), 4u);
  EXPECT_EQ(sink.order.front(), "a");
  EXPECT_EQ(sink.completed.size(), 4u);
  EXPECT_TRUE(sink.tensors.at("a") == Bytes(10, 'a'));
}

SUSURRUS_TEST(apr2_alignment_is_what_the_flags_promise) {
  struct Case {
    uint32_t flags;
    int64_t offset;
    bool warns;
  };
  for (const Case& one :
       {Case{0x00, 4, false}, Case{0x02, 64, false}, Case{0x02, 32, true}, Case{0x04, 32, false},
        Case{0x04, 16, true}, Case{0x06, 64, false}, Case{0x06, 32, true}}) {
    Apr2Builder builder;
    builder.flags = one.flags;
    builder.metadata = tiny_metadata();
    BuiltTensor tensor;
    tensor.name = "a";
    tensor.dims = {4};
    tensor.stored = Bytes(16, 0);
    tensor.offset = one.offset;
    builder.tensors = {tensor};
    builder.gap_bytes = static_cast<size_t>(one.offset);
    const RecordingSink sink = accepted(builder);
    EXPECT_EQ(has_warning(sink, "aligned"), one.warns);
    EXPECT_EQ(sink.warnings.size(), one.warns ? 1u : 0u);
  }
}

SUSURRUS_TEST(apr2_warnings) {
  Apr2Builder builder;
  builder.metadata = tiny_metadata();
  BuiltTensor tensor;
  tensor.name = "a";
  tensor.dims = {4};
  tensor.stored = Bytes(16, 1);
  builder.tensors = {tensor};
  EXPECT_EQ(accepted(builder).warnings.size(), 0u);

  Apr2Builder reserved = builder;
  reserved.reserved = 5;
  EXPECT_TRUE(has_warning(accepted(reserved), "reserved"));

  Apr2Builder misaligned = builder;
  misaligned.tensors[0].offset = 4;
  misaligned.gap_bytes = 4;
  EXPECT_TRUE(has_warning(accepted(misaligned), "aligned"));

  Apr2Builder padded = builder;
  padded.padding = 9;
  EXPECT_TRUE(has_warning(accepted(padded), "padding"));

  Apr2Builder gap = builder;
  gap.gap_bytes = 40;
  EXPECT_EQ(accepted(gap).warnings.size(), 0u);
  for (const size_t from_end : {1u, 20u, 40u}) {
    gap.edit_file = [=](Bytes& file) { file[file.size() - 16 - from_end] = 1; };
    EXPECT_TRUE(has_warning(accepted(gap), "padding"));
  }

  Apr2Builder quantized = builder;
  quantized.flags |= 0x40;
  EXPECT_TRUE(has_warning(accepted(quantized), "QUANTIZED"));

  Apr2Builder raw_size = builder;
  raw_size.tensors[0].raw_size = 16;
  EXPECT_TRUE(has_warning(accepted(raw_size), "raw"));

  Apr2Builder signed_file = builder;
  signed_file.flags |= 0x20;
  EXPECT_TRUE(has_warning(accepted(signed_file), "signature not checked"));

  Apr2Builder minor = builder;
  minor.version_minor = 7;
  EXPECT_EQ(accepted(minor).warnings.size(), 0u);

  Apr2Builder spaces = builder;
  spaces.metadata += " \n\t ";
  EXPECT_EQ(accepted(spaces).warnings.size(), 0u);
}

SUSURRUS_TEST(apr2_appended_signature_is_accepted_with_a_warning) {
  Bytes file = whisper_builder().build();
  file.insert(file.end(), 96, 0xAB);
  for (bool tell_length : {true, false}) {
    for (size_t size : {~size_t{0}, size_t{1}, size_t{50}}) {
      RecordingSink sink;
      EXPECT_TRUE(read_file(sink, file, tell_length, size).has_value());
      EXPECT_TRUE(has_warning(sink, "signature"));
    }
  }
  file.push_back(0xAB);  // 97 bytes are not a signature
  RecordingSink sink;
  EXPECT_EQ(read_file(sink, file).error().reason, ErrorReason::trailing_data);
  // The checksum covers the shorter length.
  Bytes damaged = whisper_builder().build();
  damaged[damaged.size() - 20] ^= 1;
  damaged.insert(damaged.end(), 96, 0xAB);
  RecordingSink other;
  EXPECT_EQ(read_file(other, damaged).error().code, ErrorCode::checksum_mismatch);
}

SUSURRUS_TEST(apr2_encrypted_file_shows_metadata_and_places_nothing) {
  Apr2Builder builder = whisper_builder();
  builder.flags |= 0x10;
  RecordingSink sink;
  EXPECT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_EQ(sink.manifests, 1);
  EXPECT_EQ(sink.order.size(), 0u);
  EXPECT_TRUE(sink.metadata_text == builder.metadata);
  // With a scheme, the stored sizes must fit it.
  builder.metadata.insert(
      builder.metadata.size() - 1,
      R"(,"encryption":{"version":1,"cipher":"AES-256-GCM","piece_size":1048576})");
  RecordingSink other;
  EXPECT_EQ(read_file(other, builder.build()).error().reason, ErrorReason::size_mismatch);
}

SUSURRUS_TEST(apr2_inspection_skips_weights) {
  const Bytes file = whisper_builder(16, true).build();
  InspectSink sink;
  ASSERT_TRUE(read_file(sink, file, false, 100).has_value());
  EXPECT_TRUE(sink.has_manifest());
  EXPECT_EQ(sink.format(), "APR2");
  EXPECT_EQ(sink.flag_names(), "COMPRESSED ALIGNED_64 QUANTIZED STREAMING");
  EXPECT_TRUE(sink.metadata_text() == whisper_builder().metadata);
  EXPECT_EQ(sink.tensors().size(), 50u);
}

SUSURRUS_TEST(apr2_mutations_never_pass_and_never_crash) {
  for (const Apr2Builder& builder : {whisper_builder(), whisper_builder(17, true)}) {
    const Bytes good = builder.build();
    uint32_t random = 12345;
    for (int round = 0; round < 1200; ++round) {
      Bytes file = good;
      // The header, metadata and index matter most.
      const size_t range = round % 3 == 0 ? file.size() : std::min<size_t>(file.size(), 4096);
      const size_t at = next_random(random) % range;
      const uint8_t change = static_cast<uint8_t>(next_random(random));
      file[at] ^= change == 0 ? 1 : change;
      WeightStore store(whisper_alone());
      const bool tell_length = next_random(random) % 2 == 0;
      const size_t size = 1 + next_random(random) % 5000;
      EXPECT_FALSE(read_file(store, file, tell_length, size).has_value());
    }
    for (int round = 0; round < 200; ++round) {
      const Bytes file(good.begin(), good.begin() + next_random(random) % good.size());
      WeightStore store(whisper_alone());
      const Status status = read_file(store, file, round % 2 == 0, 1 + next_random(random) % 5000);
      ASSERT_TRUE(!status.has_value());
      EXPECT_EQ(status.error().code, ErrorCode::truncated_input);
    }
  }
}

SUSURRUS_TEST(apr2_mutations_with_a_right_checksum_never_crash) {
  const Bytes good = whisper_builder(20, true).build();
  uint32_t random = 4711;
  for (int round = 0; round < 1200; ++round) {
    Bytes file = good;
    const int changes = 1 + static_cast<int>(next_random(random) % 3);
    for (int i = 0; i < changes; ++i) {
      const size_t at = next_random(random) % (round % 2 == 0 ? file.size() - 16 : 3000);
      const uint8_t kinds[] = {0, 0xFF, 0x7F, static_cast<uint8_t>(next_random(random))};
      file[at] = kinds[next_random(random) % 4];
    }
    fix_crc(file);
    WeightStore store(whisper_alone());
    const Status status =
        read_file(store, file, next_random(random) % 2 == 0, 1 + next_random(random) % 9000);
    if (!status) {
      EXPECT_TRUE(status.error().code != ErrorCode::internal_error);
    }
  }
}

}  // namespace susurrus::testing::apr2_reader_test
