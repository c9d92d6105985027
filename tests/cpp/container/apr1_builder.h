// Builds APR1 files field by field, right or wrong on purpose; independent of Apr1Writer.
#pragma once
#include <functional>
#include <optional>

#include "container/apr2_builder.h"

namespace susurrus::testing {

struct Apr1Tensor {
  std::string name;
  std::vector<uint32_t> dims;
  Bytes stored;
  float scale = 1;
  // Overrides of the values that follow from the fields above.
  std::optional<uint64_t> offset = {};
  std::optional<uint64_t> size = {};
  std::optional<uint64_t> element_count = {};
  std::optional<uint8_t> rank = {};
};

/// apr.md §1, and §7.5a with `is_padded`.
struct Apr1Builder {
  bool is_padded = false;
  uint8_t model_type = 0;
  uint8_t quantization = 0;
  uint8_t compressed = 0;
  std::optional<uint16_t> tensor_count = {};
  uint8_t flags = 0;  // beyond those of the sections
  // In the header's order: n_vocab, n_audio_ctx, state, head, layer, n_text_ctx, state, head, layer, n_mels.
  std::vector<uint32_t> dims = {51865, 1500, 384, 6, 4, 448, 384, 6, 4, 80};
  std::vector<Apr1Tensor> tensors;
  // Include their size fields.
  Bytes vocabulary;
  Bytes filterbank;
  Bytes tail;                             // after the last section, in front of the CRC
  std::function<void(Bytes& file)> edit;  // before the CRC

  Bytes build() const;
};

/// Closes `file` with its CRC.
void append_apr1_crc(Bytes& file);
/// A section of these tokens, with its size field.
Bytes apr1_vocabulary(const std::vector<std::string>& tokens, uint32_t merge_count = 0,
                      const Bytes& merges = {});
/// Weights row by row, with the size field.
Bytes apr1_filterbank(uint32_t n_mels, uint32_t n_freqs, const std::vector<float>& weights);
Bytes float_bytes(const std::vector<float>& values);

/// apr.md §11, G1.
Apr1Builder golden_apr1();
/// The JSON layout: metadata, index and data as they are given.
Bytes json_apr1(std::string_view metadata, uint32_t tensor_count, std::string_view index,
                const Bytes& data);
/// whisper_builder()'s model: f32 (0), f16 (1) or int8 (2), the last with all integers of every scale.
Apr1Builder whisper_apr1(uint8_t quantization = 0);

}  // namespace susurrus::testing
