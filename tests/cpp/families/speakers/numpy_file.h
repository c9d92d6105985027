#pragma once
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "shared_files.h"

namespace susurrus::testing {

/// The numbers of an .npy file of the shared folder, row after row. Nullopt where it is not there or holds another type.
template <typename T>
std::optional<std::vector<T>> shared_array(const std::string& path) {
  const auto bytes = shared_bytes(path);
  if (!bytes) return std::nullopt;
  // Version 1: the length of a description in Python, which names the type, behind eight bytes.
  constexpr size_t kPrefix = 10;
  if (bytes->size() < kPrefix || bytes->compare(0, 6, "\x93NUMPY") != 0) return std::nullopt;
  const size_t begin = kPrefix + static_cast<uint8_t>((*bytes)[8]) +
                       256 * static_cast<size_t>(static_cast<uint8_t>((*bytes)[9]));
  const char* const type = sizeof(T) == 1 ? "'|u1'" : "'<f4'";
  if (bytes->substr(0, begin).find(type) == std::string::npos) return std::nullopt;
  std::vector<T> values((bytes->size() - begin) / sizeof(T));
  std::memcpy(values.data(), bytes->data() + begin, values.size() * sizeof(T));
  return values;
}

}  // namespace susurrus::testing
