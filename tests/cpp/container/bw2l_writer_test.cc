// What is written is what was read, byte for byte.
#include "container/bw2l/bw2l_writer.h"

#include "container/bw2l/bw2l_reader.h"
#include "container/bw2l_builder.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::bw2l_writer_test {
namespace {

/// The bytes of all sections, as they come.
struct Pieces : Bw2lSink {
  Status on_bytes(const Bw2lSection&, ByteSpan bytes) override {
    pieces.emplace_back(bytes.begin(), bytes.end());
    return ok_status();
  }
  std::vector<Bytes> pieces;
};

/// Reads in pieces of `piece` bytes and writes what came.
Result<Bytes> copy(const Bytes& file, size_t piece) {
  Pieces pieces;
  Bw2lReader reader(&pieces);
  for (size_t at = 0; at < file.size(); at += piece) {
    SUSURRUS_RETURN_IF_ERROR(
        reader.push(ByteSpan(file).subspan(at, std::min(piece, file.size() - at))));
  }
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  OutputBuffer out;
  SUSURRUS_ASSIGN_OR_RETURN(const auto writer, Bw2lWriter::plan(reader.model()));
  SUSURRUS_RETURN_IF_ERROR(writer->begin(out));
  for (const Bytes& bytes : pieces.pieces) SUSURRUS_RETURN_IF_ERROR(writer->write(bytes, out));
  SUSURRUS_RETURN_IF_ERROR(writer->finish());
  EXPECT_EQ(writer->file_byte_count(), out.bytes().size());
  return Bytes(out.bytes().begin(), out.bytes().end());
}

}  // namespace

SUSURRUS_TEST(bw2l_round_trips) {
  Bw2lBuilder builder;
  builder.sections.push_back({"", "", {}, ""});
  builder.sections.push_back({"empty", "layers", layers_data({}), "no layers"});
  builder.sections.push_back({"more", "layers", layers_data({{"", {{"fp64", 0}, {"i64", 3}}}})});
  BuiltSection& array = builder["transitions"];
  array.type = "array";
  append_array(array.data, "fp32", 16, 4);
  const Bytes file = builder.build();
  for (const size_t piece : {size_t{1}, size_t{13}, file.size()}) {
    const auto copied = copy(file, piece);
    ASSERT_TRUE(copied.has_value());
    EXPECT_TRUE(*copied == file);
  }
}

SUSURRUS_TEST(bw2l_bytes_behind_are_left_out) {
  Bw2lBuilder builder;
  const Bytes sound = builder.build();
  builder.behind = {1, 2, 3};
  const auto copied = copy(builder.build(), 100);
  ASSERT_TRUE(copied.has_value());
  EXPECT_TRUE(*copied == sound);
}

SUSURRUS_TEST(bw2l_writer_refuses_what_cannot_be_stored) {
  const std::string longer(256, 'n');
  const auto refused = [](Bw2lModel model) {
    const auto writer = Bw2lWriter::plan(std::move(model));
    return writer ? std::string() : std::string(writer.error().subject.view());
  };
  const auto with = [](auto edit) {
    Bw2lModel model;
    edit(model.sections.emplace_back());
    return model;
  };
  Bw2lModel named;
  named.name = longer.substr(1);
  EXPECT_EQ(refused(named), "");
  named.name = longer;
  EXPECT_EQ(refused(named), "name");
  EXPECT_EQ(refused(with([&](Bw2lSection& s) { s.name = longer; })), "section name");
  EXPECT_EQ(refused(with([&](Bw2lSection& s) { s.type = longer; })), "section type");
  EXPECT_EQ(refused(with([&](Bw2lSection& s) {
              s.type = "keyval";
              s.pairs.emplace_back().key = longer;
            })),
            "key");
  EXPECT_EQ(refused(with([&](Bw2lSection& s) {
              s.name = "huge";
              s.type = "array";
              s.array.count = uint64_t{1} << 62;
            })),
            "huge");
  EXPECT_EQ(refused(with([&](Bw2lSection& s) {
              s.name = "huge";
              s.byte_count = ~uint64_t{0};
            })),
            "huge");

  OutputBuffer out;
  const auto writer = Bw2lWriter::plan(with([](Bw2lSection& s) { s.byte_count = 2; }));
  ASSERT_TRUE(writer.has_value());
  Bw2lWriter& early = **writer;
  EXPECT_TRUE(early.write(Bytes(1), out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE(early.finish().error().code == ErrorCode::wrong_state);
  ASSERT_TRUE(early.begin(out));
  EXPECT_TRUE(early.begin(out).error().code == ErrorCode::wrong_state);
  EXPECT_TRUE(early.write(Bytes(3), out).error().reason == ErrorReason::bounds);
  ASSERT_TRUE(early.write(Bytes(1), out));
  EXPECT_TRUE(early.finish().error().code == ErrorCode::wrong_state);
  ASSERT_TRUE(early.write(Bytes(1), out));
  EXPECT_TRUE(early.finish().has_value());
}

}  // namespace susurrus::testing::bw2l_writer_test
