#pragma once
#include <string_view>
#include <vector>

#include "base/error.h"

namespace susurrus {

/// Lines of a text, numbered from 1, and the words in them.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : text_(text) {}

  /// The next line, without its end; false behind the last one.
  bool next();
  /// The next line that has words.
  bool next_with_words();
  /// Separated by spaces and tabs.
  const std::vector<std::string_view>& words() const { return words_; }
  /// malformed at this line, with its number as the subject.
  Error wrong(std::string_view expected) const;

 private:
  std::string_view text_;
  size_t at_ = 0;
  size_t begin_ = 0;
  size_t number_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace susurrus
