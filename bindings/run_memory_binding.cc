#include <emscripten/bind.h>

#include "container/apr2/apr2_metadata.h"
#include "families/whisper/state.h"

namespace susurrus {
namespace {

/// Bytes that a Whisper of these dimensions (JSON, APR2's names) computes with, besides its weights, in one thread; 0 where
/// they are not Whisper's. `has_blocks`: its matrices are of a block type.
double state_byte_count(const std::string& dimensions, bool has_blocks) {
  auto document = JsonDocument::parse(dimensions, JsonOrigin{});
  if (!document) return 0;
  const auto read = read_architecture(document->root());
  if (!read || read->n_audio_state % read->n_audio_head != 0 ||
      read->n_text_state % read->n_text_head != 0) {
    return 0;
  }
  const auto layout = has_blocks ? WeightLayout::panels_of_4 : WeightLayout::rows;
  const auto plan = StatePlan::make(*read, layout);
  if (!plan) return 0;
  return static_cast<double>(plan->kv_byte_count() + plan->activation_byte_count());
}

}  // namespace

EMSCRIPTEN_BINDINGS(run_memory) {
  emscripten::function("stateByteCount(dimensions, hasBlocks)", &state_byte_count);
}

}  // namespace susurrus
