// Sleeping until a word changes: the one thing that std::atomic does differently here and there. In WebAssembly the standard
// library's own waiting polls.
#pragma once
#include <atomic>
#include <cstdint>

namespace susurrus {

/// Sleeps while `word` is `value`; may also return sooner. The thread that changes the word wakes the sleepers.
///
/// A function of its own in WebAssembly, with no variable that lives on: V8's baseline compiler (11.3, Node 20, at least) keeps
/// the address that is waited for in eight bytes of a stack slot of four, and so zeroes the function's last variable.
[[gnu::noinline]] inline void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
#ifdef __wasm__
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&word), static_cast<int>(value), -1);
#else
  word.wait(value);
#endif
}

/// Up to `count` of those that sleep on `word`, or more.
inline void wake_up(std::atomic<uint32_t>& word, [[maybe_unused]] uint32_t count) {
#ifdef __wasm__
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&word), count);
#else
  word.notify_all();
#endif
}

}  // namespace susurrus
