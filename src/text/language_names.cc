#include "text/language_names.h"

#include <algorithm>
#include <iterator>

namespace susurrus {
namespace {

struct LanguageName {
  std::string_view name;
  std::string_view code;
};

// Ascending by name.
constexpr LanguageName kNames[] = {
#define SUSURRUS_LANGUAGE_NAME(name, code) {name, code},
#include "facts/language_names.inc"
#undef SUSURRUS_LANGUAGE_NAME
};

constexpr size_t kLongestName = 16;

}  // namespace

std::optional<std::string_view> language_code_of_name(std::string_view name) {
  char lower[kLongestName];
  if (name.size() > kLongestName) return std::nullopt;
  std::transform(name.begin(), name.end(), lower, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view wanted(lower, name.size());
  const auto* found = std::ranges::lower_bound(kNames, wanted, {}, &LanguageName::name);
  if (found == std::end(kNames) || found->name != wanted) return std::nullopt;
  return found->code;
}

}  // namespace susurrus
