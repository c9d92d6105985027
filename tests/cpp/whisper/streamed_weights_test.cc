// Matrices that are packed on their way in are what those are that are packed in their place.
#include <algorithm>

#include "harness.h"
#include "kernels/packed_weights/packed_weights.h"
#include "whisper/random_model.h"

namespace susurrus::testing::streamed_weights_test {
namespace {

void check_streamed(Dtype dtype, WeightLayout layout, size_t piece_bytes) {
  WeightPacking packing = {.layout = layout, .pack = pack_weights, .pack_rows = pack_rows};
  const auto load = [&](size_t bytes) {
    return random_model(kBlockDimensions, 5, dtype, Dtype::f32, true, packing, bytes);
  };
  const RandomModel placed = load(0);
  const RandomModel streamed = load(piece_bytes);
  size_t packed_count = 0;
  for (const auto& [name, values] : placed.values) {
    const TensorView* one = placed.store.find(name);
    const TensorView* other = streamed.store.find(name);
    ASSERT_TRUE(one != nullptr && other != nullptr);
    EXPECT_TRUE(one->layout == other->layout);
    const bool is_packed = one->layout == layout;
    packed_count += is_packed;
    // The last pack is whole.
    const uint64_t rows = (one->rows() + kPackedRows - 1) / kPackedRows * kPackedRows;
    const auto byte_count =
        static_cast<size_t>((is_packed ? rows : one->rows()) * one->row_byte_count());
    EXPECT_TRUE(std::equal(one->data, one->data + byte_count, other->data));
  }
  // Four of each attention, two of each perceptron, the embedding; perhaps convolutions.
  EXPECT_TRUE(packed_count >= 17);
}

}  // namespace

SUSURRUS_TEST(matrices_in_pieces_of_any_size_are_packed_as_whole_ones) {
  const size_t row_bytes = 34;
  for (size_t piece : {size_t{1}, size_t{7}, 8 * row_bytes - 1, 8 * row_bytes, 8 * row_bytes + 1,
                       size_t{5000}, ~size_t{0}}) {
    check_streamed(Dtype::q8_0, WeightLayout::panels_of_4, piece);
    check_streamed(Dtype::q8_0, WeightLayout::panels_of_2, piece);
  }
  for (Dtype dtype : {Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1}) {
    check_streamed(dtype, WeightLayout::panels_of_4, 7);
    check_streamed(dtype, WeightLayout::panels_of_2, 1000);
  }
}

}  // namespace susurrus::testing::streamed_weights_test
