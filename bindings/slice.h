#pragma once
#include <emscripten/emscripten.h>

namespace susurrus {

/// Repeats step(), at least once, while it returns `under_way` and `milliseconds` have not passed.
/// A round trip to JavaScript costs as much as some hundred thousand multiply-adds, since
/// everything it touches has left the caches.
template <typename State, typename Step>
State run_slice(double milliseconds, State under_way, const Step& step) {
  const double end = emscripten_get_now() + milliseconds;
  State state = step();
  while (state == under_way && emscripten_get_now() < end) state = step();
  return state;
}

}  // namespace susurrus
