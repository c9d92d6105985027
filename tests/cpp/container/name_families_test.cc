#include "families/whisper/name_families.h"

#include "harness.h"

namespace susurrus::testing::name_families_test {
namespace {

CheckpointTensor tensor(std::string name, Shape shape, uint64_t offset = 0) {
  CheckpointTensor made;
  made.info.name = std::move(name);
  made.info.shape = shape;
  made.info.file_offset = offset;
  return made;
}

void expect_mixed(std::vector<CheckpointTensor> tensors, uint64_t offset,
                  std::string_view subject) {
  const Status status = adapt_name_family(tensors);
  ASSERT_TRUE(!status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::malformed);
  EXPECT_EQ(error_reason_name(status.error().reason), "contradiction");
  EXPECT_EQ(status.error().offset, offset);
  EXPECT_EQ(status.error().subject.view(), subject);
}

}  // namespace

SUSURRUS_TEST(name_families_mlx_becomes_openai) {
  std::vector<CheckpointTensor> tensors;
  tensors.push_back(tensor("encoder.conv1.weight", {32, 3, 80}));
  tensors.push_back(tensor("encoder.conv2.weight", {32, 3, 32}));
  tensors.push_back(tensor("encoder.blocks.0.mlp1.weight", {128, 32}));
  tensors.push_back(tensor("decoder.blocks.11.mlp2.bias", {32}));
  tensors.push_back(tensor("alignment_heads", {3, 2}));
  ASSERT_TRUE(adapt_name_family(tensors).has_value());
  EXPECT_TRUE(tensors[0].is_channels_last);
  EXPECT_TRUE(tensors[0].info.shape == Shape({32, 80, 3}));
  EXPECT_TRUE(tensors[1].is_channels_last);
  EXPECT_TRUE(tensors[1].info.shape == Shape({32, 32, 3}));
  EXPECT_EQ(tensors[2].info.name, "encoder.blocks.0.mlp.0.weight");
  EXPECT_EQ(tensors[3].info.name, "decoder.blocks.11.mlp.2.bias");
  EXPECT_EQ(tensors[4].info.name, "alignment_heads");
}

SUSURRUS_TEST(name_families_leave_the_usual_layout) {
  std::vector<CheckpointTensor> tensors;
  tensors.push_back(tensor("model.encoder.conv1.weight", {32, 80, 3}));
  tensors.push_back(tensor("model.encoder.conv2.weight", {3, 3, 3}));
  tensors.push_back(tensor("model.decoder.layers.0.fc1.weight", {128, 32}));
  ASSERT_TRUE(adapt_name_family(tensors).has_value());
  EXPECT_FALSE(tensors[0].is_channels_last);
  EXPECT_TRUE(tensors[0].info.shape == Shape({32, 80, 3}));
  EXPECT_FALSE(tensors[1].is_channels_last);
}

SUSURRUS_TEST(name_families_do_not_mix) {
  const CheckpointTensor openai = tensor("encoder.blocks.0.mlp.0.weight", {4, 1}, 8);
  const CheckpointTensor hub = tensor("model.decoder.layers.0.fc1.weight", {4, 1}, 24);
  const CheckpointTensor mlx = tensor("encoder.blocks.1.mlp1.weight", {4, 1}, 40);
  std::vector<CheckpointTensor> one = {openai};
  EXPECT_TRUE(adapt_name_family(one).has_value());
  expect_mixed({openai, hub}, 24, "model.decoder.layers.0.fc1.weight");
  expect_mixed({hub, openai}, 24, "model.decoder.layers.0.fc1.weight");
  expect_mixed({mlx, openai}, 8, "encoder.blocks.0.mlp.0.weight");
}

}  // namespace susurrus::testing::name_families_test
