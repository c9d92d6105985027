#include "families/whisper/whisper_tensors.h"

#include "container/recording_sink.h"
#include "families/whisper/whisper_family.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::whisper_tensors_test {
namespace {

BuiltTensor& named(Apr2Builder& builder, std::string_view name) {
  for (BuiltTensor& tensor : builder.tensors) {
    if (tensor.name == name) return tensor;
  }
  __builtin_trap();
}

}  // namespace

SUSURRUS_TEST(tensor_counts_are_whispers) {
  WhisperDimensions tiny;
  tiny.n_vocab = 51865;
  tiny.n_audio_ctx = 1500;
  tiny.n_text_ctx = 448;
  tiny.n_mels = 80;
  tiny.n_audio_layer = tiny.n_text_layer = 4;
  tiny.n_audio_state = tiny.n_text_state = 384;
  const auto tensors = whisper_tensors(tiny);
  EXPECT_EQ(tensors.size(), 167u);
  uint64_t parameters = 0;
  for (const WantedTensor& tensor : tensors) parameters += *tensor.shape.element_count();
  EXPECT_EQ(parameters, 37760640u);
  EXPECT_EQ(tensors.front().name, "encoder.conv1.weight");
  EXPECT_EQ(tensors.back().name, "decoder.ln.bias");
}

SUSURRUS_TEST(tensor_names_become_openais) {
  const std::pair<const char*, const char*> names[] = {
      {"model.encoder.conv1.weight", "encoder.conv1.weight"},
      {"encoder.conv2.bias", "encoder.conv2.bias"},
      {"model.encoder.embed_positions.weight", "encoder.positional_embedding"},
      {"encoder.positional_embedding", "encoder.positional_embedding"},
      {"decoder.embed_tokens.weight", "decoder.token_embedding.weight"},
      {"decoder.token_embedding", "decoder.token_embedding.weight"},
      {"decoder.token_embedding.weight", "decoder.token_embedding.weight"},
      {"model.encoder.layer_norm.bias", "encoder.ln_post.bias"},
      {"model.decoder.layer_norm.weight", "decoder.ln.weight"},
      {"model.encoder.layers.3.self_attn.k_proj.weight", "encoder.blocks.3.attn.key.weight"},
      {"decoder.layers.31.encoder_attn.out_proj.bias", "decoder.blocks.31.cross_attn.out.bias"},
      {"model.decoder.layers.0.encoder_attn_layer_norm.weight",
       "decoder.blocks.0.cross_attn_ln.weight"},
      {"model.decoder.layers.0.final_layer_norm.bias", "decoder.blocks.0.mlp_ln.bias"},
      {"model.decoder.layers.10.fc1.weight", "decoder.blocks.10.mlp.0.weight"},
      {"encoder.layers.0.fc2.bias", "encoder.blocks.0.mlp.2.bias"},
      {"encoder.blocks.0.mlp.2.bias", "encoder.blocks.0.mlp.2.bias"},
      {"proj_out.weight", "proj_out.weight"},
      {"model.other", "model.other"},
      {"encoder.layers.0", "encoder.layers.0"},
      {"encoder.layers.0.unknown.weight", "encoder.layers.0.unknown.weight"},
      {"", ""},
  };
  for (const auto& [from, to] : names) EXPECT_EQ(canonical_tensor_name(from), to);
}

SUSURRUS_TEST(hub_names_are_what_canonical_names_come_from) {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"encoder.conv1.weight", "model.encoder.conv1.weight"},
      {"encoder.positional_embedding", "model.encoder.embed_positions.weight"},
      {"encoder.blocks.12.attn_ln.bias", "model.encoder.layers.12.self_attn_layer_norm.bias"},
      {"encoder.blocks.0.mlp.0.weight", "model.encoder.layers.0.fc1.weight"},
      {"encoder.ln_post.bias", "model.encoder.layer_norm.bias"},
      {"decoder.token_embedding.weight", "model.decoder.embed_tokens.weight"},
      {"decoder.positional_embedding", "model.decoder.embed_positions.weight"},
      {"decoder.blocks.3.cross_attn.key.weight",
       "model.decoder.layers.3.encoder_attn.k_proj.weight"},
      {"decoder.blocks.3.mlp_ln.weight", "model.decoder.layers.3.final_layer_norm.weight"},
      {"decoder.ln.weight", "model.decoder.layer_norm.weight"},
  };
  for (const auto& [canonical, hub] : names) EXPECT_EQ(hub_tensor_name(canonical), hub);
  WhisperDimensions dimensions{5, 6, 4, 80, 2, 3, 2, 2, 32, 32};
  for (const WantedTensor& tensor : whisper_tensors(dimensions)) {
    const std::string hub = hub_tensor_name(tensor.name);
    EXPECT_TRUE(hub.starts_with("model."));
    EXPECT_TRUE(hub.find("blocks") == std::string::npos);
    EXPECT_EQ(canonical_tensor_name(hub), tensor.name);
  }
}

SUSURRUS_TEST(weight_store_keeps_what_whisper_needs_by_openais_names) {
  Apr2Builder builder = whisper_builder(16);
  named(builder, "encoder.positional_embedding").name = "model.encoder.embed_positions.weight";
  named(builder, "encoder.conv1.bias").dims = {32, 1};       // ggml's column
  named(builder, "encoder.conv1.weight").dims = {3, 8, 32};  // reversed
  BuiltTensor ignored;
  ignored.name = "proj_out.weight";
  ignored.dims = {5, 32};
  ignored.stored.resize(640, 0x77);
  builder.tensors.push_back(ignored);
  BuiltTensor filterbank;
  filterbank.name = "audio.mel_filterbank";
  filterbank.dims = {8, 201};
  filterbank.stored.resize(8 * 201 * 4, 0);
  filterbank.stored[3] = 0x3F;
  builder.tensors.push_back(filterbank);

  WeightStore store(whisper_alone());
  ASSERT_TRUE(read_file(store, builder.build(), false, 1000).has_value());
  const TensorView* conv = store.find("encoder.conv1.weight");
  ASSERT_TRUE(conv != nullptr);
  // Taps before channels.
  ASSERT_TRUE(conv->dtype == Dtype::f32 && conv->shape == Shape({32, 24}));
  const Bytes& taps = named(builder, "encoder.conv1.weight").stored;
  for (size_t i = 0; i < 32 * 24; ++i) {
    const size_t at = i / 24 * 24 + i % 8 * 3 + i % 24 / 8;
    EXPECT_TRUE(std::equal(taps.begin() + static_cast<ptrdiff_t>(4 * at),
                           taps.begin() + static_cast<ptrdiff_t>(4 * at + 4), conv->data + 4 * i));
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(conv->data) % 64, 0u);
  EXPECT_TRUE(store.find("encoder.conv1.bias")->shape == Shape({32}));
  const TensorView* matrix = store.find("decoder.blocks.0.cross_attn.key.weight");
  EXPECT_TRUE(matrix->dtype == Dtype::q8_0);
  const Bytes& stored = named(builder, "decoder.blocks.0.cross_attn.key.weight").stored;
  EXPECT_TRUE(std::equal(stored.begin(), stored.end(), matrix->data));
  EXPECT_TRUE(store.find("encoder.positional_embedding") != nullptr);
  EXPECT_TRUE(store.find("proj_out.weight") == nullptr);
  EXPECT_EQ(store.metadata().mel_filterbank.byte_count(), 8u * 201 * 4);
  EXPECT_TRUE(store.metadata().mel_filterbank.floats()[0] == 0.5f);
  EXPECT_EQ(as_text(store.metadata().vocabulary.token(1)), " b");
  uint64_t expected = 0;
  for (const BuiltTensor& tensor : builder.tensors) {
    if (tensor.name != "proj_out.weight" && tensor.name != "audio.mel_filterbank")
      expected += tensor.stored.size();
  }
  EXPECT_EQ(store.weight_byte_count(), expected);
  EXPECT_EQ(store.warnings().size(), 1u);  // the reversed dimensions
}

SUSURRUS_TEST(weight_store_refuses_reversed_convolutions_in_blocks) {
  Apr2Builder builder = whisper_builder();
  BuiltTensor& tensor = named(builder, "encoder.conv1.weight");
  tensor.dtype = static_cast<uint8_t>(Dtype::q8_0);
  tensor.dims = {3, 8, 32};  // reversed, so that its rows would be whole blocks
  tensor.stored.resize(size_t{3} * 8 * 34);
  WeightStore store(whisper_alone());
  const auto result = read_file(store, builder.build());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::shape_mismatch);
  EXPECT_EQ(result.error().subject.view(), "encoder.conv1.weight");
}

SUSURRUS_TEST(filterbank_tensor_must_fit) {
  Apr2Builder builder = whisper_builder();
  BuiltTensor filterbank;
  filterbank.name = "audio.mel_filterbank";
  filterbank.dims = {80, 201};
  filterbank.stored.resize(80 * 201 * 4);
  builder.tensors.push_back(filterbank);
  WeightStore store(whisper_alone());
  EXPECT_EQ(read_file(store, builder.build()).error().reason, ErrorReason::bad_filterbank);
}

SUSURRUS_TEST(absurd_layer_counts_are_refused_without_listing_them) {
  WhisperDimensions absurd;
  absurd.n_vocab = absurd.n_audio_ctx = absurd.n_text_ctx = absurd.n_mels = 1;
  absurd.n_audio_state = absurd.n_text_state = 1;
  absurd.n_audio_layer = absurd.n_text_layer = 0x7FFFFFFF;
  auto map = match_whisper_tensors(absurd, {}, {});
  ASSERT_TRUE(!map.has_value());
  EXPECT_EQ(map.error().code, ErrorCode::missing_tensor);
}

}  // namespace susurrus::testing::whisper_tensors_test
