#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "container/tennis/tennis_bubble.h"

namespace susurrus {

/// The nodes of a module and how they hang together, with the rules about that (tennis.md §4, 16 to 23). Offsets are of the
/// file.
class TennisGraph {
 public:
  /// The module's inputs or outputs as the file lists them; `offset` is that of the list's count.
  struct List {
    uint64_t offset = 0;
    std::vector<uint32_t> nodes;
  };

  /// Case 16. Before the first node.
  Status set_lists(List inputs, List outputs, uint32_t node_count);

  /// Cases 22 and 23: a node of this kind with `count` arguments.
  Status begin_arguments(const TennisBubble& bubble, uint32_t count, uint64_t offset);
  /// Case 17: the current node's next argument.
  Status add_argument(const TennisBubble& bubble, uint32_t node, uint64_t offset);
  /// Cases 18 and 19. After the last node.
  Status check() const;
  /// The name that two inputs share: one of them cannot be fed by it.
  std::optional<std::string_view> shared_input_name() const;

  std::span<const uint32_t> inputs() const { return inputs_.nodes; }
  std::span<const uint32_t> outputs() const { return outputs_.nodes; }
  uint32_t node_count() const { return node_count_; }
  /// For nodes whose arguments have begun.
  std::string_view name(uint32_t node) const;
  std::span<const uint32_t> arguments(uint32_t node) const;

 private:
  struct Node {
    uint64_t offset;
    uint64_t arguments_offset;
    uint32_t first_argument;
    uint32_t name_begin;
    TennisKind kind;
  };

  Status check_list(const List& list, const char* what) const;
  Status check_inputs() const;
  Status check_cycles() const;
  Status check_needed() const;
  std::string subject(uint32_t node, std::string_view what) const;

  List inputs_;
  List outputs_;
  uint32_t node_count_ = 0;
  std::vector<Node> nodes_;
  std::vector<uint32_t> arguments_;
  std::string names_;
};

}  // namespace susurrus
