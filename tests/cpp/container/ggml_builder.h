// Builds ggml files field by field, right or wrong on purpose.
#pragma once
#include <string>
#include <vector>

#include "container/apr2_builder.h"

namespace susurrus::testing {

struct GgmlTensor {
  std::string name;
  uint32_t type = 0;
  std::vector<int32_t> ne;  // fastest first
  Bytes data;
};

/// A file field by field, right or wrong on purpose.
struct GgmlFile {
  //                      vocab ctx state head layer ctx state head layer mels type
  int32_t header[11] = {3, 6, 32, 2, 1, 4, 32, 2, 1, 80, 0};
  int32_t n_mel = 80;
  int32_t n_fft = 201;
  std::vector<float> filters = std::vector<float>(80 * 201, 0.5f);
  int32_t token_count = 3;
  std::vector<std::string> tokens = {"a", "", "bc"};
  std::vector<GgmlTensor> tensors = {
      {"encoder.conv1.bias", 0, {1, 32}, Bytes(128, 1)},
      {"decoder.token_embedding.weight", 8, {32, 3}, Bytes(102, 2)},
      {"encoder.conv1.weight", 1, {3, 80, 32}, Bytes(15360, 3)},
  };

  Bytes build() const {
    Bytes out;
    append_text(out, "lmgg");
    for (int32_t value : header) append_number(out, value);
    append_number(out, n_mel);
    append_number(out, n_fft);
    for (float value : filters) append_number(out, value);
    append_number(out, token_count);
    for (const std::string& token : tokens) {
      append_number(out, static_cast<uint32_t>(token.size()));
      append_text(out, token);
    }
    for (const GgmlTensor& tensor : tensors) {
      append_number(out, static_cast<int32_t>(tensor.ne.size()));
      append_number(out, static_cast<int32_t>(tensor.name.size()));
      append_number(out, tensor.type);
      for (int32_t dim : tensor.ne) append_number(out, dim);
      append_text(out, tensor.name);
      out.insert(out.end(), tensor.data.begin(), tensor.data.end());
    }
    return out;
  }
};

}  // namespace susurrus::testing
