// load_limits.mjs and .wasm: the same limits in WebAssembly, with the code and the flags of the engines. JavaScript keeps the
// time. Addresses are those of memory that take() gave.
#include <emscripten/bind.h>

#include <cstdlib>
#include <cstring>

#include "load_limits.h"

namespace susurrus::bench {
namespace {

ByteSpan span_of(uintptr_t address, size_t byte_count) {
  return {reinterpret_cast<const uint8_t*>(address), byte_count};
}

/// 0 when there is none. Memory not used before: the system has not even zeroed it yet.
uintptr_t take(size_t byte_count) { return reinterpret_cast<uintptr_t>(std::malloc(byte_count)); }

void copy(uintptr_t to, uintptr_t from, size_t byte_count) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), byte_count);
}

uint32_t crc32_at(uintptr_t from, size_t byte_count) { return crc32_of(span_of(from, byte_count)); }

uint32_t crc32_cached(uintptr_t from, size_t byte_count) {
  return crc32_of_cached(span_of(from, byte_count), byte_count);
}

bool decode(uintptr_t to, size_t raw_bytes, uintptr_t from, size_t stored_bytes) {
  return decode_blocks(span_of(from, stored_bytes), {reinterpret_cast<uint8_t*>(to), raw_bytes});
}

}  // namespace

EMSCRIPTEN_BINDINGS(load_limits) {
  emscripten::function("take", &take);
  emscripten::function("copy", &copy);
  emscripten::function("crc32", &crc32_at);
  emscripten::function("crc32Cached", &crc32_cached);
  emscripten::function("decode", &decode);
}

}  // namespace susurrus::bench
