#include "families/acoustic/text_lines.h"

#include <algorithm>
#include <string>

namespace susurrus {

bool TextLines::next() {
  words_.clear();
  if (at_ >= text_.size()) {
    begin_ = text_.size();
    return false;
  }
  begin_ = at_;
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, end - at_);
  at_ = end + 1;
  ++number_;
  constexpr std::string_view kBlanks = " \t\r";
  for (size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const size_t stop = std::min(line.find_first_of(kBlanks, at), line.size());
    words_.push_back(line.substr(at, stop - at));
    at = stop;
  }
  return true;
}

bool TextLines::next_with_words() {
  while (next()) {
    if (!words_.empty()) return true;
  }
  return false;
}

Error TextLines::wrong(std::string_view expected) const {
  return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
      .at(begin_)
      .with_subject("line " + std::to_string(number_))
      .with_expected(expected);
}

}  // namespace susurrus
