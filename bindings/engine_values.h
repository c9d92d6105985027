#pragma once
#include "values.h"

namespace susurrus {

/// The state of a piece of work.
enum class Step : uint8_t {
  need_audio,
  need_weights,
  working,
  segment_ready,
  rejected_ready,
  state_ready,
  done,
  failed
};

/// [begin, end), in samples or bytes.
struct Range {
  double begin = 0;
  double end = 0;
};

}  // namespace susurrus
