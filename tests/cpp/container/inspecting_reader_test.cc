// What inspection says of files that are described and not run.
#include "container/inspecting_reader.h"

#include "container/april_builder.h"
#include "container/bw2l_builder.h"
#include "harness.h"

namespace susurrus::testing::inspecting_reader_test {
namespace {

std::string facts_of(const Bytes& file, size_t piece) {
  InspectingReader reader;
  reader.describe_all();
  reader.set_file_byte_count(file.size());
  for (size_t at = 0; at < file.size(); at += piece) {
    const ByteSpan bytes = ByteSpan(file).subspan(at, std::min(piece, file.size() - at));
    if (!EXPECT_TRUE(reader.push(bytes).has_value())) return {};
  }
  if (!EXPECT_TRUE(reader.finish().has_value()) || reader.describer() == nullptr) return {};
  return reader.describer()->facts();
}

void expect_within(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return;
  report_failure(__FILE__, __LINE__, std::string(part) + " is not in " + text);
}

}  // namespace

SUSURRUS_TEST(inspection_describes_april) {
  AprilBuilder builder;
  builder.name = "\xFF\"";
  const Bytes file = builder.build();
  const std::string facts = facts_of(file, file.size());
  expect_within(facts, R"("format":"april","version":"1","flags":"")");
  expect_within(facts, R"("byteCount":)" + std::to_string(file.size()));
  expect_within(facts, R"("warnings":["the name is not valid UTF-8"])");
  expect_within(facts, "\"name\":\"\xEF\xBF\xBD\\\"\"");
  expect_within(facts, R"("segment_size":9,"segment_step":4)");
  expect_within(facts, R"("tokens":["<blk>"," a","","b"])");
  expect_within(facts, R"({"name":"joiner","offset":)" + std::to_string(builder.part_at[2]));
  expect_within(facts, R"("inputs":[{"name":"context","dtype":"i64","shape":[1,2]}])");
  expect_within(facts, R"("operators":["Add","MatMul"])");
  for (const size_t piece : {size_t{1}, size_t{63}, size_t{65}}) {
    EXPECT_EQ(facts_of(file, piece), facts);
  }
}

SUSURRUS_TEST(inspection_describes_bw2l) {
  Bw2lBuilder builder;
  const Bytes file = builder.build();
  const std::string facts = facts_of(file, file.size());
  expect_within(facts, R"("format":"BW2L","version":"1","flags":"")");
  expect_within(facts, R"("criterion":"ctc","feature":"mfsc","samplerate":16000)");
  expect_within(facts, R"("flags":{"mfsc":"true","filterbanks":"40"})");
  expect_within(facts, R"("tokens":["|","a","'","b"])");
  expect_within(facts, R"({"name":"notes","type":"poem","description":"","offset":)" +
                           std::to_string(builder.data_at["notes"]) + R"(,"size":4})");
  expect_within(facts, R"({"arch":"L 80 4","scale":0.5,"offset":-3,"tensors":[2,3]})");
  expect_within(facts, R"({"name":"layers[3].0","dtype":"i8","shape":[320],)");
  for (const size_t piece : {size_t{1}, size_t{63}, size_t{65}}) {
    EXPECT_EQ(facts_of(file, piece), facts);
  }
}

SUSURRUS_TEST(inspection_describes_only_when_asked) {
  InspectingReader reader;
  const Status status = reader.push(AprilBuilder().build());
  ASSERT_FALSE(status.has_value());
  EXPECT_TRUE(status.error().code == ErrorCode::unsupported_feature);
  EXPECT_TRUE(reader.describer() == nullptr);
}

}  // namespace susurrus::testing::inspecting_reader_test
