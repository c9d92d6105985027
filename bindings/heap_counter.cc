// The allocation functions of this program: Emscripten's own, with a count in front. The promises about memory (nothing
// in the token loop; a load's peak) are tested with these numbers, and memory() shows them.
#include "heap_counter.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

#include <cstddef>

extern "C" {
void* emscripten_builtin_malloc(size_t);
void* emscripten_builtin_calloc(size_t, size_t);
void* emscripten_builtin_memalign(size_t, size_t);
void emscripten_builtin_free(void*);
}

namespace susurrus {
namespace {

HeapStatistics statistics;

void* taken(void* block) {
  ++statistics.allocation_count;
  if (block != nullptr) {
    statistics.current_bytes += malloc_usable_size(block);
    if (statistics.current_bytes > statistics.peak_bytes) {
      statistics.peak_bytes = statistics.current_bytes;
    }
  }
  return block;
}

void given_back(void* block) {
  if (block != nullptr) statistics.current_bytes -= malloc_usable_size(block);
}

}  // namespace

HeapStatistics heap_statistics() { return statistics; }
void reset_heap_peak() { statistics.peak_bytes = statistics.current_bytes; }

}  // namespace susurrus

extern "C" {

void free(void* block) {
  susurrus::given_back(block);
  emscripten_builtin_free(block);
}

void* malloc(size_t byte_count) { return susurrus::taken(emscripten_builtin_malloc(byte_count)); }

void* calloc(size_t count, size_t byte_count) {
  return susurrus::taken(emscripten_builtin_calloc(count, byte_count));
}

void* memalign(size_t alignment, size_t byte_count) {
  return susurrus::taken(emscripten_builtin_memalign(alignment, byte_count));
}

void* aligned_alloc(size_t alignment, size_t byte_count) { return memalign(alignment, byte_count); }

int posix_memalign(void** block, size_t alignment, size_t byte_count) {
  void* taken = memalign(alignment, byte_count);
  if (taken == nullptr) return ENOMEM;
  *block = taken;
  return 0;
}

// Emscripten offers no realloc to build on. Nothing here relies on growing in place.
void* realloc(void* old_block, size_t byte_count) {
  void* block = malloc(byte_count);
  if (block == nullptr || old_block == nullptr) return block;  // on failure the old block stays
  const size_t old_bytes = malloc_usable_size(old_block);
  memcpy(block, old_block, old_bytes < byte_count ? old_bytes : byte_count);
  free(old_block);
  return block;
}

}  // extern "C"
