#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace susurrus {

inline constexpr size_t kBufferAlignment = 64;
/// Kernels may read, never write, up to this many bytes past the end of a buffer.
inline constexpr size_t kOverreadBytes = 16;

/// Owns 64-byte aligned memory whose failure is out_of_memory, not a crash. Contents start undefined.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept;
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer();

  /// `subject` names what the memory is for, in the error.
  static Result<AlignedBuffer> allocate(uint64_t byte_count, const char* subject);

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t byte_count() const { return byte_count_; }
  std::span<uint8_t> bytes() { return {data_, byte_count_}; }
  std::span<const uint8_t> bytes() const { return {data_, byte_count_}; }
  std::span<float> floats() {
    return {reinterpret_cast<float*>(data_), byte_count_ / sizeof(float)};
  }
  std::span<const float> floats() const {
    return {reinterpret_cast<const float*>(data_), byte_count_ / sizeof(float)};
  }
  void reset();

 private:
  uint8_t* data_ = nullptr;
  size_t byte_count_ = 0;
};

}  // namespace susurrus
