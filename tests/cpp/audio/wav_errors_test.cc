#include "audio/wav_reader.h"

#include <algorithm>
#include <vector>

#include "audio/wav_builder.h"
#include "audio/wav_checks.h"
#include "harness.h"

namespace susurrus::testing::wav_errors_test {
namespace {

using testing::Bytes;
using testing::expect_error;
using testing::s16_bytes;
using testing::WavBuilder;

SUSURRUS_TEST(wav_headers_cut_short_are_errors_at_the_cut) {
  WavBuilder wav;
  wav.before_data = wav.chunk("LIST", Bytes(10, 1));
  const Bytes file = wav.build();
  for (size_t size = 0; size < file.size(); ++size) {
    expect_error(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size)),
                 ErrorCode::truncated_input, size);
    if (testing::current_case_failed()) return;
  }
}

SUSURRUS_TEST(wav_that_is_none) {
  expect_error(Bytes(4000, 0x42), ErrorCode::malformed, 0);
  WavBuilder wav;
  wav.data = s16_bytes({1});
  Bytes file = wav.build();
  file[8] = 'A';  // an AVI file, perhaps
  expect_error(file, ErrorCode::malformed, 0);
}

SUSURRUS_TEST(wav_formats_that_contradict_themselves) {
  const uint64_t format_at = 20;
  WavBuilder wav;
  wav.data = s16_bytes({1, 2});
  WavBuilder bad = wav;
  bad.channels = 0;
  expect_error(bad.build(), ErrorCode::malformed, format_at + 2);
  bad = wav;
  bad.rate = 0;
  expect_error(bad.build(), ErrorCode::malformed, format_at + 4);
  bad = wav;
  bad.bits = 0;
  expect_error(bad.build(), ErrorCode::malformed, format_at + 14);

  Bytes file = wav.build();
  file[16] = 14;  // the size of the fmt chunk
  expect_error(file, ErrorCode::malformed, format_at);
  file[16] = 0;
  expect_error(file, ErrorCode::malformed, format_at);

  file = wav.build();
  std::copy_n("junk", 4, file.begin() + 12);  // no fmt chunk before the data
  expect_error(file, ErrorCode::malformed, 36);

  bad = wav;
  bad.extensible_mask = 4;
  file = bad.build();
  file[16] = 38;
  expect_error(file, ErrorCode::malformed, format_at);
}

SUSURRUS_TEST(wav_formats_that_are_not_supported) {
  const uint64_t format_at = 20;
  WavBuilder wav;
  wav.data = s16_bytes({1, 2});
  for (uint16_t tag : {0x7777, 2, 17, 85}) {  // unassigned, Microsoft's and IMA's ADPCM, MP3
    WavBuilder bad = wav;
    bad.tag = tag;
    expect_error(bad.build(), ErrorCode::unsupported_feature, format_at);
    bad.extensible_mask = 4;
    expect_error(bad.build(), ErrorCode::unsupported_feature, format_at + 24);
  }
  WavBuilder bad = wav;
  bad.extensible_mask = 4;
  Bytes file = bad.build();
  file[format_at + 39] ^= 1;  // another family of GUIDs
  expect_error(file, ErrorCode::unsupported_feature, format_at + 24);
  for (uint32_t rate : {1u, 999u, 768001u, 0xffffffffu}) {
    bad = wav;
    bad.rate = rate;
    expect_error(bad.build(), ErrorCode::unsupported_feature, format_at + 4);
  }
  for (uint16_t bits : {40, 48, 65, 0xffff}) {
    bad = wav;
    bad.bits = bits;
    expect_error(bad.build(), ErrorCode::unsupported_feature, format_at + 14);
  }
  bad = wav;
  bad.tag = 3;  // half floats
  expect_error(bad.build(), ErrorCode::unsupported_feature, format_at + 14);
}

}  // namespace
}  // namespace susurrus::testing::wav_errors_test
