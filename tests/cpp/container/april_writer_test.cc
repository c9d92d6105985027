// What is written is what was read, and a file without gaps comes back byte for byte.
#include "container/april/april_writer.h"

#include "container/april/april_reader.h"
#include "container/april_builder.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::april_writer_test {
namespace {

struct Copied {
  AprilModel model;
  std::array<Bytes, 3> networks;
};

struct Copier : AprilSink {
  explicit Copier(Copied& copied) : to(copied) {}
  Status on_network_bytes(size_t index, ByteSpan bytes) override {
    to.networks[index].insert(to.networks[index].end(), bytes.begin(), bytes.end());
    return ok_status();
  }
  Copied& to;
};

Status read(const Bytes& file, Copied& copied) {
  Copier sink(copied);
  AprilReader reader(&sink);
  SUSURRUS_RETURN_IF_ERROR(reader.push(file));
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  copied.model = reader.model();
  return ok_status();
}

Result<Bytes> write(const Copied& copied, AprilOrder order, size_t piece) {
  OutputBuffer out;
  SUSURRUS_ASSIGN_OR_RETURN(const auto writer, AprilWriter::plan(copied.model, order));
  SUSURRUS_RETURN_IF_ERROR(writer->begin(out));
  for (const AprilPart part : order) {
    if (part == AprilPart::params) continue;
    const Bytes& bytes = copied.networks[static_cast<size_t>(part)];
    for (size_t at = 0; at < bytes.size(); at += piece) {
      const size_t count = std::min(piece, bytes.size() - at);
      SUSURRUS_RETURN_IF_ERROR(writer->write(ByteSpan(bytes).subspan(at, count), out));
    }
  }
  SUSURRUS_RETURN_IF_ERROR(writer->finish());
  EXPECT_EQ(writer->file_byte_count(), out.bytes().size());
  return Bytes(out.bytes().begin(), out.bytes().end());
}

}  // namespace

SUSURRUS_TEST(april_round_trips) {
  for (const std::array<int, 4> order :
       {std::array{0, 1, 2, 3}, std::array{3, 0, 1, 2}, std::array{2, 3, 1, 0}}) {
    AprilBuilder builder;
    builder.order = order;
    builder.tokens[3] = std::string("\0\xFF", 2);
    const Bytes file = builder.build();
    Copied copied;
    ASSERT_TRUE(read(file, copied));
    for (const size_t piece : {size_t{1}, size_t{1000}}) {
      const auto written = write(copied, april_order_of(copied.model), piece);
      ASSERT_TRUE(written.has_value());
      EXPECT_TRUE(*written == file);
    }
  }
}

SUSURRUS_TEST(april_gaps_and_slack_are_left_out) {
  AprilBuilder sound;
  AprilBuilder builder;
  builder.header_slack = Bytes(7, 1);
  builder.params_slack = Bytes(9, 2);
  builder.gap = Bytes(11, 3);
  builder.behind = Bytes(13, 4);
  builder.order = {1, 3, 0, 2};
  Copied copied;
  ASSERT_TRUE(read(builder.build(), copied));
  const auto written = write(copied, kAprilOrder, 100);
  ASSERT_TRUE(written.has_value());
  EXPECT_TRUE(*written == sound.build());
}

SUSURRUS_TEST(april_writer_refuses_what_no_reader_takes) {
  Copied copied;
  ASSERT_TRUE(read(AprilBuilder().build(), copied));
  const auto expect_refused = [&](auto edit, std::string_view subject, ErrorCode code) {
    AprilModel model = copied.model;
    AprilOrder order = kAprilOrder;
    edit(model, order);
    const auto writer = AprilWriter::plan(std::move(model), order);
    if (!EXPECT_FALSE(writer.has_value())) return;
    EXPECT_EQ(error_code_name(writer.error().code), error_code_name(code));
    EXPECT_EQ(writer.error().subject.view(), subject);
  };
  const ErrorCode argument = ErrorCode::invalid_argument;
  expect_refused([](AprilModel& m, AprilOrder&) { m.params.segment_size = 0; }, "segment_size",
                 argument);
  expect_refused([](AprilModel& m, AprilOrder&) { m.params.blank_token_id = 4; }, "blank_token_id",
                 argument);
  expect_refused([](AprilModel& m, AprilOrder&) { m.tokens.clear(); }, "token_count", argument);
  expect_refused([](AprilModel& m, AprilOrder&) { m.network_ranges[2].byte_count = 0; }, "joiner",
                 argument);
  expect_refused([](AprilModel& m, AprilOrder&) { m.network_ranges[2].byte_count = ~uint64_t{0}; },
                 "joiner", argument);
  expect_refused([](AprilModel&, AprilOrder& o) { o[0] = AprilPart::params; }, "order", argument);
  expect_refused([](AprilModel& m, AprilOrder&) { m.name.assign((16 << 20) + 1, 'n'); }, "name",
                 ErrorCode::limit_exceeded);
  expect_refused([](AprilModel& m, AprilOrder&) { m.tokens[0].assign(17 << 20, 'n'); }, "tokens",
                 ErrorCode::limit_exceeded);

  OutputBuffer out;
  const auto writer = AprilWriter::plan(copied.model);
  ASSERT_TRUE(writer.has_value());
  AprilWriter& early = **writer;
  EXPECT_TRUE(early.write(Bytes(1), out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE(early.finish().error().code == ErrorCode::wrong_state);
  ASSERT_TRUE(early.begin(out));
  EXPECT_TRUE(early.begin(out).error().code == ErrorCode::wrong_state);
  const Bytes long_piece(copied.networks[0].size() + 1);
  EXPECT_TRUE(early.write(long_piece, out).error().reason == ErrorReason::bounds);
  ASSERT_TRUE(early.write(copied.networks[0], out));
  EXPECT_TRUE(early.finish().error().code == ErrorCode::wrong_state);
}

}  // namespace susurrus::testing::april_writer_test
