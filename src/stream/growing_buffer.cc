#include "stream/growing_buffer.h"

#include <algorithm>
#include <utility>

namespace susurrus {
namespace {

// A declared size below this is taken at once.
constexpr uint64_t kFirstStep = 1 << 20;

}  // namespace

void GrowingBuffer::start(uint64_t total, const char* subject, size_t extra_bytes) {
  buffer_.reset();
  subject_ = subject;
  total_ = total;
  extra_bytes_ = extra_bytes;
  size_ = 0;
}

Status GrowingBuffer::append(ByteSpan bytes) {
  const uint64_t needed = size_ + uint64_t{bytes.size()} + extra_bytes_;
  if (needed > buffer_.byte_count()) {
    uint64_t room = std::max({needed, kFirstStep, 2 * uint64_t{buffer_.byte_count()}});
    room = std::min(room, total_ + extra_bytes_);
    SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer larger, AlignedBuffer::allocate(room, subject_));
    if (size_ > 0) std::memcpy(larger.data(), buffer_.data(), size_);
    buffer_ = std::move(larger);
  }
  if (!bytes.empty()) std::memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return ok_status();
}

AlignedBuffer GrowingBuffer::take() {
  size_ = 0;
  total_ = 0;
  return std::exchange(buffer_, AlignedBuffer());
}

}  // namespace susurrus
