#pragma once
#include <string>
#include <vector>

#include "container/tennis/tennis_sink.h"

namespace susurrus {

/// Unknown: a node without #op.
enum class TennisKind : uint8_t { parameter, constant, operation, unknown };

/// The rules of one node's parameters: names that occur once, and the reserved ones (tennis.md §1). Offsets are of the file.
class TennisBubble {
 public:
  void begin(uint64_t node, uint64_t offset);
  /// `offset` is that of the name's length.
  void begin_parameter(std::string_view name, uint64_t offset);
  Status set_field_count(uint32_t count, uint64_t offset);
  Status begin_field(const TennisTensor& tensor, uint64_t offset);
  /// Whether the current field's bytes are to go to add_bytes().
  bool wants_bytes() const { return current_ != Reserved::none && current_ != Reserved::value; }
  void add_bytes(ByteSpan bytes);
  Status end_field(const TennisTensor& tensor);
  /// After the last parameter.
  Status end();

  /// `node 3 "conv1": what`, with the name once it is known.
  std::string subject(std::string_view what) const;
  bool has_parameter(std::string_view name) const;
  std::string_view parameter_name() const { return parameter_name_; }
  std::string_view name() const { return name_; }
  std::string_view op() const { return op_; }
  TennisKind kind() const;
  uint64_t node() const { return node_; }
  uint64_t offset() const { return offset_; }

 private:
  enum class Reserved : uint8_t { none, op, name, output_count, value };
  struct Name {
    uint64_t offset;
    uint32_t begin;
    uint32_t end;
  };

  std::string_view text(const Name& name) const {
    return std::string_view(name_texts_).substr(name.begin, name.end - name.begin);
  }
  Status check_names();
  Error wrong(std::string_view what, uint64_t offset) const;

  uint64_t node_ = 0;
  uint64_t offset_ = 0;
  std::vector<Name> names_;
  std::string name_texts_;

  std::string_view parameter_name_;
  Reserved current_ = Reserved::none;
  std::string bytes_;

  bool has_name_ = false;
  std::string op_;
  std::string name_;
  uint64_t op_offset_ = 0;
  bool has_value_ = false;
  uint32_t value_field_count_ = 0;
  uint64_t value_offset_ = 0;
};

}  // namespace susurrus
