#include "container/ggml/ggml_writer.h"

#include "container/checkpoint_pieces.h"
#include "container/tensor_of.h"
#include "families/whisper/whisper_tensors.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::ggml_writer_test {
namespace {

//                            vocab actx tctx mels layers heads states
constexpr WhisperDimensions kDimensions{3, 6, 4, 80, 1, 1, 2, 2, 32, 32};

VocabularyBytes three_tokens() { return {{'a', 'b', 'c'}, {1, 1, 3}}; }

const std::vector<float>& filters() {
  static const std::vector<float> weights(size_t{80} * 201, 0.5f);
  return weights;
}

Result<std::unique_ptr<GgmlWriter>> plan(std::vector<TensorInfo> tensors, Dtype dtype,
                                         const WhisperDimensions& dimensions = kDimensions) {
  return GgmlWriter::plan(dimensions, std::move(tensors), three_tokens(), filters(), dtype);
}

Bytes written(GgmlWriter& writer) {
  OutputBuffer out;
  EXPECT_TRUE(writer.begin(out).has_value());
  uint8_t fill = 0;
  for (const TensorInfo& tensor : writer.tensors()) {
    EXPECT_TRUE(writer.write(Bytes(tensor.stored_byte_count, ++fill), out).has_value());
    EXPECT_TRUE(writer.finish_tensor(out).has_value());
  }
  EXPECT_TRUE(writer.finish(out).has_value());
  return Bytes(out.bytes().begin(), out.bytes().end());
}

SUSURRUS_TEST(ggml_writer_writes_the_layout) {
  auto writer = plan({tensor_of("encoder.conv1.weight", Dtype::f16, {32, 80, 3}),
                      tensor_of("encoder.conv1.bias", Dtype::f32, {32}),
                      tensor_of("encoder.positional_embedding", Dtype::f32, {6, 32}),
                      tensor_of("decoder.token_embedding.weight", Dtype::q8_0, {3, 32})},
                     Dtype::q8_0);
  ASSERT_TRUE(writer.has_value());

  Bytes expected;
  append_text(expected, "lmgg");
  // vocab, actx, state, head, layer, tctx, state, head, layer, mels, ftype; the filterbank's size
  for (uint32_t number : {3, 6, 32, 2, 1, 4, 32, 2, 1, 80, 2007, 80, 201}) {
    append_number(expected, number);
  }
  for (const float weight : filters()) append_number(expected, weight);
  append_number<uint32_t>(expected, 3);
  for (std::string_view token : {"a", "", "bc"}) {
    append_number(expected, static_cast<uint32_t>(token.size()));
    append_text(expected, token);
  }
  const auto tensor = [&](std::initializer_list<uint32_t> numbers, std::string_view name,
                          size_t byte_count, uint8_t fill) {
    for (uint32_t number : numbers) append_number(expected, number);
    append_text(expected, name);
    expected.insert(expected.end(), byte_count, fill);
  };
  // n_dims, name_len, ttype, ne fastest first
  tensor({3, 20, 1, 3, 80, 32}, "encoder.conv1.weight", 15360, 1);
  tensor({2, 18, 0, 1, 32}, "encoder.conv1.bias", 128, 2);
  tensor({2, 28, 0, 32, 6}, "encoder.positional_embedding", 768, 3);
  tensor({2, 30, 8, 32, 3}, "decoder.token_embedding.weight", 102, 4);
  const Bytes file = written(**writer);
  EXPECT_TRUE(file == expected);
  const auto found = read_checkpoint(file);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->tensors.size(), 4u);
}

SUSURRUS_TEST(ggml_writer_gives_each_tensor_what_whisper_cpp_reads) {
  const Dtype types[] = {Dtype::f32,  Dtype::f16,  Dtype::q8_0, Dtype::q5_1,
                         Dtype::q5_0, Dtype::q4_1, Dtype::q4_0};
  const uint32_t file_types[] = {0, 1, 2007, 2009, 2008, 2003, 2002};
  for (size_t i = 0; i < std::size(types); ++i) {
    std::vector<TensorInfo> tensors;
    for (const WantedTensor& tensor : whisper_tensors(kDimensions)) {
      const bool is_float =
          tensor.shape.rank() == 1 || tensor.name.ends_with("positional_embedding");
      const bool is_convolution = tensor.shape.rank() == 3;
      const Dtype matrix = is_convolution && types[i] != Dtype::f32 ? Dtype::f16 : types[i];
      const Dtype dtype = is_float ? Dtype::f32 : matrix;
      EXPECT_TRUE(GgmlWriter::tensor_dtype(tensor.name, tensor.shape, types[i]) == dtype);
      tensors.push_back(tensor_of(tensor.name, dtype, tensor.shape));
    }
    auto writer = plan(tensors, types[i]);
    ASSERT_TRUE(writer.has_value());
    const Bytes file = written(**writer);
    EXPECT_EQ(load_le<uint32_t>(file.data() + 44), file_types[i]);
    const auto found = read_checkpoint(file);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(*found->dimensions == kDimensions);
    ASSERT_TRUE(found->tensors.size() == tensors.size());
    for (size_t t = 0; t < tensors.size(); ++t) {
      EXPECT_EQ(found->tensors[t].info.name, tensors[t].name);
      EXPECT_TRUE(found->tensors[t].info.dtype == tensors[t].dtype);
    }
  }
}

SUSURRUS_TEST(ggml_writer_leaves_out_tokens_that_follow_from_an_official_size) {
  const auto token_count = [](uint32_t n_vocab, uint32_t tokens) {
    std::vector<uint32_t> ends;
    for (uint32_t i = 0; i < tokens; ++i) ends.push_back(i + 1);
    WhisperDimensions dimensions = kDimensions;
    dimensions.n_vocab = n_vocab;
    auto writer =
        GgmlWriter::plan(dimensions, {tensor_of("a", Dtype::f32, {4})},
                         VocabularyBytes(Bytes(tokens, 'x'), ends), filters(), Dtype::f32);
    if (!writer) return ~0u;
    return load_le<uint32_t>(written(**writer).data() + 56 + filters().size() * sizeof(float));
  };
  EXPECT_EQ(token_count(51864, 51864), 50257u);
  EXPECT_EQ(token_count(51865, 51865), 50257u);
  EXPECT_EQ(token_count(51866, 50257), 50257u);
  EXPECT_EQ(token_count(51866, 50000), 50000u);
  EXPECT_EQ(token_count(51870, 51870), 51870u);
  EXPECT_EQ(token_count(51865, 0), 0u);
}

SUSURRUS_TEST(ggml_writer_refuses_what_its_format_cannot_hold) {
  const auto error = [](const auto& writer) {
    return writer ? std::string("none") : std::string(writer.error().subject.view());
  };
  const TensorInfo matrix = tensor_of("decoder.token_embedding.weight", Dtype::f32, {3, 32});
  EXPECT_EQ(error(plan({matrix}, Dtype::f32)), "none");
  EXPECT_EQ(error(plan({}, Dtype::f32)), "tensors");
  EXPECT_EQ(error(plan({matrix}, Dtype::f16)), matrix.name);
  EXPECT_EQ(error(plan({matrix}, Dtype::bf16)), "dtype");
  EXPECT_EQ(error(plan({tensor_of("a", Dtype::f16, {32})}, Dtype::f16)), "a");
  EXPECT_EQ(error(plan({tensor_of("a", Dtype::f32, {uint64_t{1} << 31, 0})}, Dtype::f32)), "a");
  WhisperDimensions other = kDimensions;
  other.n_mels = 81;
  EXPECT_EQ(error(plan({matrix}, Dtype::f32, other)), "n_mels");
  EXPECT_EQ(error(GgmlWriter::plan(kDimensions, {matrix}, {}, {}, Dtype::f32)), "mel filterbank");
  EXPECT_EQ(error(GgmlWriter::plan(kDimensions, {matrix}, {Bytes(1024, 'x'), {1024}}, filters(),
                                   Dtype::f32)),
            "none");
  EXPECT_EQ(error(GgmlWriter::plan(kDimensions, {matrix}, {Bytes(1025, 'x'), {1025}}, filters(),
                                   Dtype::f32)),
            "vocabulary");
}

}  // namespace
}  // namespace susurrus::testing::ggml_writer_test
