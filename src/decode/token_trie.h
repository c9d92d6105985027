#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace susurrus {

/// Token sequences that share their beginnings.
class TokenTrie {
 public:
  static constexpr uint32_t kRoot = 0;
  struct Edge {
    uint32_t token;
    uint32_t node;
  };

  TokenTrie() : edges_(1) {}
  /// The node where `tokens` end.
  uint32_t add(std::span<const uint32_t> tokens);

  size_t node_count() const { return edges_.size(); }
  /// Ascending by token.
  std::span<const Edge> edges(uint32_t node) const { return edges_[node]; }
  std::optional<uint32_t> next(uint32_t node, uint32_t token) const;
  /// Tokens of the longest sequence.
  size_t depth() const { return depth_; }

 private:
  std::vector<std::vector<Edge>> edges_;  // of each node
  size_t depth_ = 0;
};

}  // namespace susurrus
