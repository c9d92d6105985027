#pragma once
#include <array>
#include <span>
#include <string_view>

#include "base/result.h"
#include "container/tennis/tennis_dtype.h"

namespace susurrus {

inline constexpr uint32_t kTennisCode = 0x19910929;
inline constexpr size_t kTennisUserBytes = 120;
inline constexpr size_t kTennisHeaderBytes = 8 + kTennisUserBytes;
/// Header, and three lists without entries.
inline constexpr size_t kTennisMinimumBytes = kTennisHeaderBytes + 12;

struct TennisHeader {
  /// `fake` of the specification: any value, kept.
  int32_t reserved_word = 0;
  /// The user's own: any bytes, kept.
  std::array<uint8_t, kTennisUserBytes> user_bytes{};
  bool operator==(const TennisHeader&) const = default;
};

/// One field of a parameter.
struct TennisTensor {
  TennisDtype dtype = TennisDtype::void_type;
  /// Rank 0 is a scalar.
  Shape shape;
  /// Follows from dtype and shape.
  uint64_t byte_count = 0;
  /// The file offset of the first byte. A writer ignores it.
  uint64_t file_offset = 0;
};

/// Receives a TenniS module in the order of the file: what TennisReader reads, or TennisWriter writes. An error ends it.
///
///   on_header, on_module, for each node: on_node, its parameters, on_node_end
///   a parameter: on_parameter, for each field: on_tensor, on_tensor_bytes as often as there are bytes
class TennisSink {
 public:
  virtual ~TennisSink() = default;
  virtual Status on_header(const TennisHeader& header) = 0;
  /// Indices of nodes, all below `node_count`.
  virtual Status on_module(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
                           uint32_t node_count) = 0;
  virtual Status on_node(uint32_t parameter_count) = 0;
  /// `name` is bytes, in practice UTF-8, valid during the call.
  virtual Status on_parameter(std::string_view name, uint32_t field_count) = 0;
  virtual Status on_tensor(const TennisTensor& tensor) = 0;
  /// The tensor's bytes in order, never none.
  virtual Status on_tensor_bytes(ByteSpan bytes) = 0;
  /// Indices of the nodes whose results are its arguments, in their order. A reader ends the last node only when the whole
  /// graph is sound.
  virtual Status on_node_end(std::span<const uint32_t> arguments) = 0;
  /// Something acceptable but noteworthy. `text` is a stable English phrase.
  virtual void on_warning(std::string_view text) = 0;
};

}  // namespace susurrus
