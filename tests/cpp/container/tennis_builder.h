// Builds TenniS modules field by field, right or wrong on purpose, and says where each field stands; independent of
// TennisWriter.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "container/apr2_builder.h"

namespace susurrus::testing {

struct BuiltField {
  int8_t dtype = 5;
  std::vector<int32_t> shape;
  Bytes data;
};

struct BuiltParameter {
  std::string name;
  std::vector<BuiltField> fields;
};

struct BuiltNode {
  std::vector<BuiltParameter> parameters;
  std::vector<int32_t> arguments;
};

struct TennisBuilder {
  int32_t reserved_word = 7;
  uint32_t code = 0x19910929;
  Bytes user_bytes = Bytes(120, 0);
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<BuiltNode> nodes;
  Bytes behind;

  /// Fills `marks`: "inputs", "outputs", "nodes" and "node 1 arguments" (counts), "node 1" (its count of parameters),
  /// "node 1 stride" (the length of the name), "node 1 stride fields" (their count), "node 1 stride 0" (the dtype of a
  /// field), "node 1 stride 0 data".
  Bytes build();
  std::map<std::string, uint64_t> marks;
};

BuiltField int32_field(std::vector<int32_t> shape, const std::vector<int32_t>& values);
BuiltField float_field(std::vector<int32_t> shape, const std::vector<float>& values);
BuiltField text_field(std::string_view text);
BuiltParameter parameter(std::string name, BuiltField field);
/// A node with `#op` and `#name`.
BuiltNode node(std::string_view op, std::string_view name, std::vector<int32_t> arguments,
               std::vector<BuiltParameter> parameters = {});

/// 0 <param> x, 1 <const> weight, 2 conv2d conv, 3 relu y, 4 <const> pair (packed), 5 _field second, in an order that
/// refers forwards as well. Outputs y and second.
TennisBuilder small_module();
/// A field of every dtype that can be stored, as parameters `dtype 0` … of a constant.
TennisBuilder module_of_every_dtype();

}  // namespace susurrus::testing
