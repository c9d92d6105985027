// APR1 as it should be, and as public writers deviate from it.
#include <cmath>
#include <random>

#include "container/apr1_builder.h"
#include "container/inspection.h"
#include "container/recording_sink.h"
#include "families/whisper/tensor_names.h"
#include "families/whisper/whisper_family.h"
#include "harness.h"
#include "tensor/weight_store.h"

namespace susurrus::testing::apr1_reader_test {
namespace {

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    bytes.push_back(static_cast<uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
    i += 2;
  }
  return bytes;
}

/// apr.md §11, G1, as its bytes stand there.
Bytes golden_bytes() {
  Bytes file = from_hex(
      "41505231 0100 00 00 00 0100 03 99ca0000 dc050000 80010000 06000000 04000000"
      "c0010000 80010000 06000000 04000000 50000000 656e636f6465722e636f6e76312e62696173");
  file.resize(52 + 48);
  const Bytes rest = from_hex(
      "0000000000000000 1000000000000000 0400000000000000 04000000 00000000 00000000 00000000 01"
      "00000000000000 00000000 0000803f 000000c0 0000003f"
      "18000000 03000000 01000000 0100 61 0100 62 0200 6162 0100 61 0100 62"
      "20000000 02000000 03000000 00000000 0000003f 00000000 00000000 00000000 0000803e ce5cc3ea");
  file.insert(file.end(), rest.begin(), rest.end());
  return file;
}

bool has_warning(const RecordingSink& sink, std::string_view part) {
  for (const std::string& warning : sink.warnings) {
    if (warning.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string token(const VocabularyBytes& vocabulary, uint32_t id) {
  return std::string(as_text(vocabulary.token(id)));
}

void expect_same(const RecordingSink& a, const RecordingSink& b) {
  EXPECT_TRUE(a.tensors == b.tensors);
  EXPECT_TRUE(a.completed == b.completed);
  EXPECT_TRUE(a.warnings == b.warnings);
  const WhisperMetadata* whisper = a.metadata.whisper();
  EXPECT_EQ(whisper != nullptr, b.metadata.whisper() != nullptr);
  if (whisper != nullptr) {
    EXPECT_TRUE(whisper->dimensions == b.metadata.whisper()->dimensions);
  }
  EXPECT_EQ(a.metadata.vocabulary.token_count(), b.metadata.vocabulary.token_count());
  EXPECT_EQ(a.metadata.mel_filterbank.byte_count(), b.metadata.mel_filterbank.byte_count());
}

SUSURRUS_TEST(apr1_reads_the_golden_bytes) {
  EXPECT_TRUE(golden_apr1().build() == golden_bytes());
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, golden_bytes()).has_value());
  EXPECT_EQ(sink.infos.size(), 1u);
  EXPECT_EQ(sink.infos[0].name, "encoder.conv1.bias");
  EXPECT_EQ(sink.infos[0].file_offset, 0x94u);
  EXPECT_TRUE(sink.tensors["encoder.conv1.bias"] == float_bytes({0, 1, -2, 0.5f}));
  EXPECT_EQ(sink.metadata.whisper()->dimensions.n_vocab, 51865u);
  EXPECT_EQ(sink.metadata.whisper()->dimensions.n_mels, 80u);
  EXPECT_EQ(sink.metadata.whisper()->dimensions.n_text_ctx, 448u);
  EXPECT_EQ(sink.metadata.vocabulary.token_count(), 3u);
  EXPECT_EQ(token(sink.metadata.vocabulary, 2), "ab");
  EXPECT_EQ(sink.metadata.mel_filterbank.floats()[5], 0.25f);
  EXPECT_EQ(sink.metadata.mel_filterbank.floats().size(), 6u);
}

SUSURRUS_TEST(apr1_reads_the_same_however_the_file_is_cut) {
  Apr1Builder lz4 = whisper_apr1(0);
  lz4.compressed = 1;
  for (Apr1Tensor& tensor : lz4.tensors) {
    tensor.stored = lz4_stream(tensor.stored);
  }
  Apr1Builder padded_layout = whisper_apr1(1);
  padded_layout.is_padded = true;
  Apr1Builder with_filterbank = whisper_apr1(2);
  with_filterbank.filterbank =
      apr1_filterbank(80, 201, std::vector<float>(size_t{80} * 201, 0.25f));
  const std::string index = R"([{"name":"w","dtype":"F32","shape":[2,2],"offset":0,"size":16}])";
  const Bytes files[] = {
      golden_bytes(),
      whisper_apr1(0).build(),
      whisper_apr1(1).build(),
      with_filterbank.build(),
      lz4.build(),
      padded_layout.build(),
      json_apr1(R"({"model_type":"linear"})", 1, index, float_bytes({1, 2, 3, 4})),
  };
  std::mt19937 random(7);
  for (const Bytes& file : files) {
    RecordingSink whole;
    ASSERT_TRUE(read_file(whole, file).has_value());
    for (const bool tell_length : {false, true}) {
      for (const size_t chunk : {size_t{1}, size_t{7}, size_t{4096}}) {
        if (chunk == 1 && file.size() > 20000) continue;
        RecordingSink cut;
        ASSERT_TRUE(read_file(cut, file, tell_length, chunk).has_value());
        expect_same(whole, cut);
      }
      for (int run = 0; run < 3; ++run) {
        RecordingSink cut;
        ASSERT_TRUE(read_file(cut, file, tell_length, [&] { return random() % 3000; }).has_value());
        expect_same(whole, cut);
      }
    }
  }
}

SUSURRUS_TEST(apr1_f32_and_f16_and_lz4_give_the_stored_values) {
  for (const uint8_t quantization : {0, 1}) {
    Apr1Builder builder = whisper_apr1(quantization);
    RecordingSink plain;
    ASSERT_TRUE(read_file(plain, builder.build()).has_value());
    EXPECT_EQ(plain.warnings.size(), 0u);
    EXPECT_TRUE(plain.infos[0].dtype == (quantization == 0 ? Dtype::f32 : Dtype::f16));
    builder.compressed = 1;
    for (Apr1Tensor& tensor : builder.tensors) tensor.stored = lz4_stream(tensor.stored);
    RecordingSink compressed;
    ASSERT_TRUE(read_file(compressed, builder.build()).has_value());
    EXPECT_TRUE(plain.tensors == compressed.tensors);
    EXPECT_TRUE(compressed.infos[0].is_compressed);
  }
}

SUSURRUS_TEST(apr1_scales_stay_with_their_tensors) {
  Apr1Builder builder = whisper_apr1(2);
  // Data in another order than the index, whose order is that of the scales.
  const size_t first = builder.tensors[0].stored.size();
  const size_t second = builder.tensors[1].stored.size();
  std::swap(builder.tensors[0].stored, builder.tensors[1].stored);
  builder.tensors[0].offset = second;
  builder.tensors[0].size = first;
  builder.tensors[1].offset = 0;
  builder.tensors[1].size = second;
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_EQ(sink.infos[0].name, builder.tensors[1].name);
  EXPECT_EQ(sink.infos[0].scale, builder.tensors[1].scale);
  EXPECT_EQ(sink.infos[1].scale, builder.tensors[0].scale);
  EXPECT_TRUE(sink.infos[0].dtype == Dtype::i8);
  EXPECT_TRUE(sink.tensors[builder.tensors[1].name] == builder.tensors[0].stored);
}

SUSURRUS_TEST(apr1_integers_become_q8_0_and_f32_where_weights_live) {
  const Apr1Builder builder = whisper_apr1(2);
  WeightStore store(whisper_alone());
  ASSERT_TRUE(read_file(store, builder.build()).has_value());
  for (const Apr1Tensor& tensor : builder.tensors) {
    const TensorView* view = store.find(tensor.name);
    ASSERT_TRUE(view != nullptr);
    const bool is_matrix = tensor.dims.size() == 2 && tensor.name.ends_with(".weight");
    ASSERT_TRUE(view->dtype == (is_matrix ? Dtype::q8_0 : Dtype::f32));
    for (size_t i = 0; i < tensor.stored.size() && !current_case_failed(); ++i) {
      const auto integer = static_cast<int8_t>(tensor.stored[i]);
      if (is_matrix) {
        const uint8_t* block = view->data + i / 32 * 34;
        EXPECT_EQ(static_cast<int8_t>(block[2 + i % 32]), integer);
        const uint16_t half = load_le<uint16_t>(block);
        const float scale =
            std::ldexp(1.0f + static_cast<float>(half & 1023) / 1024, (half >> 10) - 15);
        EXPECT_LE(std::fabs(scale - tensor.scale), tensor.scale / 2048);
      } else {
        // Convolutions have their taps in front of their channels.
        const size_t channels = tensor.dims.size() == 3 ? tensor.dims[1] : 0;
        const size_t row = channels == 0 ? 0 : i / (3 * channels) * (3 * channels);
        const size_t at = channels == 0 ? i : row + i % 3 * channels + (i - row) / 3;
        EXPECT_EQ(view->f32()[at], static_cast<float>(integer) * tensor.scale);
      }
    }
  }
  EXPECT_EQ(store.metadata().vocabulary.token_count(), 5u);
}

SUSURRUS_TEST(apr1_scales_that_no_half_holds_make_f32) {
  for (const float scale : {1e-5f, 70000.0f}) {
    Apr1Builder builder = whisper_apr1(2);
    for (Apr1Tensor& tensor : builder.tensors) tensor.scale = scale;
    WeightStore store(whisper_alone());
    ASSERT_TRUE(read_file(store, builder.build()).has_value());
    const TensorView* view = store.find("encoder.blocks.0.attn.query.weight");
    ASSERT_TRUE(view->dtype == Dtype::f32);
    for (const Apr1Tensor& tensor : builder.tensors) {
      if (tensor.name != "encoder.blocks.0.attn.query.weight") continue;
      EXPECT_EQ(view->f32()[77],
                static_cast<float>(static_cast<int8_t>(tensor.stored[77])) * scale);
    }
  }
}

SUSURRUS_TEST(apr1_takes_f32_data_that_claim_to_be_f16) {
  Apr1Builder builder = whisper_apr1(0);
  builder.quantization = 1;
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_TRUE(has_warning(sink, "f32 where the header says f16"));
  EXPECT_EQ(sink.warnings.size(), 1u);
  EXPECT_TRUE(sink.infos[0].dtype == Dtype::f32);
}

SUSURRUS_TEST(apr1_takes_raw_data_that_claim_to_be_compressed) {
  Apr1Builder builder = whisper_apr1(0);
  builder.compressed = 1;
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_TRUE(has_warning(sink, "compressed is set over raw data"));
  EXPECT_FALSE(sink.infos[0].is_compressed);
}

SUSURRUS_TEST(apr1_warns_of_what_it_does_not_know) {
  Apr1Builder builder = golden_apr1();
  builder.model_type = 13;
  builder.edit = [](Bytes& file) { file[52 + 95] = 1; };
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_TRUE(has_warning(sink, "model_type is not known"));
  EXPECT_TRUE(has_warning(sink, "reserved bytes are not zero"));
}

SUSURRUS_TEST(apr1_completes_names_that_were_cut) {
  EXPECT_EQ(
      complete_cut_tensor_name("decoder.layers.10.encoder_attn_layer_norm.weigh").value_or(""),
      "decoder.layers.10.encoder_attn_layer_norm.weight");
  // Two names begin like this, and a whole name is not cut.
  EXPECT_FALSE(
      complete_cut_tensor_name("model.decoder.layers.10.encoder_attn_layer_norm").has_value());
  EXPECT_FALSE(
      complete_cut_tensor_name("decoder.layers.10.encoder_attn_layer_norm.weight").has_value());
  Apr1Builder builder = golden_apr1();
  builder.tensors[0].name = "decoder.layers.10.encoder_attn_layer_norm.weigh";
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_EQ(sink.infos[0].name, "decoder.layers.10.encoder_attn_layer_norm.weight");
  EXPECT_TRUE(has_warning(sink, "cut at 47 bytes"));
  // 48 bytes without a zero are a whole name.
  builder.tensors[0].name = "decoder.layers.10.encoder_attn_layer_norm.weight";
  RecordingSink whole;
  ASSERT_TRUE(read_file(whole, builder.build()).has_value());
  EXPECT_EQ(whole.infos[0].name, builder.tensors[0].name);
  EXPECT_FALSE(has_warning(whole, "cut"));
}

SUSURRUS_TEST(apr1_discards_a_vocabulary_that_was_decoded_wrongly) {
  std::vector<std::string> tokens(50257, "x");
  for (const bool is_right : {false, true}) {
    tokens[94] = is_right ? "\xA1" : "!";
    Apr1Builder builder = golden_apr1();
    builder.vocabulary = apr1_vocabulary(tokens);
    RecordingSink sink;
    ASSERT_TRUE(read_file(sink, builder.build()).has_value());
    EXPECT_EQ(sink.metadata.vocabulary.token_count(), is_right ? 50257u : 0u);
    EXPECT_EQ(has_warning(sink, "--vocabulary FILE"), !is_right);
  }
}

SUSURRUS_TEST(apr1_trusts_the_shapes_of_a_large_model) {
  Apr1Builder builder = golden_apr1();
  builder.model_type = 8;
  builder.tensors = {{"encoder.conv1.weight", {1, 128, 3}, Bytes(4 * 128 * 3)},
                     {"decoder.token_embedding", {51866, 1}, Bytes(4 * 51866)}};
  builder.filterbank = apr1_filterbank(128, 201, std::vector<float>(size_t{128} * 201, 0.5f));
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, builder.build()).has_value());
  EXPECT_EQ(sink.metadata.whisper()->dimensions.n_mels, 128u);
  EXPECT_EQ(sink.metadata.whisper()->dimensions.n_vocab, 51866u);
  EXPECT_TRUE(has_warning(sink, "n_mels is 80"));
  EXPECT_TRUE(has_warning(sink, "n_vocab is 51865"));
}

SUSURRUS_TEST(apr1_takes_an_appended_signature) {
  Bytes file = golden_bytes();
  file.resize(file.size() + 96, 0x5A);
  RecordingSink sink;
  ASSERT_TRUE(read_file(sink, file, false, 5).has_value());
  EXPECT_TRUE(has_warning(sink, "signature"));
}

SUSURRUS_TEST(apr1_json_takes_dimensions_from_metadata_or_shapes) {
  const Apr1Builder binary = whisper_apr1(0);
  std::string index = "[";
  Bytes data;
  for (const Apr1Tensor& tensor : binary.tensors) {
    if (index.size() > 1) index += ',';
    index += R"({"name":")" + tensor.name + R"(","dtype":"F32","shape":[)";
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      index += (i > 0 ? "," : "") + std::to_string(tensor.dims[i]);
    }
    index += R"(],"offset":)" + std::to_string(data.size()) + R"(,"size":)" +
             std::to_string(tensor.stored.size()) + "}";
    data.insert(data.end(), tensor.stored.begin(), tensor.stored.end());
  }
  index += "]";
  const auto count = static_cast<uint32_t>(binary.tensors.size());
  const std::string heads = R"("n_audio_head":2,"n_text_head":2,)";
  const std::string vocabulary = R"("vocab":["a","b","c","d","e"])";
  RecordingSink binary_sink;
  ASSERT_TRUE(read_file(binary_sink, binary.build()).has_value());
  const std::string all =
      R"("n_vocab":5,"n_audio_ctx":6,"n_text_ctx":4,"n_mels":80,"n_audio_layer":1,)"
      R"("n_text_layer":1,"n_audio_state":32,"n_text_state":32,)";
  for (const std::string& stated :
       {"{" + heads + vocabulary + "}", "{" + heads + all + vocabulary + "}",
        R"({"architecture":{)" + heads + all + R"("x":0},)" + vocabulary + "}"}) {
    RecordingSink sink;
    ASSERT_TRUE(read_file(sink, json_apr1(stated, count, index, data), true, 999).has_value());
    EXPECT_TRUE(sink.tensors == binary_sink.tensors);
    EXPECT_TRUE(sink.metadata.whisper()->dimensions == binary_sink.metadata.whisper()->dimensions);
    EXPECT_EQ(sink.metadata.vocabulary.token_count(), 5u);
    EXPECT_EQ(sink.metadata_text, stated);
    EXPECT_EQ(has_warning(sink, "come from the tensors' shapes"),
              stated.find("n_mels") == stated.npos);
  }
}

SUSURRUS_TEST(apr1_is_inspected_with_its_sections) {
  InspectSink sink;
  ASSERT_TRUE(read_file(sink, golden_bytes()).has_value());
  EXPECT_EQ(sink.format(), "APR1");
  EXPECT_EQ(sink.flag_names(), "VOCABULARY FILTERBANK");
  ASSERT_EQ(sink.sections().size(), 6u);
  EXPECT_EQ(std::string_view(sink.sections()[3].name), "vocabulary");
  EXPECT_EQ(sink.sections()[3].offset, 0xA4u);
  EXPECT_EQ(sink.sections()[3].byte_count, 28u);
  EXPECT_EQ(sink.sections()[5].offset, 0xE4u);
}

}  // namespace
}  // namespace susurrus::testing::apr1_reader_test
