#include "container/apr1_builder.h"

#include <zlib.h>

#include <cstring>

#include "families/whisper/whisper_tensors.h"

namespace susurrus::testing {
namespace {

void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

uint64_t product(const std::vector<uint32_t>& dims) {
  uint64_t count = 1;
  for (const uint32_t dim : dims) count *= dim;
  return count;
}

}  // namespace

Bytes Apr1Builder::build() const {
  Bytes file;
  append_text(file, is_padded ? std::string_view("APR\0", 4) : "APR1");
  append_number<uint16_t>(file, is_padded ? 2 : 1);
  append_number(file, model_type);
  append_number(file, quantization);
  append_number(file, compressed);
  append_number<uint16_t>(file, tensor_count.value_or(static_cast<uint16_t>(tensors.size())));
  const int sections = (vocabulary.empty() ? 0 : 1) | (filterbank.empty() ? 0 : 2);
  append_number<uint8_t>(file, static_cast<uint8_t>(flags | sections));
  for (const uint32_t dim : dims) append_number(file, dim);
  if (is_padded) file.resize(68);
  uint64_t next = 0;
  for (const Apr1Tensor& tensor : tensors) {
    Bytes name(tensor.name.begin(), tensor.name.end());
    name.resize(48);
    append(file, name);
    append_number<uint64_t>(file, tensor.offset.value_or(next));
    append_number<uint64_t>(file, tensor.size.value_or(tensor.stored.size()));
    append_number<uint64_t>(file, tensor.element_count.value_or(product(tensor.dims)));
    for (size_t i = 0; i < 4; ++i) {
      append_number<uint32_t>(file, i < tensor.dims.size() ? tensor.dims[i] : 0);
    }
    append_number<uint8_t>(file, tensor.rank.value_or(static_cast<uint8_t>(tensor.dims.size())));
    file.resize(file.size() + 7);
    next += tensor.stored.size();
  }
  if (quantization == 2) {
    for (const Apr1Tensor& tensor : tensors) append_number(file, tensor.scale);
  }
  for (const Apr1Tensor& tensor : tensors) append(file, tensor.stored);
  append(file, vocabulary);
  append(file, filterbank);
  append(file, tail);
  if (edit) edit(file);
  append_apr1_crc(file);
  return file;
}

void append_apr1_crc(Bytes& file) {
  append_number(file, static_cast<uint32_t>(crc32(0, file.data(), static_cast<uInt>(file.size()))));
}

Bytes apr1_vocabulary(const std::vector<std::string>& tokens, uint32_t merge_count,
                      const Bytes& merges) {
  Bytes inner;
  append_number<uint32_t>(inner, static_cast<uint32_t>(tokens.size()));
  append_number(inner, merge_count);
  for (const std::string& token : tokens) {
    append_number<uint16_t>(inner, static_cast<uint16_t>(token.size()));
    append_text(inner, token);
  }
  append(inner, merges);
  Bytes section;
  append_number<uint32_t>(section, static_cast<uint32_t>(inner.size()));
  append(section, inner);
  return section;
}

Bytes apr1_filterbank(uint32_t n_mels, uint32_t n_freqs, const std::vector<float>& weights) {
  Bytes section;
  append_number<uint32_t>(section, static_cast<uint32_t>(8 + 4 * weights.size()));
  append_number(section, n_mels);
  append_number(section, n_freqs);
  append(section, float_bytes(weights));
  return section;
}

Bytes float_bytes(const std::vector<float>& values) {
  Bytes bytes;
  for (const float value : values) append_number(bytes, value);
  return bytes;
}

Apr1Builder golden_apr1() {
  Apr1Builder builder;
  builder.tensors = {{"encoder.conv1.bias", {4}, float_bytes({0, 1, -2, 0.5f})}};
  builder.vocabulary = apr1_vocabulary({"a", "b", "ab"}, 1, {1, 0, 'a', 1, 0, 'b'});
  builder.filterbank = apr1_filterbank(2, 3, {0, 0.5f, 0, 0, 0, 0.25f});
  return builder;
}

Bytes json_apr1(std::string_view metadata, uint32_t tensor_count, std::string_view index,
                const Bytes& data) {
  Bytes file;
  append_text(file, "APR1");
  append_number<uint32_t>(file, static_cast<uint32_t>(metadata.size()));
  append_text(file, metadata);
  append_number(file, tensor_count);
  append_number<uint32_t>(file, static_cast<uint32_t>(index.size()));
  append_text(file, index);
  append(file, data);
  append_apr1_crc(file);
  return file;
}

Apr1Builder whisper_apr1(uint8_t quantization) {
  WhisperDimensions d{5, 6, 4, 80, 1, 1, 2, 2, 32, 32};
  Apr1Builder builder;
  builder.quantization = quantization;
  builder.dims = {5, 6, 32, 2, 1, 4, 32, 2, 1, 80};
  uint32_t seed = 1;
  for (const WantedTensor& wanted : whisper_tensors(d)) {
    Apr1Tensor tensor;
    tensor.name = wanted.name;
    for (const uint64_t dim : wanted.shape.dims())
      tensor.dims.push_back(static_cast<uint32_t>(dim));
    tensor.scale = 0.001f * static_cast<float>(builder.tensors.size() + 1);
    for (uint64_t i = 0; i < product(tensor.dims); ++i) {
      seed = seed * 1664525 + 1013904223;
      const auto value = static_cast<int8_t>(seed >> 24);
      if (quantization == 0) append_number(tensor.stored, static_cast<float>(value) / 64);
      if (quantization == 1) append_number<uint16_t>(tensor.stored, seed >> 16 & 0xBBFF);
      if (quantization == 2) append_number(tensor.stored, value);
    }
    builder.tensors.push_back(std::move(tensor));
  }
  builder.vocabulary = apr1_vocabulary({"a", " b", "\xC3", "", "<|endoftext|>"});
  return builder;
}

}  // namespace susurrus::testing
