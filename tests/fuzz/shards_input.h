// Several files in one input, with a mark between them, so that files may grow and shrink.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace susurrus::fuzz {

inline constexpr std::string_view kNextFile = "\n<next file>\n";

/// The files of an input, at least one.
inline std::vector<ByteSpan> files_of(ByteSpan input) {
  std::vector<ByteSpan> files;
  for (;;) {
    const auto mark = std::search(input.begin(), input.end(), kNextFile.begin(), kNextFile.end());
    files.push_back(input.first(static_cast<size_t>(mark - input.begin())));
    if (mark == input.end()) return files;
    input = input.subspan(files.back().size() + kNextFile.size());
  }
}

inline std::vector<uint8_t> joined(const std::vector<std::vector<uint8_t>>& files) {
  std::vector<uint8_t> all;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i > 0) all.insert(all.end(), kNextFile.begin(), kNextFile.end());
    all.insert(all.end(), files[i].begin(), files[i].end());
  }
  return all;
}

}  // namespace susurrus::fuzz
