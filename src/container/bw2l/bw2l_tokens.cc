#include "container/bw2l/bw2l_tokens.h"

#include <algorithm>

#include "base/name_index.h"

namespace susurrus {
namespace {

constexpr size_t kMaxWords = 1 << 17;
constexpr std::string_view kSeparators = " \t\r\f\v";

Error bad_tokens(uint64_t offset) {
  return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
      .at(offset)
      .with_subject("tokens");
}

}  // namespace

Result<std::vector<std::string>> parse_bw2l_tokens(std::string_view text, uint64_t file_offset) {
  std::vector<std::string> tokens;
  NameIndex words;
  size_t word_count = 0;
  bool is_new_line = true;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      is_new_line = true;
      ++at;
      continue;
    }
    if (kSeparators.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const std::string_view word =
        text.substr(at, std::min(text.find_first_of(" \t\r\f\v\n", at), text.size()) - at);
    if (++word_count > kMaxWords) {
      return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
          .at(file_offset + at)
          .with_subject("tokens")
          .with_expected(std::to_string(kMaxWords) + " words at most");
    }
    words.add(word, static_cast<uint32_t>(at));
    if (is_new_line) tokens.emplace_back(word);
    is_new_line = false;
    at += word.size();
  }
  if (tokens.empty()) return bad_tokens(file_offset).with_expected("a token or more");
  words.sort();
  if (const NameIndex::Entry* second = words.duplicate()) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_vocabulary)
        .at(file_offset + second->place)
        .with_subject("tokens")
        .with_expected("each token once")
        .with_got(second->name);
  }
  return tokens;
}

}  // namespace susurrus
