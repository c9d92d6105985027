#include "parallel/divide.h"

namespace susurrus {
namespace {

ThreadPool* current_pool = nullptr;

}  // namespace

void use_threads(ThreadPool* pool) { current_pool = pool; }

size_t thread_count() { return current_pool == nullptr ? 1 : current_pool->thread_count(); }

void run_on_threads(size_t slice_count, ThreadPool::DoSlice do_slice, const void* job) {
  current_pool->run(slice_count, do_slice, job);
}

}  // namespace susurrus
