#include "audio/wav_reader.h"

#include <vector>

#include "audio/wav_builder.h"
#include "audio/wav_checks.h"
#include "harness.h"

namespace susurrus::testing::wav_reader_test {
namespace {

using testing::Bytes;
using testing::expect_samples;
using testing::Read;
using testing::read_wav;
using testing::s16_bytes;
using testing::WavBuilder;

const std::vector<int> kSteps = {0, 1, -1, 256, -32768, 32767, 12345};
const std::vector<float> kStepValues = {0,  1 / 32768.0f,     -1 / 32768.0f,   256 / 32768.0f,
                                        -1, 32767 / 32768.0f, 12345 / 32768.0f};

SUSURRUS_TEST(wav_of_16_bits) {
  WavBuilder wav;
  wav.data = s16_bytes(kSteps);
  expect_samples(wav.build(), kStepValues);
  const Read read = read_wav(wav.build());
  EXPECT_EQ(read.format.sample_rate, 16000u);
  EXPECT_EQ(read.format.channels, 1u);
}

SUSURRUS_TEST(wav_of_8_bits_is_unsigned) {
  WavBuilder wav;
  wav.bits = 8;
  wav.data = {0, 64, 127, 128, 129, 255};
  expect_samples(wav.build(), {-1, -0.5f, -1 / 128.0f, 0, 1 / 128.0f, 127 / 128.0f});
}

SUSURRUS_TEST(wav_of_24_bits_packed_and_in_four_bytes) {
  const std::vector<float> expected = {0, 1 / 8388608.0f, -1 / 8388608.0f, -1,
                                       8388607 / 8388608.0f};
  WavBuilder wav;
  wav.bits = 24;
  wav.data = {0, 0, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0x80, 0xff, 0xff, 0x7f};
  expect_samples(wav.build(), expected);
  wav.frame_bytes = 4;
  wav.data = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0, 0x80, 0, 0xff, 0xff, 0x7f};
  expect_samples(wav.build(), expected);
}

SUSURRUS_TEST(wav_of_odd_bit_counts_uses_the_container) {
  WavBuilder wav;
  wav.bits = 12;
  wav.data = s16_bytes({0x1230, -0x1000});
  expect_samples(wav.build(), {0x1230 / 32768.0f, -0x1000 / 32768.0f});
}

SUSURRUS_TEST(wav_of_32_and_64_bits) {
  WavBuilder wav;
  wav.bits = 32;
  wav.data = testing::bytes_of<int32_t>({0, 1 << 30, -(1 << 29), INT32_MIN});
  expect_samples(wav.build(), {0, 0.5f, -0.25f, -1});
  wav.bits = 64;
  wav.data = testing::bytes_of<int64_t>({0, int64_t{1} << 62, INT64_MIN});
  expect_samples(wav.build(), {0, 0.5f, -1});
}

SUSURRUS_TEST(wav_of_floats_keeps_them_as_they_are) {
  WavBuilder wav;
  wav.tag = 3;
  wav.bits = 32;
  wav.data = testing::bytes_of<float>({0.1f, -7.5f, 1e-20f});
  expect_samples(wav.build(), {0.1f, -7.5f, 1e-20f});
  wav.bits = 64;
  wav.data = testing::bytes_of<double>({0.1, -7.5, 1e-20});
  expect_samples(wav.build(), {0.1f, -7.5f, 1e-20f});
}

SUSURRUS_TEST(wav_of_g711) {
  // Codes and their samples from the tables of ITU-T G.711.
  WavBuilder wav;
  wav.tag = 6;
  wav.bits = 8;
  wav.data = {0xd5, 0x55, 0xaa, 0x2a, 0x80, 0xc5};
  std::vector<float> expected = {8, -8, 32256, -32256, 5504, 264};
  for (float& value : expected) value /= 32768;
  expect_samples(wav.build(), expected);

  wav.tag = 7;
  wav.data = {0xff, 0x7f, 0x80, 0x00, 0xef, 0x6f};
  expected = {0, 0, 32124, -32124, 132, -132};
  for (float& value : expected) value /= 32768;
  expect_samples(wav.build(), expected);
}

SUSURRUS_TEST(wav_extensible_says_the_codec_and_the_speakers) {
  WavBuilder wav;
  wav.extensible_mask = 0x3f;
  wav.channels = 6;
  wav.data = s16_bytes({1, 2, 3, 4, 5, 6});
  const Read read = read_wav(wav.build());
  EXPECT_EQ(read.error.code, ErrorCode::ok);
  EXPECT_EQ(read.samples.size(), 6u);
  EXPECT_EQ(read.format.channel_mask, 0x3fu);
  // A mask of another number of channels says nothing.
  wav.extensible_mask = 0x3;
  EXPECT_EQ(read_wav(wav.build()).format.channel_mask, 0u);

  wav.tag = 3;
  wav.bits = 32;
  wav.channels = 1;
  wav.extensible_mask = 0x4;
  wav.data = testing::bytes_of<float>({0.25f});
  expect_samples(wav.build(), {0.25f});
}

SUSURRUS_TEST(wav_chunks_around_the_data_are_passed_over) {
  WavBuilder wav;
  wav.data = s16_bytes(kSteps);
  wav.before_format = wav.chunk("JUNK", Bytes(28, 0x55));
  wav.before_data = wav.chunk("LIST", Bytes(7, 0x11));  // odd: padded
  WavBuilder::append(wav.before_data, wav.chunk("fact", Bytes(4, 0)));
  WavBuilder::append(wav.before_data, wav.chunk("none", {}));
  wav.after_data = wav.chunk("LIST", Bytes(26, 0x7f));
  wav.format_tail = {0, 0};  // the fmt chunk of 18 bytes
  expect_samples(wav.build(), kStepValues);
  wav.format_tail = Bytes(31, 9);  // longer than anything known, and odd
  expect_samples(wav.build(), kStepValues);
}

SUSURRUS_TEST(wav_of_odd_data_is_followed_by_a_pad_byte) {
  WavBuilder wav;
  wav.bits = 8;
  wav.data = {128, 192, 64};
  wav.after_data = wav.chunk("LIST", Bytes(8, 0x7f));
  expect_samples(wav.build(), {0, 0.5f, -0.5f});
}

SUSURRUS_TEST(wav_streams_of_unknown_length_end_with_the_file) {
  for (uint32_t size : {0u, 0xffffffffu}) {
    WavBuilder wav;
    wav.data = s16_bytes(kSteps);
    wav.riff_size = size;
    wav.data_size = size;
    expect_samples(wav.build(), kStepValues);
  }
}

SUSURRUS_TEST(wav_without_samples) {
  WavBuilder wav;
  expect_samples(wav.build(), {});
}

SUSURRUS_TEST(wav_that_ends_early_gives_what_is_there) {
  WavBuilder wav;
  wav.data = s16_bytes({1000, 2000, 3000});
  wav.data_size = 4000;
  Bytes file = wav.build();
  Read read = read_wav(file);
  EXPECT_EQ(read.error.code, ErrorCode::ok);
  EXPECT_TRUE(read.truncated);
  EXPECT_EQ(read.samples.size(), 3u);
  file.pop_back();  // within a sample
  for (size_t piece : {1u << 20, 1u, 3u}) {
    read = read_wav(file, piece);
    EXPECT_EQ(read.error.code, ErrorCode::ok);
    EXPECT_TRUE(read.truncated);
    EXPECT_EQ(read.samples.size(), 2u);
  }
}

SUSURRUS_TEST(wav_rf64_takes_the_size_from_ds64) {
  for (std::string_view magic : {"RF64", "BW64"}) {
    WavBuilder wav;
    wav.magic = magic;
    wav.riff_size = 0xffffffff;
    wav.data_size = 0xffffffff;
    wav.data = s16_bytes(kSteps);
    Bytes sizes(28, 0);
    sizes[8] = static_cast<uint8_t>(wav.data.size());
    wav.before_format = wav.chunk("ds64", sizes);
    wav.after_data = wav.chunk("LIST", Bytes(26, 0x7f));
    expect_samples(wav.build(), kStepValues);
    // A size of 4 GiB and more: all there is belongs to it, and some is missing.
    wav.after_data.clear();
    sizes[12] = 1;
    wav.before_format = wav.chunk("ds64", sizes);
    const Read read = read_wav(wav.build());
    EXPECT_EQ(read.samples.size(), kSteps.size());
    EXPECT_TRUE(read.truncated);
    // Nothing known: a stream.
    wav.before_format.clear();
    expect_samples(wav.build(), kStepValues);
  }
}

SUSURRUS_TEST(wav_rifx_is_big_endian) {
  WavBuilder wav;
  wav.big_endian = true;
  wav.magic = "RIFX";
  wav.data = {0x12, 0x34, 0xff, 0xff};
  expect_samples(wav.build(), {0x1234 / 32768.0f, -1 / 32768.0f});
  wav.tag = 3;
  wav.bits = 32;
  wav.data = {0x3f, 0x00, 0, 0};
  expect_samples(wav.build(), {0.5f});
}

}  // namespace
}  // namespace susurrus::testing::wav_reader_test
