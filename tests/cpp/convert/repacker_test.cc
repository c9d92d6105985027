// Files into shards and back, tensors as they are stored.
#include "convert/repacker.h"

#include "container/recording_sink.h"
#include "harness.h"

namespace susurrus::testing::repacker_test {
namespace {

/// The files that come out when `source` goes through a Repacker.
std::vector<Bytes> repacked(const std::vector<Bytes>& sources, const InspectSink& inspected,
                            const Apr2FilesOptions& options) {
  Repacker repacker;
  const Status status = repacker.plan(inspected, inspected.metadata_text(), options);
  EXPECT_TRUE(status.has_value());
  std::vector<Bytes> files(repacker.files().files().size());
  const auto drain = [&](size_t file) {
    files[file].insert(files[file].end(), repacker.output().begin(), repacker.output().end());
    repacker.consume_output();
  };
  for (uint32_t i = 0; i < repacker.tensor_count(); ++i) {
    const Repacker::SourceRange& range = repacker.source_range(i);
    const size_t file = repacker.files().file_of(i);
    const ByteSpan bytes = ByteSpan(sources[range.file]).subspan(range.offset, range.byte_count);
    for (size_t at = 0; at < bytes.size(); at += 100) {
      EXPECT_TRUE(
          repacker.push(bytes.subspan(at, std::min<size_t>(100, bytes.size() - at))).has_value());
      drain(file);
    }
    EXPECT_TRUE(repacker.finish_tensor().has_value());
    drain(file);
  }
  EXPECT_TRUE(repacker.finish().has_value());
  drain(files.size() - 1);
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(files[i].size(), repacker.files().files()[i].byte_count);
  }
  return files;
}

}  // namespace

SUSURRUS_TEST(a_model_goes_into_shards_as_it_is) {
  Apr2Builder builder = whisper_builder(16, true);
  std::reverse(builder.tensors.begin(), builder.tensors.end());
  const Bytes source = builder.build();
  InspectSink inspected;
  ASSERT_TRUE(read_file(inspected, source).has_value());
  RecordingSink whole;
  ASSERT_TRUE(read_file(whole, source).has_value());

  for (const uint64_t limit : {uint64_t{0}, uint64_t{20000}, uint64_t{1} << 31}) {
    Apr2FilesOptions options;
    options.shard_byte_count = limit;
    const std::vector<Bytes> files = repacked({source}, inspected, options);
    EXPECT_EQ(files.size() > 1, limit == 20000);
    std::map<std::string, Bytes> found;
    std::vector<std::string> order;
    for (const Bytes& file : files) {
      if (limit > 0) EXPECT_TRUE(file.size() <= limit);
      RecordingSink sink;
      ASSERT_TRUE(read_file(sink, file).has_value());
      EXPECT_EQ(sink.warnings.size(), 0u);
      EXPECT_EQ((sink.flags & 0x08) != 0, limit > 0);
      EXPECT_TRUE((sink.flags & 0x80) != 0);
      EXPECT_EQ(sink.metadata.vocabulary.token_count() > 0, &file == &files[0]);
      EXPECT_TRUE(sink.metadata.whisper()->dimensions == whole.metadata.whisper()->dimensions);
      found.insert(sink.tensors.begin(), sink.tensors.end());
      order.insert(order.end(), sink.order.begin(), sink.order.end());
    }
    EXPECT_TRUE(found == whole.tensors);
    EXPECT_EQ(order.front(), "encoder.conv1.weight");
    EXPECT_EQ(order.back(), "decoder.ln.bias");
  }
}

SUSURRUS_TEST(a_shard_that_cannot_be_so_small_is_refused) {
  const Bytes source = whisper_builder().build();
  InspectSink inspected;
  ASSERT_TRUE(read_file(inspected, source).has_value());
  for (const uint64_t limit : {uint64_t{1}, uint64_t{5000}, (uint64_t{1} << 31) + 1}) {
    Apr2FilesOptions options;
    options.shard_byte_count = limit;
    Repacker repacker;
    const Status status = repacker.plan(inspected, inspected.metadata_text(), options);
    ASSERT_TRUE(!status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(status.error().subject.view(), "shardSize");
  }
}

SUSURRUS_TEST(signed_and_encrypted_models_are_not_taken_apart) {
  for (const uint32_t flag : {0x10u, 0x20u}) {
    Apr2Builder builder = whisper_builder();
    builder.flags |= flag;
    InspectSink inspected;
    ASSERT_TRUE(read_file(inspected, builder.build()).has_value());
    Repacker repacker;
    EXPECT_EQ(repacker.plan(inspected, inspected.metadata_text(), {}).error().code,
              ErrorCode::unsupported_feature);
  }
}

}  // namespace susurrus::testing::repacker_test
