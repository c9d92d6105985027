// Builds GGUF files field by field, right or wrong on purpose.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/checked_math.h"
#include "container/apr2_builder.h"

namespace susurrus::testing {

inline void append_gguf_string(Bytes& out, std::string_view text) {
  append_number<uint64_t>(out, text.size());
  append_text(out, text);
}

struct GgufKey {
  std::string name;
  uint32_t type;
  Bytes value;
};

template <typename T>
GgufKey number_key(std::string name, uint32_t type, T value) {
  GgufKey key{std::move(name), type, {}};
  append_number(key.value, value);
  return key;
}

inline GgufKey text_key(std::string name, std::string_view text) {
  GgufKey key{std::move(name), 8, {}};
  append_gguf_string(key.value, text);
  return key;
}

inline GgufKey texts_key(std::string name, std::span<const std::string_view> texts) {
  GgufKey key{std::move(name), 9, {}};
  append_number<uint32_t>(key.value, 8);
  append_number<uint64_t>(key.value, texts.size());
  for (std::string_view text : texts) append_gguf_string(key.value, text);
  return key;
}

struct GgufTensor {
  std::string name;
  std::vector<uint64_t> ne;  // fastest first
  uint32_t type = 0;
  uint64_t byte_count = 0;
  int64_t offset = -1;  // where it differs from what follows
};

inline constexpr std::string_view kGgufTokens[] = {"a",
                                                   "\xC4\xA0"
                                                   "b",
                                                   "c"};

/// The smallest file whose shapes tell all dimensions.
struct GgufFile {
  uint32_t version = 3;
  int64_t tensor_count = -1;
  int64_t key_count = -1;
  std::vector<GgufKey> keys = {
      text_key("general.architecture", "whisper"),
      number_key<uint32_t>("whisper.encoder.attention.head_count", 4, 2),
      number_key<uint64_t>("whisper.decoder.attention.head_count", 10, 4),
      number_key<uint32_t>("general.quantization_version", 4, 2),
      texts_key("tokenizer.ggml.tokens", kGgufTokens),
      texts_key("tokenizer.ggml.merges", kGgufTokens),
      number_key<float>("some.number", 6, 1.5f),
      number_key<uint8_t>("some.truth", 7, 1),
  };
  std::vector<GgufTensor> tensors = {
      {"model.encoder.conv1.weight", {3, 80, 32}, 1, 15360},
      {"model.encoder.layers.1.fc1.bias", {128}, 0, 512},
      {"model.decoder.layers.0.fc1.bias", {128}, 0, 512},
      {"model.decoder.embed_tokens.weight", {32, 3}, 8, 102},
      {"model.decoder.embed_positions.weight", {32, 4}, 0, 512},
      {"model.decoder.layer_norm.weight", {32}, 0, 128},
  };
  uint64_t alignment = 32;

  Bytes build() const {
    Bytes out;
    append_text(out, "GGUF");
    append_number(out, version);
    append_number<uint64_t>(out, tensor_count < 0 ? tensors.size() : tensor_count);
    append_number<uint64_t>(out, key_count < 0 ? keys.size() : key_count);
    for (const GgufKey& key : keys) {
      append_gguf_string(out, key.name);
      append_number(out, key.type);
      out.insert(out.end(), key.value.begin(), key.value.end());
    }
    uint64_t offset = 0;
    for (const GgufTensor& tensor : tensors) {
      append_gguf_string(out, tensor.name);
      append_number<uint32_t>(out, static_cast<uint32_t>(tensor.ne.size()));
      for (uint64_t dim : tensor.ne) append_number(out, dim);
      append_number(out, tensor.type);
      append_number<uint64_t>(out, tensor.offset < 0 ? offset : tensor.offset);
      offset = align_up(offset + tensor.byte_count, alignment);
    }
    out.resize(align_up(out.size(), alignment));
    for (const GgufTensor& tensor : tensors) {
      out.resize(align_up(out.size() + tensor.byte_count, alignment),
                 static_cast<uint8_t>(tensor.byte_count));
    }
    return out;
  }

  /// Where a key begins: the length of its name.
  uint64_t key_offset(size_t key) const {
    uint64_t at = 24;
    for (size_t i = 0; i < key; ++i) at += 8 + keys[i].name.size() + 4 + keys[i].value.size();
    return at;
  }
  uint64_t value_offset(size_t key) const {
    return key_offset(key) + 8 + keys[key].name.size() + 4;
  }
  uint64_t tensor_offset(size_t tensor) const {
    uint64_t at = key_offset(keys.size());
    for (size_t i = 0; i < tensor; ++i) {
      at += 8 + tensors[i].name.size() + 4 + 8 * tensors[i].ne.size() + 12;
    }
    return at;
  }
  uint64_t ne_offset(size_t tensor) const {
    return tensor_offset(tensor) + 8 + tensors[tensor].name.size() + 4;
  }
};

}  // namespace susurrus::testing
