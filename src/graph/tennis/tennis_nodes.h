#pragma once
#include <span>
#include <string>
#include <vector>

#include "container/tennis/tennis_dtype.h"
#include "graph/element_type.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// A parameter of one field, as it is written.
struct WrittenParameter {
  std::string name;
  TennisDtype dtype = TennisDtype::i32;
  Shape shape;
  std::vector<uint8_t> bytes;

  /// CHAR8
  static WrittenParameter text(std::string name, std::string_view value);
  /// INT32 with a shape of its own, as a list, as a scalar.
  static WrittenParameter integers(std::string name, std::span<const int64_t> values,
                                   const Shape& shape);
  static WrittenParameter list(std::string name, std::span<const int64_t> values) {
    return integers(std::move(name), values, {values.size()});
  }
  static WrittenParameter integer(std::string name, int64_t value) {
    return integers(std::move(name), {&value, 1}, {});
  }
  void append(const void* from, size_t byte_count);
};

/// The nodes of a TenniS module that is made in memory.
class TennisNodes {
 public:
  /// Returns the node's index; arguments are indices of nodes before it.
  uint32_t add(std::string_view op, std::string_view name, std::vector<uint32_t> arguments,
               std::vector<WrittenParameter> parameters = {});
  Status write(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
               ByteSink& sink) const;

 private:
  struct Node {
    std::vector<WrittenParameter> parameters;
    std::vector<uint32_t> arguments;
  };
  std::vector<Node> nodes_;
};

TennisDtype tennis_dtype(ElementType type);

}  // namespace susurrus
