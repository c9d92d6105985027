// A pool whose threads run, for as long as this lives: native test programs only.
#pragma once
#include <thread>
#include <vector>

#include "parallel/divide.h"

namespace susurrus::testing {

class RunningThreads {
 public:
  explicit RunningThreads(size_t count) : pool_(count) {
    for (size_t thread = 1; thread < count; ++thread) {
      threads_.emplace_back([this, thread] { pool_.serve(thread); });
    }
    use_threads(&pool_);
  }
  RunningThreads(const RunningThreads&) = delete;
  RunningThreads& operator=(const RunningThreads&) = delete;
  ~RunningThreads() {
    use_threads(nullptr);
    pool_.stop();
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadPool& pool() { return pool_; }

 private:
  ThreadPool pool_;
  std::vector<std::thread> threads_;
};

}  // namespace susurrus::testing
