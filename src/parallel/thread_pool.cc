#include "parallel/thread_pool.h"

#include "base/check.h"
#include "parallel/sleep.h"

namespace susurrus {
namespace {

/// About 30 µs: longer than what a pass does between two jobs, and than waking up takes; short against a time slice that
/// another program would get.
constexpr int kSpins = 20'000;

bool changes_soon(const std::atomic<uint32_t>& word, uint32_t value) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_relaxed) != value) return true;
  }
  return false;
}

}  // namespace

void ThreadPool::run(size_t slice_count, DoSlice do_slice, const void* job) {
  SUSURRUS_CHECK(slice_count <= kMaxThreads);
  do_slice_ = do_slice;
  job_ = job;
  unfinished_.store(static_cast<uint32_t>(slice_count), std::memory_order_relaxed);
  const uint32_t generation = (open_.load(std::memory_order_relaxed) & ~kLeft) + kGeneration;
  // Either this thread sees that one sleeps, or that one sees the new job: hence the one order of all four accesses.
  open_.store(generation | static_cast<uint32_t>(slice_count), std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst) != 0) {
    wake_up(open_, static_cast<uint32_t>(slice_count - 1));
  }
  do_slices(0);

  for (;;) {
    const uint32_t left = unfinished_.load(std::memory_order_acquire);
    SUSURRUS_CHECK(!is_broken_.load(std::memory_order_acquire));
    if (left == 0) return;
    if (changes_soon(unfinished_, left)) continue;
    runner_sleeps_.store(true, std::memory_order_seq_cst);
    if (unfinished_.load(std::memory_order_seq_cst) == left) sleep_while(unfinished_, left);
    runner_sleeps_.store(false, std::memory_order_relaxed);
  }
}

void ThreadPool::serve(size_t thread) {
  for (;;) {
    do_slices(thread);
    const uint32_t seen = open_.load(std::memory_order_acquire);
    if (is_stopped_.load(std::memory_order_acquire)) return;
    if ((seen & kLeft) != 0 || changes_soon(open_, seen)) continue;
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    sleep_while(open_, seen);
    sleeping_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void ThreadPool::stop() {
  is_stopped_.store(true, std::memory_order_release);
  open_.fetch_add(kGeneration, std::memory_order_seq_cst);
  wake_up(open_, kMaxThreads);
}

void ThreadPool::break_off() {
  is_broken_.store(true, std::memory_order_release);
  unfinished_.fetch_add(1, std::memory_order_seq_cst);
  wake_up(unfinished_, 1);
}

void ThreadPool::do_slices(size_t thread) {
  uint32_t seen = open_.load(std::memory_order_acquire);
  while ((seen & kLeft) != 0) {
    if (!open_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
      continue;
    }
    // The job lasts at least until this slice is done.
    do_slice_(job_, (seen & kLeft) - 1, thread);
    if (unfinished_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        runner_sleeps_.load(std::memory_order_seq_cst)) {
      wake_up(unfinished_, 1);
    }
    seen = open_.load(std::memory_order_acquire);
  }
}

}  // namespace susurrus
