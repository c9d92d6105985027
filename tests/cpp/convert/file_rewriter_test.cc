// Files written again in their own format: byte for byte where they have no gaps, else without what nothing uses.
#include "convert/file_rewriter.h"

#include "container/april_builder.h"
#include "container/bw2l_builder.h"
#include "container/tennis_builder.h"
#include "harness.h"

namespace susurrus::testing::file_rewriter_test {
namespace {

struct Rewritten {
  Bytes bytes;
  std::vector<std::string> warnings;
  uint64_t tensor_count = 0;
};

/// `second` in place of the file from the second pass on.
Result<Rewritten> rewrite(const Bytes& first, size_t piece, const Bytes* second = nullptr) {
  const auto rewriter =
      open_rewriter(ByteSpan(first).first(std::min<size_t>(first.size(), 64)), first.size());
  Rewritten result;
  for (int pass = 0; !rewriter->is_complete(); ++pass) {
    EXPECT_TRUE(pass < 4);
    const Bytes& file = pass > 0 && second != nullptr ? *second : first;
    const auto drain = [&] {
      const ByteSpan output = rewriter->output();
      result.bytes.insert(result.bytes.end(), output.begin(), output.end());
      rewriter->consume_output();
    };
    rewriter->begin_pass();
    for (size_t at = 0; at < file.size(); at += piece) {
      SUSURRUS_RETURN_IF_ERROR(
          rewriter->push(ByteSpan(file).subspan(at, std::min(piece, file.size() - at))));
      drain();
    }
    SUSURRUS_RETURN_IF_ERROR(rewriter->finish_pass());
    drain();
  }
  result.warnings = rewriter->warnings();
  result.tensor_count = rewriter->tensor_count();
  return result;
}

/// Expects one result however the file is cut.
void expect_rewritten(const Bytes& file, const Bytes& expected,
                      const std::vector<std::string>& warnings) {
  for (const size_t piece : {size_t{1}, size_t{13}, file.size()}) {
    const auto result = rewrite(file, piece);
    ASSERT_TRUE(result.has_value());
    EXPECT_TRUE(result->bytes == expected);
    ASSERT_TRUE(result->warnings == warnings);
  }
}

void expect_refused(const Bytes& file, ErrorCode code, ErrorReason reason, uint64_t offset,
                    std::string_view subject) {
  for (const size_t piece : {size_t{1}, size_t{13}, file.size()}) {
    const auto result = rewrite(file, piece);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(error_code_name(result.error().code), error_code_name(code));
    EXPECT_EQ(error_reason_name(result.error().reason), error_reason_name(reason));
    EXPECT_EQ(result.error().offset, offset);
    EXPECT_EQ(result.error().subject.view(), subject);
  }
}

void expect_noticed(const Bytes& first, const Bytes& second) {
  ASSERT_TRUE(first.size() == second.size());
  expect_rewritten(second, second, {});
  const auto result = rewrite(first, first.size(), &second);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(error_code_name(result.error().code), "source_failed");
  EXPECT_EQ(result.error().subject.view(), "file");
}

Bw2lBuilder bw2l_with_everything() {
  Bw2lBuilder builder;
  builder.sections.push_back({"more notes", "something", Bytes(100, 5), "kept as it is"});
  BuiltSection& array = builder["transitions"];
  array.type = "array";
  append_array(array.data, "fp32", 16, 4);
  return builder;
}

}  // namespace

SUSURRUS_TEST(rewriting_gives_the_same_bytes) {
  AprilBuilder april;
  for (const std::array<int, 4> order : {std::array{0, 1, 2, 3}, std::array{0, 2, 1, 3}}) {
    april.order = order;
    const Bytes file = april.build();
    const std::vector<std::string> warnings =
        order[2] == 2 ? std::vector<std::string>()
                      : std::vector<std::string>{
                            "the params do not follow the joiner, where april-asr expects them"};
    expect_rewritten(file, file, warnings);
  }
  const Bytes bw2l = bw2l_with_everything().build();
  expect_rewritten(bw2l, bw2l, {});
  Bw2lBuilder empty;
  empty.name = "";
  empty.sections.clear();
  const Bytes smallest_bw2l = empty.build();
  EXPECT_EQ(smallest_bw2l.size(), 14u);
  EXPECT_TRUE(rewrite(smallest_bw2l, 14)->bytes == smallest_bw2l);
  for (TennisBuilder builder : {small_module(), module_of_every_dtype()}) {
    builder.user_bytes[119] = 9;
    const Bytes file = builder.build();
    expect_rewritten(file, file, {});
  }
}

SUSURRUS_TEST(rewriting_counts_tensors) {
  // An initialiser in each network; the layers' arrays and the transitions; one weight and a packed pair.
  EXPECT_EQ(rewrite(AprilBuilder().build(), 100)->tensor_count, 3u);
  EXPECT_EQ(rewrite(bw2l_with_everything().build(), 100)->tensor_count, 5u);
  EXPECT_EQ(rewrite(small_module().build(), 100)->tensor_count, 3u);
}

SUSURRUS_TEST(rewriting_leaves_out_what_nothing_uses) {
  AprilBuilder april;
  april.order = {1, 0, 2, 3};
  const Bytes sound = april.build();
  april.header_slack = Bytes(7, 1);
  april.params_slack = Bytes(9, 2);
  april.gap = Bytes(11, 3);
  april.behind = Bytes(13, 4);
  expect_rewritten(
      april.build(), sound,
      {"unused bytes behind the header's fields", "unused bytes between the parts of the file",
       "the params do not follow the joiner, where april-asr expects them",
       "unused bytes behind the tokens", "unused bytes behind the last part of the file"});

  Bw2lBuilder bw2l = bw2l_with_everything();
  const Bytes sound_bw2l = bw2l.build();
  bw2l.behind = {1, 2, 3};
  expect_rewritten(bw2l.build(), sound_bw2l, {"unused bytes behind the last section"});

  TennisBuilder tennis = small_module();
  const Bytes sound_tennis = tennis.build();
  tennis.behind = Bytes(5, 1);
  expect_rewritten(tennis.build(), sound_tennis, {"5 bytes behind the graph are ignored"});
}

SUSURRUS_TEST(networks_that_share_bytes_are_written_apart) {
  // The joiner's entry begins in the middle of the decoder, whose last field holds the joiner's first bytes.
  AprilBuilder builder;
  const Bytes joiner = builder.networks[2].build();
  const size_t shared = joiner.size() / 2;
  Bytes decoder = builder.networks[1].build();
  append_bytes_field(decoder, 100, Bytes(joiner.begin(), joiner.begin() + shared));
  builder.network_bytes[1] = decoder;
  const Bytes sound = builder.build();
  expect_rewritten(sound, sound, {});

  builder.network_bytes[2] = Bytes(joiner.begin() + shared, joiner.end());
  Bytes file = builder.build();
  store_le(file.data() + builder.network_entries_at + 32, builder.part_at[2] - shared);
  store_le(file.data() + builder.network_entries_at + 40, uint64_t{joiner.size()});
  EXPECT_TRUE(file.size() < sound.size());
  expect_rewritten(file, sound, {"parts of the file overlap"});
}

SUSURRUS_TEST(rewriting_refuses_what_its_reader_refuses) {
  AprilBuilder april;
  Bytes file = april.build();
  store_le(file.data() + april.model_type_at, uint32_t{2});
  expect_refused(file, ErrorCode::unsupported_feature, ErrorReason::unsupported,
                 april.model_type_at, "model type");

  Bw2lBuilder bw2l = bw2l_with_everything();
  file = bw2l.build();
  file.pop_back();
  expect_refused(file, ErrorCode::malformed, ErrorReason::bounds, bw2l.data_at["transitions"] - 8,
                 "sections[8].data_length");

  file = small_module().build();
  std::reverse(file.begin() + 4, file.begin() + 8);
  expect_refused(file, ErrorCode::unknown_format, ErrorReason::not_a_model, 4, "code");
}

SUSURRUS_TEST(rewriting_notices_a_file_that_changes_between_the_passes) {
  // As large, and sound: a byte of the encoder has moved to the decoder.
  AprilBuilder builder;
  Bytes encoder = builder.networks[0].build();
  Bytes decoder = builder.networks[1].build();
  const auto file_of = [&](size_t more, size_t less) {
    AprilBuilder made;
    made.network_bytes[0] = encoder;
    made.network_bytes[1] = decoder;
    append_bytes_field(*made.network_bytes[0], 100, Bytes(more));
    append_bytes_field(*made.network_bytes[1], 100, Bytes(less));
    return made.build();
  };
  const Bytes file = file_of(8, 9);
  const Bytes other = file_of(9, 8);
  expect_noticed(file, other);

  Bw2lBuilder bw2l;
  bw2l.sections.push_back({"first", "data", {'a', 'b'}});
  bw2l.sections.push_back({"second", "data", {'c'}});
  const Bytes texts = bw2l.build();
  bw2l["first"].data = {'a'};
  bw2l["second"].data = {'b', 'c'};
  const Bytes moved = bw2l.build();
  expect_noticed(texts, moved);
}

SUSURRUS_TEST(only_formats_without_conversion_are_rewritten) {
  const Bytes apr = Apr2Builder().build();
  EXPECT_TRUE(open_rewriter(ByteSpan(apr), apr.size()) == nullptr);
  EXPECT_TRUE(open_rewriter({}, 0) == nullptr);
}

}  // namespace susurrus::testing::file_rewriter_test
