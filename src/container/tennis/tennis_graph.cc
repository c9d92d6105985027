#include "container/tennis/tennis_graph.h"

#include <utility>

#include "base/name_index.h"
#include "container/read_error.h"
#include "container/tennis/tennis_names.h"

namespace susurrus {
namespace {

/// As the file has it: signed.
std::string index_text(uint32_t node) { return std::to_string(static_cast<int32_t>(node)); }

std::string entry(const char* list, size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "]";
}

uint64_t entry_offset(uint64_t list_offset, size_t i) { return list_offset + 4 + 4 * uint64_t{i}; }

}  // namespace

Status TennisGraph::set_lists(List inputs, List outputs, uint32_t node_count) {
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  node_count_ = node_count;
  SUSURRUS_RETURN_IF_ERROR(check_list(inputs_, "inputs"));
  return check_list(outputs_, "outputs");
}

Status TennisGraph::check_list(const List& list, const char* what) const {
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    if (list.nodes[i] < node_count_) continue;
    return malformed(ErrorReason::bad_index, entry_offset(list.offset, i), entry(what, i))
        .with_expected("a node below " + std::to_string(node_count_))
        .with_got(index_text(list.nodes[i]));
  }
  return ok_status();
}

Status TennisGraph::begin_arguments(const TennisBubble& bubble, uint32_t count, uint64_t offset) {
  const bool is_operation = bubble.kind() == TennisKind::operation;
  if (bubble.kind() != TennisKind::unknown && is_operation != (count > 0)) {
    return malformed(ErrorReason::contradiction, offset, bubble.subject("arguments"))
        .with_expected(is_operation ? "at least 1" : "0")
        .with_got(count);
  }
  nodes_.push_back({bubble.offset(), offset, static_cast<uint32_t>(arguments_.size()),
                    static_cast<uint32_t>(names_.size()), bubble.kind()});
  names_ += bubble.name();
  return ok_status();
}

Status TennisGraph::add_argument(const TennisBubble& bubble, uint32_t node, uint64_t offset) {
  const size_t i = arguments_.size() - nodes_.back().first_argument;
  if (node >= node_count_ || node == bubble.node()) {
    return malformed(ErrorReason::bad_index, offset, bubble.subject(entry("arguments", i)))
        .with_expected("another node below " + std::to_string(node_count_))
        .with_got(index_text(node));
  }
  arguments_.push_back(node);
  return ok_status();
}

std::string_view TennisGraph::name(uint32_t node) const {
  const size_t begin = nodes_[node].name_begin;
  const size_t end = node + 1 < nodes_.size() ? nodes_[node + 1].name_begin : names_.size();
  return std::string_view(names_).substr(begin, end - begin);
}

std::span<const uint32_t> TennisGraph::arguments(uint32_t node) const {
  const size_t begin = nodes_[node].first_argument;
  const size_t end = node + 1 < nodes_.size() ? nodes_[node + 1].first_argument : arguments_.size();
  return std::span(arguments_).subspan(begin, end - begin);
}

std::string TennisGraph::subject(uint32_t node, std::string_view what) const {
  return tennis_subject(node, name(node), what);
}

Status TennisGraph::check() const {
  SUSURRUS_RETURN_IF_ERROR(check_inputs());
  SUSURRUS_RETURN_IF_ERROR(check_cycles());
  return check_needed();
}

Status TennisGraph::check_inputs() const {
  for (size_t i = 0; i < inputs_.nodes.size(); ++i) {
    const TennisKind kind = nodes_[inputs_.nodes[i]].kind;
    if (kind == TennisKind::parameter || kind == TennisKind::unknown) continue;
    return malformed(ErrorReason::contradiction, entry_offset(inputs_.offset, i),
                     entry("inputs", i))
        .with_expected("a <param>")
        .with_got(
            subject(inputs_.nodes[i], kind == TennisKind::constant ? "a <const>" : "an operator"));
  }
  return ok_status();
}

/// Depth first, without recursion: a chain of nodes may be as long as the file.
Status TennisGraph::check_cycles() const {
  enum class Mark : uint8_t { untouched, under_way, done };
  struct Visit {
    uint32_t node;
    uint32_t next_argument;
  };
  std::vector<Mark> marks(nodes_.size(), Mark::untouched);
  std::vector<Visit> path;
  for (uint32_t root = 0; root < nodes_.size(); ++root) {
    if (marks[root] != Mark::untouched) continue;
    path.push_back({root, 0});
    while (!path.empty()) {
      const auto [node, i] = path.back();
      marks[node] = Mark::under_way;
      if (i == arguments(node).size()) {
        marks[node] = Mark::done;
        path.pop_back();
        continue;
      }
      ++path.back().next_argument;
      const uint32_t argument = arguments(node)[i];
      if (marks[argument] == Mark::untouched) path.push_back({argument, 0});
      if (marks[argument] != Mark::under_way) continue;
      return malformed(ErrorReason::contradiction, entry_offset(nodes_[node].arguments_offset, i),
                       subject(node, entry("arguments", i)))
          .with_expected("a node that does not depend on this one")
          .with_got(subject(argument, ""));
    }
  }
  return ok_status();
}

Status TennisGraph::check_needed() const {
  std::vector<bool> is_input(nodes_.size());
  for (const uint32_t node : inputs_.nodes) is_input[node] = true;
  std::vector<bool> is_needed(nodes_.size());
  std::vector<uint32_t> found;
  const auto add = [&](uint32_t node) {
    if (!is_needed[node]) found.push_back(node);
    is_needed[node] = true;
  };
  for (const uint32_t node : outputs_.nodes) add(node);
  while (!found.empty()) {
    const uint32_t node = found.back();
    found.pop_back();
    for (const uint32_t argument : arguments(node)) add(argument);
  }
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].kind != TennisKind::parameter || !is_needed[node] || is_input[node]) continue;
    return malformed(ErrorReason::contradiction, nodes_[node].offset, subject(node, ""))
        .with_expected("its place among the module's inputs, since an output needs it")
        .with_got("none");
  }
  return ok_status();
}

std::optional<std::string_view> TennisGraph::shared_input_name() const {
  std::vector<uint32_t> nodes = inputs_.nodes;
  sort_unique(nodes);
  NameIndex names;
  for (const uint32_t node : nodes) names.add(name(node), node);
  names.sort();
  const auto* twice = names.duplicate();
  return twice == nullptr ? std::nullopt : std::optional(twice->name);
}

}  // namespace susurrus
