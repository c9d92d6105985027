#include "base/aligned_buffer.h"

#include <cstdlib>
#include <utility>

#include "base/checked_math.h"

namespace susurrus {

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      byte_count_(std::exchange(other.byte_count_, 0)) {}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(byte_count_, other.byte_count_);
  return *this;
}

AlignedBuffer::~AlignedBuffer() { std::free(data_); }

Result<AlignedBuffer> AlignedBuffer::allocate(uint64_t byte_count, const char* subject) {
  AlignedBuffer buffer;
  auto padded = checked_add(byte_count, kOverreadBytes);
  if (padded) padded = checked_align_up(*padded, kBufferAlignment);
  if (padded && *padded <= SIZE_MAX / 2) {
    buffer.data_ =
        static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, static_cast<size_t>(*padded)));
  }
  if (buffer.data_ == nullptr) {
    return make_error(ErrorCode::out_of_memory, ErrorReason::memory)
        .with_subject(subject)
        .with_got(byte_count);
  }
  buffer.byte_count_ = static_cast<size_t>(byte_count);
  return buffer;
}

void AlignedBuffer::reset() {
  std::free(data_);
  data_ = nullptr;
  byte_count_ = 0;
}

}  // namespace susurrus
