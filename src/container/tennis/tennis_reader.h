#pragma once
#include <optional>

#include "container/tennis/tennis_bubble.h"
#include "container/tennis/tennis_graph.h"
#include "container/tennis/tennis_sink.h"
#include "stream/push_parser.h"

namespace susurrus {

/// Reads a TenniS module (tennis.md §1), pushed in order in pieces of any size, and holds it to every rule that its bytes
/// decide (§4, 1 to 24 and 39). Holds the graph and one node's names; tensors pass through.
/// Nodes without #op, and a module without outputs, cannot be run and are read with a warning.
///
/// A count or size that asks for more than the file has is truncated_input at its field: at once where the length is known,
/// else at the end, unless what is misread after it is wrong before that.
class TennisReader {
 public:
  /// `sink` outlives the reader.
  explicit TennisReader(TennisSink& sink);

  /// Tells the file's length where it is known, before the first push.
  void set_file_byte_count(uint64_t byte_count) { known_byte_count_ = byte_count; }
  /// After an error every call gives disabled_by_previous_error.
  Status push(ByteSpan chunk);
  /// Bytes that come next and are only a tensor's, which the graph does not need, or after it. 0 where the length is not
  /// known.
  uint64_t skippable() const;
  /// Skips at most `byte_count` bytes; the sink does not get them.
  void skip(uint64_t byte_count);
  /// Says that no byte follows.
  Status finish();

  /// Whole once finish() has succeeded.
  const TennisGraph& graph() const { return graph_; }
  /// Bytes pushed so far.
  uint64_t received() const { return received_; }

 private:
  /// What a count or size announces: at least that many bytes after its field. Kept by depth, so
  /// that finish() names the outermost one that the file does not hold.
  enum class Part : uint8_t {
    inputs,
    outputs,
    nodes,
    parameters,
    arguments,
    name,
    fields,
    shape,
    data
  };
  struct Claim {
    Part part = Part::inputs;
    uint64_t field_offset = 0;
    uint64_t begin = 0;
    uint64_t byte_count = 0;
  };
  static constexpr size_t kDepths = 4;

  // The steps, in file order.
  Status on_header(ByteSpan bytes);
  Status on_list_count(ByteSpan bytes);
  Status on_list_entry(ByteSpan bytes);
  Status on_node_count(ByteSpan bytes);
  Status on_parameter_count(ByteSpan bytes);
  Status on_name_size(ByteSpan bytes);
  Status on_name(ByteSpan bytes);
  Status on_field_count(ByteSpan bytes);
  Status on_tensor_head(ByteSpan bytes);
  Status on_shape(ByteSpan bytes);
  Status on_data(ByteSpan bytes);
  Status on_data_end();
  Status on_argument_count(ByteSpan bytes);
  Status on_argument(ByteSpan bytes);
  Status on_rest(ByteSpan bytes);

  Status start();
  Status next_list_entry();
  Status next_node();
  Status next_parameter();
  Status next_field();
  Status next_argument();
  Status end_graph();

  Status check_end();
  Result<uint32_t> count(ByteSpan bytes, Part part, size_t depth, uint64_t least_bytes);
  Status claim(size_t depth, const Claim& claim);
  Status check(const Claim& claim, uint64_t file_byte_count) const;
  Status grow_graph(uint64_t byte_count, Part part);
  std::string subject(Part part) const;
  Status fail(Error error);

  TennisSink& sink_;
  PushParser<TennisReader> parser_;
  std::optional<uint64_t> known_byte_count_;
  uint64_t received_ = 0;
  bool failed_ = false;
  bool finished_ = false;
  /// Where the graph ended, once it has.
  std::optional<uint64_t> end_;
  /// Nothing is said about a file that cannot be one.
  std::array<uint8_t, kTennisMinimumBytes> first_bytes_{};
  size_t first_byte_count_ = 0;
  uint64_t graph_byte_count_ = 0;
  std::array<Claim, kDepths> claims_{};

  TennisGraph::List lists_[2];
  size_t list_ = 0;
  TennisGraph graph_;
  TennisBubble bubble_;
  TennisTensor tensor_;
  bool warned_name_ = false;
  /// Nodes without #op: how many, and the first one.
  uint32_t nodes_without_op_ = 0;
  std::string first_without_op_;

  uint32_t entries_left_ = 0;
  uint32_t node_ = 0;
  uint32_t parameters_left_ = 0;
  uint32_t fields_left_ = 0;
  uint64_t field_ = 0;
  uint64_t name_offset_ = 0;
  uint64_t dims_ = 0;
  uint64_t tensor_offset_ = 0;
};

}  // namespace susurrus
