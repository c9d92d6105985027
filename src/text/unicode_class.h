#pragma once

namespace susurrus {

/// Unicode classes L and N, and the property White_Space, of one code point.
bool is_letter(char32_t point);
bool is_number(char32_t point);
bool is_white_space(char32_t point);

}  // namespace susurrus
