#include "session/allocation_count.h"

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

}  // namespace

uint64_t allocation_count() { return count; }
int64_t live_allocation_count() { return live_count; }

#if SUSURRUS_COUNTS_MALLOC

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
namespace {
void on_malloc(const volatile void*, size_t) {
  ++count;
  ++live_count;
}
void on_free(const volatile void* memory) { live_count -= memory != nullptr; }
const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}  // namespace

#else

namespace {
void* counted(size_t byte_count) {
  ++count;
  ++live_count;
  void* memory = std::malloc(byte_count == 0 ? 1 : byte_count);
  if (memory == nullptr) __builtin_trap();
  return memory;
}
void release(void* memory) {
  live_count -= memory != nullptr;
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
