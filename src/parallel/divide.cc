#include "parallel/divide.h"

#include "base/check.h"

namespace susurrus {
namespace {

ThreadPool* current_pool = nullptr;
size_t most_active = kMaxThreads;

}  // namespace

void use_threads(ThreadPool* pool) { current_pool = pool; }

size_t thread_count() { return current_pool == nullptr ? 1 : current_pool->thread_count(); }

size_t active_thread_count() { return std::min(thread_count(), most_active); }

void limit_threads(size_t most) {
  SUSURRUS_CHECK(most > 0);
  most_active = most;
}

void run_on_threads(size_t slice_count, ThreadPool::DoSlice do_slice, const void* job) {
  current_pool->run(slice_count, do_slice, job);
}

}  // namespace susurrus
