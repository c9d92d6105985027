#include "families/acoustic/text_lines.h"

#include <algorithm>

namespace susurrus {

Result<bool> TextLines::next() {
  for (;;) {
    words_.clear();
    begin_ = next_begin_;
    const size_t feed = piece_.find('\n');
    const bool is_whole = feed != std::string_view::npos;
    const std::string_view part = piece_.substr(0, feed);
    if (begun_.size() + part.size() > kMostLineBytes) {
      ++number_;
      return at_line(ErrorCode::limit_exceeded, ErrorReason::limit)
          .with_expected("lines of at most " + std::to_string(kMostLineBytes) + " bytes");
    }
    piece_.remove_prefix(is_whole ? feed + 1 : part.size());
    if (!is_whole || !begun_.empty()) begun_ += part;
    if (!is_whole && (!is_finished_ || begun_.empty())) return false;
    ++number_;
    if (begun_.empty()) {
      next_begin_ += part.size() + 1;
      split(part);
    } else {
      line_.swap(begun_);
      begun_.clear();
      next_begin_ += line_.size() + (is_whole ? 1 : 0);
      split(line_);
    }
    if (!words_.empty()) return true;
  }
}

void TextLines::split(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  for (size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const size_t stop = std::min(line.find_first_of(kBlanks, at), line.size());
    words_.push_back(line.substr(at, stop - at));
    at = stop;
  }
}

Error TextLines::at_line(ErrorCode code, ErrorReason reason) const {
  return make_error(code, reason).at(begin_).with_subject("line " + std::to_string(number_));
}

Error TextLines::wrong(std::string_view expected) const {
  return at_line(ErrorCode::malformed, ErrorReason::bad_vocabulary).with_expected(expected);
}

}  // namespace susurrus
