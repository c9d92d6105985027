#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace susurrus {

/// Bytes of a file as text that can be shown: what is not UTF-8, and control characters, become U+FFFD.
std::string shown_text(std::string_view bytes);

/// The subject of an error or warning: `node 3 "conv1": stride`. Without a name, `node 3: stride`; a long name is cut.
std::string tennis_subject(uint64_t node, std::string_view name, std::string_view what);

}  // namespace susurrus
