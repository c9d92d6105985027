// The pool of an engine with threads, and what the wrapper must know to start them: a thread is another instance of the same
// module on the same memory, with a stack of its own.
#include <emscripten/bind.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "parallel/divide.h"

// Emscripten's: gives an instance its stack and thread-local memory.
extern "C" void _emscripten_wasm_worker_initialize(void* lowest, uint32_t byte_count);

namespace susurrus {
namespace {

/// Kernels keep little on the stack.
constexpr size_t kStackBytes = size_t{64} << 10;

std::optional<ThreadPool> pool;

/// Functions are indices into the table, which every instance has alike, since the names of exports are minified.
struct ThreadStart {
  double initialise;  // (stack, bytes of the stack)
  double serve;       // (thread); returns when the threads are stopped
  double break_off;   // ()
  double stacks;      // of threads 1 and so on; 0 where there is no memory for them
  double stack_bytes;
};

template <class Function>
double number(Function* function) {
  return static_cast<double>(reinterpret_cast<uintptr_t>(function));
}

ThreadStart make_threads(uint32_t count) {
  void* stacks = count <= kMaxThreads ? aligned_alloc(64, (count - 1) * kStackBytes) : nullptr;
  if (stacks != nullptr) use_threads(&pool.emplace(count));
  void (*serve)(uint32_t) = [](uint32_t thread) { pool->serve(thread); };
  void (*break_off)() = [] { pool->break_off(); };
  return {number(&_emscripten_wasm_worker_initialize), number(serve), number(break_off),
          number(static_cast<char*>(stacks)), kStackBytes};
}

void limit_to(uint32_t most) { limit_threads(std::max<size_t>(most, 1)); }

void stop_threads() {
  if (pool) pool->stop();
}

}  // namespace

EMSCRIPTEN_BINDINGS(threads) {
  emscripten::value_object<ThreadStart>("ThreadStart")
      .field("initialise", &ThreadStart::initialise)
      .field("serve", &ThreadStart::serve)
      .field("breakOff", &ThreadStart::break_off)
      .field("stacks", &ThreadStart::stacks)
      .field("stackBytes", &ThreadStart::stack_bytes);
  emscripten::function("makeThreads", &make_threads);
  emscripten::function("limitThreads(most)", &limit_to);
  emscripten::function("stopThreads", &stop_threads);
}

}  // namespace susurrus
