#include "container/apr2/apr2_flags.h"

#include <string_view>

namespace susurrus {

std::string apr2_flag_names(uint32_t flags) {
  constexpr std::string_view kNames[] = {"COMPRESSED", "ALIGNED_64", "ALIGNED_32", "SHARDED",
                                         "ENCRYPTED",  "SIGNED",     "QUANTIZED",  "STREAMING"};
  std::string names;
  for (uint32_t bit = 0; bit < 8; ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    if (!names.empty()) names += ' ';
    names += kNames[bit];
  }
  return names;
}

}  // namespace susurrus
