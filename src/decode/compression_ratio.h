#pragma once
#include <string_view>

namespace susurrus {

/// Bytes of `text` over bytes of its zlib stream at level 6: how repetitive it is. 0 for no text.
double compression_ratio(std::string_view text);

}  // namespace susurrus
