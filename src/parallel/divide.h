// Work divided among the threads of this program. Where it is built for one thread (SUSURRUS_THREADS is not set), nothing of
// this is left but a call.
#pragma once
#include <algorithm>
#include <cstddef>

#ifdef SUSURRUS_THREADS
#include "parallel/thread_pool.h"
#endif

namespace susurrus {

/// Parts [first, first + count) of something, on one of the threads.
struct Slice {
  size_t first;
  size_t count;
  size_t thread;  // below thread_count()
};

#ifdef SUSURRUS_THREADS

inline constexpr bool kHasThreads = true;
/// The pool that all work is divided among from now on; nullptr: the caller's thread does it alone.
void use_threads(ThreadPool* pool);
size_t thread_count();
/// How many of them have part in the work: all, or as many as limit_threads() said.
size_t active_thread_count();
/// For an engine that shares the processors with others. At least 1.
void limit_threads(size_t most);
void run_on_threads(size_t slice_count, ThreadPool::DoSlice do_slice, const void* job);

#else

inline constexpr bool kHasThreads = false;
constexpr size_t thread_count() { return 1; }
constexpr size_t active_thread_count() { return 1; }

#endif

/// Calls work(slice) for slices that together are [0, total), at the same time; returns when all are done. There are at
/// most `most` and as many as there are active threads, alike but for `unit`, which all but the last are a multiple of. Which
/// slices there are depends on these numbers alone; which thread does one does not. Returns how many there were.
template <class Work>
size_t divide(size_t total, size_t unit, size_t most, const Work& work) {
#ifdef SUSURRUS_THREADS
  struct Job {
    size_t total;
    size_t unit;
    size_t units;
    size_t slices;
    const Work& work;
    size_t start(size_t slice) const { return std::min(total, units * slice / slices * unit); }
  };
  const size_t units = (total + unit - 1) / unit;
  const size_t slices = std::min({units, most, active_thread_count()});
  if (slices > 1) {
    const Job job{total, unit, units, slices, work};
    run_on_threads(
        slices,
        [](const void* job_address, size_t slice, size_t thread) {
          const Job& own = *static_cast<const Job*>(job_address);
          const size_t first = own.start(slice);
          own.work(Slice{first, own.start(slice + 1) - first, thread});
        },
        &job);
    return slices;
  }
#else
  (void)unit;
  (void)most;
#endif
  work(Slice{0, total, 0});
  return 1;
}

}  // namespace susurrus
