// The pool with real threads: in native test programs, which run under the sanitizers.
#ifdef SUSURRUS_THREADS
#include <array>
#include <chrono>

#include "harness.h"
#include "parallel/running_threads.h"

namespace susurrus::testing::thread_pool_test {
namespace {

constexpr size_t kThreadCounts[] = {1, 2, 3, 8};

/// Longer than threads spin.
void let_threads_fall_asleep() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

SUSURRUS_TEST(every_slice_of_a_job_is_done_once_by_one_of_the_threads) {
  for (size_t count : kThreadCounts) {
    RunningThreads threads(count);
    for (int job = 0; job < 3000; ++job) {
      // Plain variables: that they can be read here is what run() promises.
      std::array<int, kMaxThreads> done = {};
      const size_t slices = 1 + static_cast<size_t>(job) % kMaxThreads;
      const auto work = [&](size_t slice, size_t thread) {
        ++done[slice];
        if (thread >= count) done[slice] = 100;
      };
      threads.pool().run(
          slices,
          [](const void* own, size_t slice, size_t thread) {
            (*static_cast<decltype(&work)>(own))(slice, thread);
          },
          &work);
      for (size_t slice = 0; slice < kMaxThreads; ++slice) {
        ASSERT_EQ(done[slice], slice < slices ? 1 : 0);
      }
    }
  }
}

SUSURRUS_TEST(threads_work_at_the_same_time_also_after_they_slept) {
  for (size_t count : kThreadCounts) {
    RunningThreads threads(count);
    for (int job = 0; job < 3; ++job) {
      let_threads_fall_asleep();
      // No slice ends before all have begun, each on a thread of its own.
      std::atomic<size_t> begun = 0;
      std::atomic<uint32_t> on_threads = 0;
      const size_t slices = divide(count, 1, count, [&](const Slice& slice) {
        on_threads.fetch_or(1u << slice.thread);
        begun.fetch_add(1);
        while (begun.load() < count) std::this_thread::yield();
      });
      EXPECT_EQ(slices, count);
      EXPECT_EQ(on_threads.load(), (1u << count) - 1);
    }
  }
}

SUSURRUS_TEST(work_is_divided_among_as_many_threads_as_may_work) {
  RunningThreads threads(4);
  for (size_t most : {1, 2, 3, 4, 8}) {
    limit_threads(most);
    EXPECT_EQ(active_thread_count(), std::min<size_t>(most, 4));
    EXPECT_EQ(thread_count(), 4u);
    std::atomic<size_t> sum = 0;
    const auto add = [&](const Slice& slice) { sum += slice.count; };
    EXPECT_EQ(divide(1000, 1, 8, add), active_thread_count());
    EXPECT_EQ(sum.load(), 1000u);
  }
}

SUSURRUS_TEST(a_runner_that_slept_wakes_up_when_the_last_slice_is_done) {
  RunningThreads threads(2);
  for (int job = 0; job < 3; ++job) {
    std::atomic<size_t> begun = 0;
    std::array<bool, 2> done = {};
    divide(2, 1, 2, [&](const Slice& slice) {
      begun.fetch_add(1);
      while (begun.load() < 2) std::this_thread::yield();
      if (slice.thread == 1) let_threads_fall_asleep();
      done[slice.first] = true;
    });
    EXPECT_TRUE(done[0] && done[1]);
  }
}

SUSURRUS_TEST(a_job_is_done_though_no_other_thread_takes_part) {
  ThreadPool pool(8);  // whose threads never come
  use_threads(&pool);
  size_t sum = 0;
  EXPECT_EQ(divide(1000, 1, 8, [&](const Slice& slice) { sum += slice.count; }), 8u);
  use_threads(nullptr);
  EXPECT_EQ(sum, 1000u);
}

SUSURRUS_TEST(threads_stop_while_they_sleep_while_they_spin_and_before_they_serve) {
  for (int round = 0; round < 20; ++round) {
    RunningThreads threads(4);
    if (round % 2 == 1) std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
    if (round % 4 == 2) divide(4, 1, 4, [](const Slice&) {});
  }
  ThreadPool stopped(2);
  stopped.stop();
  stopped.serve(1);
}

SUSURRUS_TEST(slices_depend_on_numbers_alone_and_are_whole_units) {
  RunningThreads threads(3);
  const auto slices_of = [](size_t total, size_t unit, size_t most) {
    std::array<size_t, kMaxThreads> counts = {};
    std::atomic<size_t> covered = 0;
    const size_t slices = divide(total, unit, most, [&](const Slice& slice) {
      counts[slice.first * 3 / total] = slice.count;  // first, second or last third
      covered.fetch_add(slice.count);
    });
    EXPECT_EQ(covered.load(), total);
    return std::array{slices, counts[0], counts[1], counts[2]};
  };
  EXPECT_TRUE((slices_of(96, 16, 8) == std::array<size_t, 4>{3, 32, 32, 32}));
  EXPECT_TRUE((slices_of(90, 16, 8) == std::array<size_t, 4>{3, 32, 32, 26}));
  EXPECT_TRUE((slices_of(16, 16, 8) == std::array<size_t, 4>{1, 16, 0, 0}));
  EXPECT_TRUE((slices_of(100, 1, 1) == std::array<size_t, 4>{1, 100, 0, 0}));
  EXPECT_EQ(divide(0, 16, 8, [](const Slice& slice) { EXPECT_EQ(slice.count, 0u); }), 1u);
}

}  // namespace susurrus::testing::thread_pool_test
#endif
