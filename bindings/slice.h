#pragma once
#include <emscripten/emscripten.h>

namespace susurrus {

/// Bounded steps one after the other, for as long as step() answers `under_way` and `milliseconds` have not passed; at least
/// one. The way out to JavaScript and in again costs as much as some hundred thousand multiply-adds, since all that it touches
/// has left the caches.
template <typename State, typename Step>
State run_slice(double milliseconds, State under_way, const Step& step) {
  const double end = emscripten_get_now() + milliseconds;
  State state = step();
  while (state == under_way && emscripten_get_now() < end) state = step();
  return state;
}

}  // namespace susurrus
