// Copying and filling memory, for the whole program. What the linker takes for small code (-Oz) goes byte by byte; the
// instructions of bulk memory, which every engine with SIMD has, are smaller still and run at the machine's speed.
#include <cstddef>
#include <cstdint>

namespace {

/// Below, the instruction takes longer than a loop.
constexpr size_t kFewBytes = 16;

}  // namespace

extern "C" {

void* memmove(void* to, const void* from, size_t byte_count) {
  return __builtin_memmove(to, from, byte_count);
}

void* memcpy(void* to, const void* from, size_t byte_count) {
  if (byte_count >= kFewBytes) return memmove(to, from, byte_count);
  auto* target = static_cast<uint8_t*>(to);
  const auto* source = static_cast<const uint8_t*>(from);
  for (size_t i = 0; i < byte_count; ++i) target[i] = source[i];
  return to;
}

void* memset(void* to, int value, size_t byte_count) {
  return __builtin_memset(to, value, byte_count);
}

}  // extern "C"
