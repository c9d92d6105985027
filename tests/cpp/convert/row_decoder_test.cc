#include "convert/row_decoder.h"

#include "container/apr2_builder.h"
#include "harness.h"
#include "kernels/half.h"

namespace susurrus::testing::row_decoder_test {
namespace {

class FloatSink : public ByteSink {
 public:
  Status write(ByteSpan bytes) override {
    for (size_t at = 0; at < bytes.size(); at += 4) {
      values.push_back(load_le<float>(bytes.data() + at));
    }
    return ok_status();
  }
  std::vector<float> values;
};

std::vector<float> decode(const CheckpointTensor& tensor, const Bytes& stored, size_t piece) {
  RowDecoder decoder;
  FloatSink sink;
  EXPECT_TRUE(decoder.start(tensor).has_value());
  for (size_t at = 0; at < stored.size(); at += piece) {
    const size_t count = std::min(piece, stored.size() - at);
    EXPECT_TRUE(decoder.push(ByteSpan(stored).subspan(at, count), sink).has_value());
  }
  return sink.values;
}

}  // namespace

SUSURRUS_TEST(row_decoder_divides_the_integers_of_each_row) {
  CheckpointTensor tensor;
  tensor.info.shape = {2, 3};
  tensor.info.stored_byte_count = 6;
  tensor.row_divisors = {2, 127};
  EXPECT_TRUE(RowDecoder::is_needed(tensor));
  const Bytes stored = {1, 0xFF, 127, 127, 0x81, 0};
  const std::vector<float> expected = {0.5f, -0.5f, 63.5f, 1, -1, 0};
  for (size_t piece : {1, 2, 4, 6}) EXPECT_TRUE(decode(tensor, stored, piece) == expected);
}

SUSURRUS_TEST(row_decoder_puts_channels_before_taps) {
  CheckpointTensor tensor;
  tensor.info.dtype = Dtype::f16;
  tensor.info.shape = {2, 4, 3};  // stored as [2, 3, 4]
  tensor.info.stored_byte_count = 48;
  tensor.is_channels_last = true;
  EXPECT_TRUE(RowDecoder::is_needed(tensor));
  Bytes stored;
  for (int out = 0; out < 2; ++out) {
    for (int tap = 0; tap < 3; ++tap) {
      for (int channel = 0; channel < 4; ++channel) {
        append_number(stored, f16_from_f32(static_cast<float>(100 * out + 10 * channel + tap)));
      }
    }
  }
  std::vector<float> expected;
  for (int out = 0; out < 2; ++out) {
    for (int channel = 0; channel < 4; ++channel) {
      for (int tap = 0; tap < 3; ++tap) {
        expected.push_back(static_cast<float>(100 * out + 10 * channel + tap));
      }
    }
  }
  for (size_t piece : {1, 5, 48}) EXPECT_TRUE(decode(tensor, stored, piece) == expected);
}

SUSURRUS_TEST(row_decoder_is_for_other_forms_only) {
  EXPECT_FALSE(RowDecoder::is_needed(CheckpointTensor()));
}

}  // namespace susurrus::testing::row_decoder_test
