#include "engine_values.h"

#include <emscripten/bind.h>

#include "kernels/kernel_table.h"

namespace susurrus {
namespace {

std::string kernel_variant() { return variant_name(default_kernels().variant); }

}  // namespace

EMSCRIPTEN_BINDINGS(engine_values) {
  emscripten::value_object<Range>("Range").field("begin", &Range::begin).field("end", &Range::end);

  emscripten::enum_<Step>("Step")
      .value("needAudio", Step::need_audio)
      .value("needWeights", Step::need_weights)
      .value("working", Step::working)
      .value("segmentReady", Step::segment_ready)
      .value("rejectedReady", Step::rejected_ready)
      .value("stateReady", Step::state_ready)
      .value("done", Step::done)
      .value("failed", Step::failed);

  emscripten::function("kernelVariant", &kernel_variant);
}

}  // namespace susurrus
