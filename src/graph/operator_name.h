#pragma once
#include <algorithm>
#include <string_view>

namespace susurrus {

/// The name of a primitive as a template argument. One type for all files: of types in unnamed namespaces Clang with its
/// sanitizers makes sections of one name that cannot be linked.
template <size_t Size>
struct OperatorName {
  char text[Size];
  constexpr OperatorName(const char (&name)[Size]) {  // NOLINT: implicit
    std::copy_n(name, Size, text);
  }
  constexpr std::string_view view() const { return {text, Size - 1}; }
};

}  // namespace susurrus
