#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "container/onnx/onnx_network.h"

namespace susurrus {

/// Reads one ONNX ModelProto that is pushed in pieces of any size: checks the structure of the messages it knows and
/// keeps what OnnxNetwork lists. Weights pass by.
///
/// Errors, all malformed, about `subject` with the file's offset: a varint that does not end or a kind of field that does
/// not exist (bad_metadata), a field longer than its message (bounds), no graph (model). limit_exceeded: more or longer names
/// than any network has.
class OnnxScanner {
 public:
  OnnxScanner() = default;
  /// The network is the `byte_count` bytes at `file_offset`.
  OnnxScanner(const char* subject, uint64_t file_offset, uint64_t byte_count);

  /// Not more than byte_count bytes in all.
  Status push(ByteSpan bytes);
  /// How many of the next bytes can be skipped: weights, or fields that are not kept.
  uint64_t skippable() const { return state_ == State::skip ? left_ - 1 : 0; }
  /// Skips at most `byte_count` bytes. The last byte of a field stays: pushing it ends the field.
  void skip(uint64_t byte_count) {
    position_ += byte_count;
    left_ -= byte_count;
  }
  /// When all bytes were pushed; the network may be taken then.
  Status finish();
  /// The file offset of the next byte; of the one after the offending one after an error.
  uint64_t position() const { return position_; }
  OnnxNetwork& network() { return network_; }

 private:
  enum class Message : uint8_t {
    model,
    opset,
    graph,
    node,
    initializer,
    input,
    output,
    type,
    tensor_type,
    shape,
    dim,
    none
  };
  enum class State : uint8_t { key, number, length, skip, text };
  enum class Text : uint8_t { none, value_name, initializer_name, operator_type, opset_domain };
  struct Frame {
    Message message;
    uint64_t end;
  };

  static constexpr size_t kDepth = 8;

  Status on_varint();
  Status on_key();
  Status on_length();
  Status begin_length_field(uint64_t begin);
  void on_number();
  Status on_text();
  Status close_messages();
  Status leave(Message message);
  Message child(Message parent, uint64_t field) const;
  Text text_of(Message parent, uint64_t field) const;
  Error bad(ErrorReason reason, uint64_t offset) const;
  Error too_many(const char* what) const;
  void start_varint(State state);

  const char* subject_ = "";
  uint64_t begin_ = 0;
  uint64_t position_ = 0;
  std::array<Frame, kDepth> frames_;
  size_t depth_ = 0;

  State state_ = State::key;
  uint64_t varint_ = 0;
  uint32_t varint_bytes_ = 0;
  uint64_t varint_at_ = 0;
  uint64_t field_ = 0;
  uint64_t left_ = 0;
  Text text_kind_ = Text::none;
  std::string text_;

  bool has_graph_ = false;
  OnnxNetwork network_;
  OnnxValue value_;
  std::string opset_domain_;
  uint64_t opset_version_ = 0;
  std::vector<std::string> initializer_names_;
  size_t name_bytes_ = 0;
};

}  // namespace susurrus
