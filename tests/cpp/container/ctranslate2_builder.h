// Builds CTranslate2's model.bin field by field, right or wrong on purpose.
#pragma once
#include <string>
#include <vector>

#include "container/apr2_builder.h"

namespace susurrus::testing {

inline void append_name(Bytes& out, std::string_view name) {
  append_number<uint16_t>(out, static_cast<uint16_t>(name.size() + 1));
  append_text(out, name);
  out.push_back(0);
}

struct Variable {
  std::string name;
  std::vector<uint32_t> dims;
  uint8_t type = 4;
  Bytes data;
  int64_t byte_count = -1;  // where it differs from the data's
};

inline Variable scalar(std::string name, uint8_t value) {
  return {std::move(name), {}, 1, {value}};
}
inline Variable heads(std::string name, uint8_t value) {
  return {std::move(name), {}, 2, {value, 0}};
}

/// Bytes that tell their variable.
inline Variable halves(std::string name, std::vector<uint32_t> dims, uint8_t fill) {
  size_t count = 2;
  for (uint32_t dim : dims) count *= dim;
  return {std::move(name), std::move(dims), 4, Bytes(count, fill)};
}

inline Variable scales(std::string name, std::vector<float> values) {
  Variable made{std::move(name), {static_cast<uint32_t>(values.size())}, 0, {}};
  for (float value : values) append_number(made.data, value);
  return made;
}

/// The smallest file whose shapes tell all dimensions; a state of 4.
struct CTranslate2File {
  uint32_t version = 6;
  std::string specification = "WhisperSpec";
  uint32_t revision = 3;
  int64_t variable_count = -1;
  std::vector<Variable> variables = {
      scalar("decoder/activation", 3),
      {"decoder/embeddings/weight", {2, 4}, 1, Bytes(8, 7)},
      scales("decoder/embeddings/weight_scale", {2, 4}),
      halves("decoder/layer_0/attention/linear_1/weight", {8, 4}, 1),
      halves("decoder/layer_0/self_attention/linear_0/bias", {12}, 2),
      {"decoder/layer_0/self_attention/linear_0/weight", {12, 4}, 1, Bytes(48, 9)},
      scales("decoder/layer_0/self_attention/linear_0/weight_scale",
             {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
      halves("decoder/layer_norm/gamma", {4}, 3),
      heads("decoder/num_heads", 2),
      halves("decoder/position_encodings/encodings", {5, 4}, 4),
      scalar("decoder/scale_embeddings", 0),
      halves("encoder/conv1/weight", {4, 80, 3}, 5),
      halves("encoder/layer_1/ffn/linear_0/bias", {16}, 6),
      heads("encoder/num_heads", 1),
      halves("encoder/position_encodings/encodings", {6, 4}, 8),
  };
  uint32_t alias_count = 1;
  Bytes tail;

  Bytes build() const {
    Bytes out;
    append_number(out, version);
    append_name(out, specification);
    append_number(out, revision);
    append_number<uint32_t>(
        out, static_cast<uint32_t>(variable_count < 0 ? variables.size() : variable_count));
    for (const Variable& variable : variables) {
      append_name(out, variable.name);
      out.push_back(static_cast<uint8_t>(variable.dims.size()));
      for (uint32_t dim : variable.dims) append_number(out, dim);
      out.push_back(variable.type);
      append_number<uint32_t>(out,
                              static_cast<uint32_t>(variable.byte_count < 0 ? variable.data.size()
                                                                            : variable.byte_count));
      out.insert(out.end(), variable.data.begin(), variable.data.end());
    }
    append_number(out, alias_count);
    append_name(out, "decoder/projection/weight");
    append_name(out, "decoder/embeddings/weight");
    out.insert(out.end(), tail.begin(), tail.end());
    return out;
  }

  /// Where a variable begins: the length of its name.
  uint64_t offset(size_t variable) const {
    uint64_t at = 4 + 2 + 12 + 8;
    for (size_t i = 0; i < variable; ++i) {
      at += 2 + variables[i].name.size() + 1 + 1 + 4 * variables[i].dims.size() + 5 +
            variables[i].data.size();
    }
    return at;
  }
  uint64_t rank_offset(size_t variable) const {
    return offset(variable) + 2 + variables[variable].name.size() + 1;
  }
  uint64_t data_offset(size_t variable) const {
    return rank_offset(variable) + 1 + 4 * variables[variable].dims.size() + 5;
  }
};

}  // namespace susurrus::testing
