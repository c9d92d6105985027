#pragma once
#include <optional>
#include <string_view>

namespace susurrus {

/// The code of a language by its English name or another name of it ("german", "castilian"), letters of either case.
std::optional<std::string_view> language_code_of_name(std::string_view name);

}  // namespace susurrus
