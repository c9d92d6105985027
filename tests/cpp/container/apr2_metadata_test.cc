#include "container/apr2/apr2_metadata.h"

#include "container/apr2_builder.h"
#include "harness.h"

namespace susurrus::testing::apr2_metadata_test {
namespace {

struct Read {
  bool is_ok = false;
  Error error;
  Apr2Metadata metadata;
};

/// A small Whisper's metadata with more keys.
Read read(std::string_view keys, uint32_t n_vocab = 4) {
  const std::string text =
      R"({"apr_version":"2.1","model_type":"whisper","architecture":{"n_vocab":)" +
      std::to_string(n_vocab) +
      R"(,"n_audio_ctx":10,"n_text_ctx":8,"n_mels":2,"n_audio_layer":1,"n_text_layer":2,)"
      R"("n_audio_head":2,"n_text_head":2,"n_audio_state":64,"n_text_state":64})" +
      std::string(keys) + "}";
  Read result;
  auto document = JsonDocument::parse(text, {});
  EXPECT_TRUE(document.has_value());
  if (!document) return result;
  auto metadata = read_apr2_metadata(*document, 2, 32);
  if (!metadata) {
    result.error = metadata.error();
    return result;
  }
  result.is_ok = true;
  result.metadata = std::move(metadata).value();
  return result;
}

std::string token(const Read& result, uint32_t id) {
  return std::string(as_text(result.metadata.model.vocabulary.token(id)));
}

/// A vocabulary of Whisper's size whose entry 220 is `space`.
std::string official_vocab(std::string_view space) {
  std::string vocab = ",\"vocab\":[";
  for (int i = 0; i < 50257; ++i) {
    if (i > 0) vocab += ',';
    vocab += i == 220 ? "\"" + std::string(space) + "\"" : i == 300 ? "\"\u0120a\"" : "\"x\"";
  }
  return vocab + "]";
}

}  // namespace

SUSURRUS_TEST(metadata_without_options) {
  const Read result = read("");
  ASSERT_TRUE(result.is_ok);
  const ModelMetadata& model = result.metadata.model;
  EXPECT_EQ(model.model_type.view(), "whisper");
  EXPECT_EQ(model.whisper()->dimensions.n_text_layer, 2u);
  EXPECT_EQ(model.whisper()->dimensions.n_audio_state, 64u);
  EXPECT_EQ(model.vocabulary.token_count(), 0u);
  EXPECT_EQ(model.mel_filterbank.byte_count(), 0u);
  EXPECT_FALSE(model.whisper()->is_multilingual.has_value());
  EXPECT_FALSE(model.whisper()->suppress_tokens.has_value());
  EXPECT_FALSE(model.whisper()->max_initial_timestamp_index.has_value());
  EXPECT_EQ(result.metadata.warnings.size(), 0u);
}

SUSURRUS_TEST(metadata_options) {
  const Read result = read(
      R"(,"tokenizer_config":{"is_multilingual":false,"suppress_tokens":[],"begin_suppress_tokens":[3,99],)"
      R"("max_initial_timestamp_index":25},"alignment_heads":[[1,1],[5,0],[0,2],[0,0]],"other":[1])");
  ASSERT_TRUE(result.is_ok);
  const ModelMetadata& model = result.metadata.model;
  EXPECT_TRUE(model.whisper()->is_multilingual == std::optional<bool>(false));
  EXPECT_TRUE(model.whisper()->suppress_tokens.has_value() &&
              model.whisper()->suppress_tokens->empty());
  EXPECT_TRUE(*model.whisper()->begin_suppress_tokens == std::vector<uint32_t>{3});
  EXPECT_TRUE(model.whisper()->max_initial_timestamp_index == std::optional<uint32_t>(25));
  EXPECT_EQ(model.whisper()->alignment_heads.size(), 2u);
  ASSERT_EQ(result.metadata.warnings.size(), 1u);
  EXPECT_EQ(result.metadata.warnings[0],
            "alignment_heads: 2 of 4 are not in the model and are dropped");
  EXPECT_TRUE(read(R"(,"tokenizer_config":null,"alignment_heads":null,"vocab":null)").is_ok);
  for (const char* wrong :
       {R"(,"tokenizer_config":[])", R"(,"tokenizer_config":{"suppress_tokens":[-1]})",
        R"(,"tokenizer_config":{"suppress_tokens":"1"})",
        R"(,"tokenizer_config":{"is_multilingual":1})", R"(,"alignment_heads":[1])",
        R"(,"alignment_heads":[[1,2,3]])", R"(,"alignment_heads":[[1]])"}) {
    EXPECT_EQ(read(wrong).error.reason, ErrorReason::bad_metadata);
  }
}

SUSURRUS_TEST(vocabulary_is_decoded_to_bytes) {
  // U+0120 is a space, U+00C3 the byte C3, U+0143 the byte AD, U+00FF the byte FF.
  Read result =
      read(R"(,"vocab":["\u0120a","\u00c3\u0143","<|endoftext|>","\u0100\u0121\u0142\u00ff"])");
  ASSERT_TRUE(result.is_ok);
  EXPECT_EQ(result.metadata.model.vocabulary.token_count(), 4u);
  EXPECT_EQ(token(result, 0), " a");
  EXPECT_EQ(token(result, 1), "\xC3\xAD");
  EXPECT_EQ(token(result, 2), "<|endoftext|>");
  EXPECT_EQ(token(result, 3), std::string("\0\x7F\xA0\xFF", 4));
  EXPECT_EQ(result.metadata.warnings.size(), 0u);

  result = read(R"(,"vocab":["\u0120a","\u20ac"],"tokenizer_config":{"vocab_encoding":"utf-8"})");
  EXPECT_EQ(token(result, 0), "\u0120a");
  EXPECT_EQ(token(result, 1), "\u20ac");
  EXPECT_EQ(result.metadata.warnings.size(), 1u);  // fewer entries than n_vocab

  result = read(R"(,"vocab":["a","b","c","\ufffd"])");
  EXPECT_EQ(result.metadata.warnings.size(), 1u);  // lossy

  result = read(R"(,"vocab":["a"],"tokenizer_config":{"vocab_encoding":"latin-1"})");
  EXPECT_EQ(result.metadata.model.vocabulary.token_count(), 0u);
  EXPECT_EQ(result.metadata.warnings.size(), 1u);
}

SUSURRUS_TEST(vocabulary_of_whisper_size_tells_its_encoding_by_token_220) {
  const Read byte_level = read(official_vocab("\u0120"), 50257);
  ASSERT_TRUE(byte_level.is_ok);
  EXPECT_EQ(token(byte_level, 220), " ");
  EXPECT_EQ(token(byte_level, 300), " a");
  const Read plain = read(official_vocab(" "), 50257);
  ASSERT_TRUE(plain.is_ok);
  EXPECT_EQ(token(plain, 220), " ");
  EXPECT_EQ(token(plain, 300), "\u0120a");
  const Read neither = read(official_vocab("y"), 50257);
  EXPECT_EQ(neither.metadata.model.vocabulary.token_count(), 0u);
  EXPECT_EQ(neither.metadata.warnings.size(), 1u);
}

SUSURRUS_TEST(filterbank_is_read_and_checked) {
  auto filterbank = [](std::string_view first, size_t count, std::string_view shape) {
    std::string keys = ",\"mel_filterbank\":[" + std::string(first);
    for (size_t i = 1; i < count; ++i) keys += ",0.25";
    return keys + "],\"mel_filterbank_shape\":" + std::string(shape);
  };
  const Read result = read(filterbank("0.0248626135", 402, "[2,201]"));
  ASSERT_TRUE(result.is_ok);
  EXPECT_EQ(result.metadata.model.mel_filterbank.floats().size(), 402u);
  EXPECT_TRUE(result.metadata.model.mel_filterbank.floats()[0] == 0.0248626135f);
  EXPECT_TRUE(result.metadata.model.mel_filterbank.floats()[401] == 0.25f);
  for (const std::string& wrong :
       {filterbank("0", 401, "[2,201]"), filterbank("0", 402, "[201,2]"),
        filterbank("-1", 402, "[2,201]"), filterbank("1e39", 402, "[2,201]"),
        filterbank("\"0\"", 402, "[2,201]"), filterbank("0", 402, "[2,201,1]"),
        filterbank("0", 402, "[2.0,201]"), filterbank("0", 402, R"({"a":2,"b":201})")}) {
    EXPECT_EQ(read(wrong).error.reason, ErrorReason::bad_filterbank);
  }
}

}  // namespace susurrus::testing::apr2_metadata_test
