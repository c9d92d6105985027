#include <zlib.h>

#include <string>
#include <vector>

#include "harness.h"
#include "stream/growing_buffer.h"
#include "stream/lz4_block_stream.h"
#include "stream/lz4_block_writer.h"
#include "stream/output_buffer.h"
#include "stream/push_parser.h"
#include "stream/running_crc32.h"
#include "stream/tail_window.h"

namespace susurrus::testing::stream_test {
namespace {

/// A format of: u8 count, `count` bytes, two bytes that pass as pieces, nothing, the rest.
class ToyReader {
 public:
  ToyReader() { parser_.expect(1, "count", &ToyReader::on_count); }
  Status push(ByteSpan chunk) { return parser_.push(*this, chunk); }
  std::string log;

 private:
  Status on_count(ByteSpan bytes) {
    parser_.expect(bytes[0], "body", &ToyReader::on_body);
    return ok_status();
  }
  Status on_body(ByteSpan bytes) {
    log += "body(" + std::string(as_text(bytes)) + ")@" + std::to_string(parser_.position());
    parser_.stream(2, &ToyReader::on_piece, &ToyReader::on_pieces_end);
    return ok_status();
  }
  Status on_piece(ByteSpan bytes) {
    log += std::string(as_text(bytes));
    return ok_status();
  }
  Status on_pieces_end() {
    parser_.stream(0, &ToyReader::on_piece, &ToyReader::on_nothing);
    return ok_status();
  }
  Status on_nothing() {
    log += "|";
    parser_.stream_rest(&ToyReader::on_piece);
    return ok_status();
  }

  PushParser<ToyReader> parser_;
};

std::string toy_log(std::string_view input, size_t chunk_size) {
  ToyReader reader;
  for (size_t at = 0; at < input.size(); at += chunk_size) {
    EXPECT_TRUE(reader.push(as_bytes(input.substr(at, chunk_size))).has_value());
    EXPECT_TRUE(reader.push({}).has_value());
  }
  return reader.log;
}

std::vector<uint8_t> pattern(size_t count, bool compressible) {
  std::vector<uint8_t> bytes(count);
  uint32_t state = 1;
  for (uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<uint8_t>(compressible ? state >> 30 : state >> 24);
  }
  return bytes;
}

}  // namespace

SUSURRUS_TEST(push_parser_steps_do_not_depend_on_chunks) {
  const std::string input = std::string("\5") + "helloxy" + "the rest";
  for (size_t size = 1; size <= input.size(); ++size) {
    EXPECT_EQ(toy_log(input, size), "body(hello)@6xy|the rest");
  }
  const std::string empty_body = std::string(1, '\0') + "xyz";
  for (size_t size = 1; size <= empty_body.size(); ++size) {
    EXPECT_EQ(toy_log(empty_body, size), "body()@1xy|z");
  }
}

SUSURRUS_TEST(growing_buffer_takes_memory_as_bytes_arrive) {
  GrowingBuffer buffer;
  buffer.start(uint64_t{1} << 60, "test");  // declared, never allocated
  const std::vector<uint8_t> bytes = pattern(3 << 20, false);
  for (size_t at = 0; at < bytes.size(); at += 1000003) {
    const size_t count = std::min<size_t>(1000003, bytes.size() - at);
    ASSERT_TRUE(buffer.append(ByteSpan(bytes).subspan(at, count)).has_value());
  }
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), buffer.bytes().begin()));
}

SUSURRUS_TEST(running_crc32_has_the_check_value) {
  RunningCrc32 crc;
  EXPECT_EQ(crc.value(), 0u);
  crc.update(as_bytes("1234"));
  crc.update({});
  crc.update(as_bytes("56789"));
  EXPECT_EQ(crc.value(), 0xCBF43926u);
}

SUSURRUS_TEST(running_crc32_is_zlibs_for_every_length_and_cut) {
  const std::vector<uint8_t> bytes = pattern(40000, false);
  const auto expected = [&](size_t count) {
    return static_cast<uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(count)));
  };
  // One value that grows byte by byte: every length.
  RunningCrc32 growing;
  for (size_t count = 0; count < 6000; ++count) {
    EXPECT_EQ(growing.value(), expected(count));
    growing.update(ByteSpan(bytes).subspan(count, 1));
  }
  // Every place of a cut relative to the vectors, the history and the batches.
  for (size_t step : {2, 15, 16, 17, 1159, 1160, 1161, 2400, 8191, 8192, 8193, 10592, 39999}) {
    RunningCrc32 crc;
    for (size_t at = 0; at < bytes.size(); at += step) {
      crc.update(ByteSpan(bytes).subspan(at, std::min(step, bytes.size() - at)));
    }
    EXPECT_EQ(crc.value(), expected(bytes.size()));
  }
}

SUSURRUS_TEST(tail_window_holds_the_last_bytes) {
  const std::vector<uint8_t> bytes = pattern(300, false);
  for (size_t chunk = 1; chunk <= 64; ++chunk) {
    TailWindow<16> window;
    std::vector<uint8_t> left;
    for (size_t at = 0; at < bytes.size(); at += chunk) {
      window.push(ByteSpan(bytes).subspan(at, std::min(chunk, bytes.size() - at)),
                  [&](ByteSpan part) { left.insert(left.end(), part.begin(), part.end()); });
    }
    EXPECT_EQ(window.bytes().size(), 16u);
    left.insert(left.end(), window.bytes().begin(), window.bytes().end());
    EXPECT_TRUE(left == bytes);
  }
  TailWindow<16> small;
  small.push(as_bytes("abc"), [](ByteSpan part) { EXPECT_TRUE(part.empty()); });
  EXPECT_EQ(as_text(small.bytes()), "abc");
}

SUSURRUS_TEST(lz4_streams_survive_any_cut) {
  for (bool compressible : {true, false}) {
    for (size_t size : {1, 12, 65536, 65537, 200000}) {
      const std::vector<uint8_t> raw = pattern(size, compressible);
      OutputBuffer stored;
      Lz4BlockWriter writer;
      for (size_t at = 0; at < raw.size(); at += 777) {
        ASSERT_TRUE(
            writer.write(ByteSpan(raw).subspan(at, std::min<size_t>(777, raw.size() - at)), stored)
                .has_value());
      }
      ASSERT_TRUE(writer.finish(stored).has_value());
      if (!compressible && size == 65536)
        EXPECT_EQ(stored.bytes().size(), 65794u + 4);  // apr.md §11, G3
      Lz4BlockStream reader;
      for (size_t chunk : {size_t{1}, size_t{3}, size_t{65535}, stored.bytes().size()}) {
        std::vector<uint8_t> decoded(size);
        reader.start(decoded, stored.bytes().size(), 0, "tensor");
        for (size_t at = 0; at < stored.bytes().size(); at += chunk) {
          const size_t count = std::min(chunk, stored.bytes().size() - at);
          ASSERT_TRUE(reader.push(stored.bytes().subspan(at, count)).has_value());
        }
        EXPECT_TRUE(reader.finish().has_value());
        EXPECT_TRUE(decoded == raw);
      }
    }
  }
}

/// Where the offsets of a sound block's matches are.
std::vector<size_t> offset_places(ByteSpan block) {
  std::vector<size_t> places;
  const auto further = [&](size_t& at) {
    size_t length = 0;
    uint8_t byte = 255;
    while (byte == 255) length += byte = block[at++];
    return length;
  };
  for (size_t at = 0;;) {
    const uint8_t token = block[at++];
    size_t literals = token >> 4;
    if (literals == 15) literals += further(at);
    at += literals;
    if (at == block.size()) return places;
    places.push_back(at);
    at += 2;
    if ((token & 15) == 15) further(at);
  }
}

// liblz4 takes an offset of 0 wherever it stands; the stream does not, whatever length the match has and what is around it.
SUSURRUS_TEST(lz4_streams_refuse_each_offset_of_0) {
  size_t refused = 0;
  for (const size_t period : {5u, 40u, 700u}) {
    std::vector<uint8_t> raw(6000);
    uint32_t state = 1;
    for (size_t i = 0; i < raw.size(); ++i) {
      state = state * 1664525 + 1013904223;
      // No zeros of its own; repeats are broken now and then.
      raw[i] = i < period || state >> 24 < 12 ? static_cast<uint8_t>(1 + (state >> 16) % 255)
                                              : raw[i - period];
    }
    OutputBuffer stored;
    Lz4BlockWriter writer;
    ASSERT_TRUE(writer.write(raw, stored).has_value());
    ASSERT_TRUE(writer.finish(stored).has_value());
    const auto read = [&](ByteSpan stream) {
      std::vector<uint8_t> decoded(raw.size());
      Lz4BlockStream reader;
      reader.start(decoded, stream.size(), 0, "tensor");
      return reader.push(stream);
    };
    EXPECT_TRUE(read(stored.bytes()).has_value());
    for (const size_t place : offset_places(stored.bytes().subspan(4))) {
      std::vector<uint8_t> wrong(stored.bytes().begin(), stored.bytes().end());
      wrong[4 + place] = wrong[4 + place + 1] = 0;
      const Status status = read(wrong);
      ASSERT_TRUE(!status.has_value());
      EXPECT_EQ(status.error().got.view(), "0");
      ++refused;
    }
  }
  EXPECT_TRUE(refused > 200);
}

}  // namespace susurrus::testing::stream_test
