#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace susurrus {

/// Words numbered in the order in which they are added, each once. A fraction of the code and memory of std::unordered_map.
class WordTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  std::string_view text(uint32_t number) const {
    const size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(letters_).substr(begin, ends_[number] - begin);
  }
  /// kNone where it is not there.
  uint32_t find(std::string_view text) const;
  /// Its number, which is the size before where it is new.
  uint32_t add(std::string_view text);

 private:
  /// Where it is, or where it goes.
  size_t place(std::string_view text) const;
  void grow();

  std::string letters_;
  std::vector<size_t> ends_;
  /// Numbers by hash; a power of two of them.
  std::vector<uint32_t> slots_;
};

}  // namespace susurrus
