#include "families/acoustic/arpa_model.h"

namespace susurrus {
namespace {

constexpr uint32_t kNone = PairIndex::kNone;

}  // namespace

uint32_t ArpaModel::word(std::string_view text) const {
  const uint32_t found = words_.find(text);
  return found == WordTable::kNone ? kUnknown : found;
}

ArpaModel::Context ArpaModel::begin() const {
  Context context;
  const uint32_t found = words_.find("<s>");
  if (found == WordTable::kNone || order_ == 1) return context;
  context.nodes[0] = index_.find(0, found);
  context.size = 1;
  return context;
}

float ArpaModel::score(const Context& context, uint32_t word, Context& next) const {
  Context behind;
  float score = 0;
  uint32_t found = 0;
  for (uint32_t length = 0; length <= context.size; ++length) {
    const uint32_t before = length == 0 ? 0 : context.nodes[length - 1];
    const uint32_t node = before == kNone ? kNone : index_.find(before, word);
    if (length < order_ - 1) behind.nodes[length] = node;
    if (node == kNone) continue;
    score = nodes_[node].score;
    found = length;
    if (length < order_ - 1) behind.size = length + 1;
  }
  for (uint32_t length = found; length < context.size; ++length) {
    if (context.nodes[length] != kNone) score += nodes_[context.nodes[length]].backoff;
  }
  next = behind;
  return score;
}

float ArpaModel::end_score(const Context& context) const {
  Context unused;
  return score(context, word("</s>"), unused);
}

}  // namespace susurrus
