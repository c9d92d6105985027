#include "session/allocation_count.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define SUSURRUS_COUNTS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SUSURRUS_COUNTS_MALLOC 1
#endif
#endif

namespace susurrus::testing {
namespace {

uint64_t count = 0;
int64_t live_count = 0;
int64_t live_bytes = 0;
int64_t watched_bytes = 0;
int64_t peak_bytes = 0;

void count_bytes(int64_t byte_count) {
  live_bytes += byte_count;
  peak_bytes = std::max(peak_bytes, live_bytes);
}

}  // namespace

uint64_t allocation_count() { return count; }
int64_t live_allocation_count() { return live_count; }
void watch_bytes() { watched_bytes = peak_bytes = live_bytes; }
uint64_t most_bytes() { return static_cast<uint64_t>(peak_bytes - watched_bytes); }

#if SUSURRUS_COUNTS_MALLOC

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
extern "C" size_t __sanitizer_get_allocated_size(const volatile void*);
namespace {
void on_malloc(const volatile void*, size_t byte_count) {
  ++count;
  ++live_count;
  count_bytes(static_cast<int64_t>(byte_count));
}
void on_free(const volatile void* memory) {
  live_count -= memory != nullptr;
  if (memory != nullptr) count_bytes(-static_cast<int64_t>(__sanitizer_get_allocated_size(memory)));
}
const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}  // namespace

#else

namespace {
void* counted(size_t byte_count) {
  ++count;
  ++live_count;
  void* memory = std::malloc(byte_count == 0 ? 1 : byte_count);
  if (memory == nullptr) __builtin_trap();
  count_bytes(static_cast<int64_t>(malloc_usable_size(memory)));
  return memory;
}
void release(void* memory) {
  live_count -= memory != nullptr;
  if (memory != nullptr) count_bytes(-static_cast<int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}
}  // namespace

#endif

}  // namespace susurrus::testing

#if !SUSURRUS_COUNTS_MALLOC
void* operator new(size_t byte_count) { return susurrus::testing::counted(byte_count); }
void* operator new[](size_t byte_count) { return susurrus::testing::counted(byte_count); }
void operator delete(void* memory) noexcept { susurrus::testing::release(memory); }
void operator delete[](void* memory) noexcept { susurrus::testing::release(memory); }
void operator delete(void* memory, size_t) noexcept { susurrus::testing::release(memory); }
void operator delete[](void* memory, size_t) noexcept { susurrus::testing::release(memory); }
#endif
