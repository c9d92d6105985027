#include "decode/token_trie.h"

#include <algorithm>

namespace susurrus {
namespace {

bool is_before(const TokenTrie::Edge& edge, uint32_t token) { return edge.token < token; }

}  // namespace

uint32_t TokenTrie::add(std::span<const uint32_t> tokens) {
  uint32_t node = kRoot;
  for (uint32_t token : tokens) {
    auto& edges = edges_[node];
    auto place = std::lower_bound(edges.begin(), edges.end(), token, is_before);
    if (place != edges.end() && place->token == token) {
      node = place->node;
    } else {
      node = static_cast<uint32_t>(edges_.size());
      edges.insert(place, {token, node});
      edges_.emplace_back();
    }
  }
  depth_ = std::max(depth_, tokens.size());
  return node;
}

std::optional<uint32_t> TokenTrie::next(uint32_t node, uint32_t token) const {
  const auto& edges = edges_[node];
  auto place = std::lower_bound(edges.begin(), edges.end(), token, is_before);
  if (place == edges.end() || place->token != token) return std::nullopt;
  return place->node;
}

}  // namespace susurrus
