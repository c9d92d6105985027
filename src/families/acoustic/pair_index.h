#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace susurrus {

/// Numbers by pairs of numbers: a hash table without removal.
class PairIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// kNone where the pair is not there.
  uint32_t find(uint32_t first, uint32_t second) const;
  /// The pair must not be there; first is not kNone.
  void insert(uint32_t first, uint32_t second, uint32_t value);
  void clear();
  size_t byte_count() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t first = kNone;
    uint32_t second = 0;
    uint32_t value = kNone;
  };

  size_t place(uint32_t first, uint32_t second) const;
  void grow();

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace susurrus
