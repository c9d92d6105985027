#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace susurrus {

inline constexpr size_t kMaxThreads = 8;

/// A fixed number of threads that do the slices of one job at a time: thread 0 calls run(); the owner of the pool
/// starts the others, which stay in serve(). Nothing is allocated.
///
/// A waiting thread spins for some microseconds, since jobs of a pass follow each other at once, and then sleeps. Whichever
/// thread comes first takes a slice, so no thread waits for one that sleeps or has lost its core to another program, unless
/// that one is in the middle of a slice.
class ThreadPool {
 public:
  /// What a job does: slice `slice` of it, on thread `thread`.
  using DoSlice = void (*)(const void* job, size_t slice, size_t thread);

  /// 1 to kMaxThreads, thread 0 among them.
  explicit ThreadPool(size_t thread_count) : thread_count_(thread_count) {}
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t thread_count() const { return thread_count_; }

  /// Does slices [0, slice_count), slice_count <= kMaxThreads, and returns when all are done; on thread 0.
  void run(size_t slice_count, DoSlice do_slice, const void* job);
  /// Does slices of jobs until stop(); on thread `thread`, 1 to thread_count() - 1.
  void serve(size_t thread);
  /// Lets serve() return, in every thread that is in it or comes to it later. Not during run().
  void stop();
  /// For a thread that broke off within a slice, which then stays undone: run() traps instead of waiting for it.
  void break_off();

 private:
  using Word = std::atomic<uint32_t>;
  static constexpr uint32_t kLeft = 0xff;
  static constexpr uint32_t kGeneration = kLeft + 1;

  void do_slices(size_t thread);

  const size_t thread_count_;
  DoSlice do_slice_ = nullptr;
  const void* job_ = nullptr;
  /// The number of slices not begun yet (kLeft), and in the higher bits a number that differs from job to job.
  alignas(64) Word open_ = 0;
  Word sleeping_ = 0;  // threads that sleep until open_ changes
  std::atomic<bool> is_stopped_ = false;
  alignas(64) Word unfinished_ = 0;  // slices of the job under way
  std::atomic<bool> runner_sleeps_ = false;
  std::atomic<bool> is_broken_ = false;
};

}  // namespace susurrus
