// Files read for what they say about themselves, with everything left out that does not matter: the same as read whole.
#include "container/apr1_builder.h"
#include "container/apr2/apr2_reader.h"
#include "container/april_builder.h"
#include "container/bw2l_builder.h"
#include "container/inspecting_reader.h"
#include "container/tennis_builder.h"
#include "harness.h"

namespace susurrus::testing::skimming_test {
namespace {

struct Read {
  std::string facts;
  uint64_t pushed = 0;
  std::optional<Error> error;
};

/// Reads a file of any kind, as text: pushes `piece` bytes, then skips what it may, up to `most` at
/// a time.
Read read(const Bytes& file, size_t piece, uint64_t most) {
  InspectingReader reader;
  reader.describe_all();
  if (most > 0) reader.skim();
  reader.set_file_byte_count(file.size());
  Read found;
  for (size_t at = 0; at < file.size();) {
    const ByteSpan bytes = ByteSpan(file).subspan(at, std::min(piece, file.size() - at));
    if (const Status status = reader.push(bytes); !status) {
      found.error = status.error();
      return found;
    }
    at += bytes.size();
    found.pushed += bytes.size();
    const uint64_t skipped = std::min(reader.skippable(), most);
    EXPECT_TRUE(skipped <= file.size() - at);
    reader.skip(skipped);
    at += skipped;
  }
  if (const Status status = reader.finish(); !status) {
    found.error = status.error();
    return found;
  }
  if (reader.describer() != nullptr) {
    found.facts = reader.describer()->facts();
    return found;
  }
  const InspectSink& sink = reader.sink();
  found.facts = std::string(sink.format()) + sink.flag_names() + std::string(sink.metadata_text());
  for (const TensorInfo& tensor : sink.tensors()) {
    found.facts += tensor.name + std::to_string(tensor.file_offset);
  }
  for (const std::string& warning : sink.warnings()) found.facts += warning;
  return found;
}

constexpr uint64_t kAll = ~uint64_t{0};

void expect_same_skimmed(const Bytes& file, uint64_t most_pushed) {
  const Read whole = read(file, file.size(), 0);
  ASSERT_FALSE(whole.error.has_value());
  for (const size_t piece : {1, 7, 64, 65, 1000}) {
    for (const uint64_t most : {uint64_t{1}, uint64_t{3}, kAll}) {
      const Read skimmed = read(file, piece, most);
      ASSERT_FALSE(skimmed.error.has_value());
      EXPECT_EQ(skimmed.facts, whole.facts);
      if (piece == 1 && most == kAll) EXPECT_TRUE(skimmed.pushed <= most_pushed);
    }
  }
}

}  // namespace

SUSURRUS_TEST(skimming_reads_no_weights_of_apr2) {
  for (const bool compress : {false, true}) {
    const Bytes file = whisper_builder(0, compress).build();
    const uint64_t data = load_le<uint32_t>(file.data() + 28);
    expect_same_skimmed(file, data + 200);
  }
}

SUSURRUS_TEST(skimming_reads_no_weights_of_apr1) {
  for (const uint8_t quantization : {uint8_t{0}, uint8_t{2}}) {
    const Apr1Builder builder = whisper_apr1(quantization);
    uint64_t data = 0;
    for (const Apr1Tensor& tensor : builder.tensors) data += tensor.stored.size();
    const Bytes file = builder.build();
    expect_same_skimmed(file, file.size() - data + 100);
  }
}

SUSURRUS_TEST(skimming_leaves_checksums_alone) {
  Bytes file = whisper_builder().build();
  file[file.size() - 100] ^= 1;
  ASSERT_TRUE(read(file, file.size(), 0).error.has_value());
  EXPECT_TRUE(read(file, file.size(), 0).error->code == ErrorCode::checksum_mismatch);
  for (const size_t piece : {size_t{1}, size_t{100}, file.size()}) {
    EXPECT_FALSE(read(file, piece, kAll).error.has_value());
  }
}

SUSURRUS_TEST(skimming_still_sees_the_end_of_apr2) {
  const Bytes sound = whisper_builder().build();
  const auto expect_error = [](const Bytes& file, ErrorCode code, std::string_view subject) {
    for (const size_t piece : {1, 64, 1000}) {
      const Read found = read(file, piece, kAll);
      ASSERT_TRUE(found.error.has_value());
      EXPECT_EQ(error_code_name(found.error->code), error_code_name(code));
      EXPECT_EQ(found.error->subject.view(), subject);
      EXPECT_EQ(found.error->offset, read(file, file.size(), 0).error->offset);
    }
  };
  Bytes footer = sound;
  footer[footer.size() - 10] ^= 1;
  expect_error(footer, ErrorCode::truncated_input, "footer");
  Bytes size = sound;
  size[size.size() - 8] ^= 1;
  EXPECT_TRUE(read(size, 64, kAll).error.has_value());
  const Bytes cut(sound.begin(), sound.end() - 500);
  expect_error(cut, ErrorCode::truncated_input, "footer");
}

SUSURRUS_TEST(skimming_is_never_beyond_a_file_of_unknown_length) {
  const Bytes file = whisper_builder().build();
  InspectingReader reader;
  reader.describe_all();
  reader.skim();
  EXPECT_TRUE(reader.push(ByteSpan(file).first(file.size() / 2)).has_value());
  EXPECT_EQ(reader.skippable(), 0u);
}

SUSURRUS_TEST(skimming_reads_no_networks_of_april) {
  AprilBuilder builder;
  builder.gap = Bytes(300, 0);
  builder.behind = Bytes(1000, 1);
  const Bytes file = builder.build();
  expect_same_skimmed(file, file.size() - 1900);
}

SUSURRUS_TEST(skimming_reads_no_arrays_of_bw2l) {
  Bw2lBuilder builder;
  const Bytes file = builder.build();
  expect_same_skimmed(file, file.size() - 320);
  builder.behind = Bytes(500, 1);
  expect_same_skimmed(builder.build(), file.size() - 320);
}

SUSURRUS_TEST(skimming_reads_no_tensors_of_tennis) {
  TennisBuilder builder = small_module();
  for (BuiltNode& node : builder.nodes) {
    node.parameters.push_back(parameter("more", float_field({500}, std::vector<float>(500, 1.5f))));
  }
  const uint64_t left_out = 2000 * builder.nodes.size() - 100;
  const Bytes file = builder.build();
  expect_same_skimmed(file, file.size() - left_out);
  builder.behind = Bytes(700, 1);
  expect_same_skimmed(builder.build(), file.size() - left_out + 100);
}

}  // namespace susurrus::testing::skimming_test
