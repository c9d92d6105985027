#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace susurrus {

/// After the bytes of `out`, little-endian.
template <typename T>
  requires std::integral<T> || std::floating_point<T>
void append(std::vector<uint8_t>& out, T value) {
  out.resize(out.size() + sizeof value);
  store_le(out.data() + out.size() - sizeof value, value);
}

inline void append(std::vector<uint8_t>& out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}

}  // namespace susurrus
