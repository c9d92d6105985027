#pragma once
#include <cstdint>

#include "base/aligned_buffer.h"

namespace susurrus {

/// Asks for memory before tables double that cannot fail by themselves: that there is none is then an error and no crash.
class GrowthCheck {
 public:
  /// Tables take about `bytes_each` for an entry while they grow; `subject` names them in the
  /// error.
  GrowthCheck(const char* subject, uint64_t bytes_each)
      : subject_(subject), bytes_each_(bytes_each) {}

  /// Before one more entry than `count`. out_of_memory.
  Status before(uint64_t count) {
    if (count < next_) return ok_status();
    next_ *= 2;
    // What is freed at once is there for the tables.
    const auto memory = AlignedBuffer::allocate(next_ * bytes_each_, subject_);
    return memory ? ok_status() : Status(memory.error());
  }

 private:
  const char* subject_;
  uint64_t bytes_each_;
  uint64_t next_ = 1 << 16;
};

}  // namespace susurrus
