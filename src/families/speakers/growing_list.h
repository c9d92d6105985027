#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/aligned_buffer.h"

namespace susurrus {

/// A list of plain values that may come to fill the memory: that there is no more of it is an error and no crash.
template <typename T>
class GrowingList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  size_t size() const { return size_; }
  bool is_empty() const { return size_ == 0; }
  T* data() { return reinterpret_cast<T*>(buffer_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }
  T& operator[](size_t index) { return data()[index]; }
  const T& operator[](size_t index) const { return data()[index]; }
  std::span<T> all() { return {data(), size_}; }
  std::span<const T> all() const { return {data(), size_}; }
  uint64_t byte_count() const { return buffer_.byte_count(); }

  /// Room for `count` values more, which are to be written at once. out_of_memory: the list is as before.
  Result<std::span<T>> extend(size_t count) {
    if (size_ + count > buffer_.byte_count() / sizeof(T)) {
      const uint64_t room = std::max<uint64_t>(uint64_t{size_} + count, uint64_t{size_} * 2);
      SUSURRUS_ASSIGN_OR_RETURN(AlignedBuffer larger,
                                AlignedBuffer::allocate(room * sizeof(T), "speakers"));
      if (size_ > 0) std::memcpy(larger.data(), buffer_.data(), size_ * sizeof(T));
      buffer_ = std::move(larger);
    }
    size_ += count;
    return std::span<T>(data() + (size_ - count), count);
  }
  Status add(const T& value) {
    const T copy = value;  // which may lie in this list
    SUSURRUS_ASSIGN_OR_RETURN(const std::span<T> room, extend(1));
    room[0] = copy;
    return ok_status();
  }
  /// `count` values like this one, and none of those before.
  Status fill(size_t count, const T& value) {
    clear();
    SUSURRUS_ASSIGN_OR_RETURN(const std::span<T> room, extend(count));
    std::ranges::fill(room, value);
    return ok_status();
  }
  /// Keeps the memory.
  void clear() { size_ = 0; }
  void shrink(size_t count) { size_ = std::min(size_, count); }
  /// Gives the memory back.
  void reset() {
    buffer_.reset();
    size_ = 0;
  }

 private:
  AlignedBuffer buffer_;
  size_t size_ = 0;
};

}  // namespace susurrus
