#pragma once
#include <cstddef>
#include <cstring>
#include <string_view>

namespace susurrus {

/// A bounded string held in place: the subjects of errors. Longer text is cut at a UTF-8 boundary, marked by "...".
template <size_t Capacity>
class FixedString {
 public:
  constexpr FixedString() = default;
  // Implicit on purpose, so that call sites may pass literals and views.
  FixedString(std::string_view text) { assign(text); }                    // NOLINT
  FixedString(const char* text) : FixedString(std::string_view(text)) {}  // NOLINT

  void assign(std::string_view text) {
    size_ = 0;
    append(text);
  }

  void append(std::string_view text) {
    size_t room = Capacity - size_;
    if (text.size() > room) {
      constexpr std::string_view kMark = "...";
      if (room < kMark.size()) return;
      size_t keep = room - kMark.size();
      while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0) == 0x80) --keep;
      copy(text.substr(0, keep));
      copy(kMark);
      return;
    }
    copy(text);
  }

  std::string_view view() const { return {data_, size_}; }
  bool empty() const { return size_ == 0; }

 private:
  void copy(std::string_view text) {
    if (!text.empty()) std::memcpy(data_ + size_, text.data(), text.size());
    size_ += text.size();
  }

  size_t size_ = 0;
  char data_[Capacity] = {};
};

}  // namespace susurrus
