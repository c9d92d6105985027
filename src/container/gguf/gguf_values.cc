#include "container/gguf/gguf_values.h"

#include <bit>
#include <string>

namespace susurrus {

void write_gguf_number(JsonWriter& json, uint32_t type, uint64_t bits) {
  const auto signed_number = [&](int64_t number) { json.exact(number); };
  switch (type) {
    case 1: signed_number(static_cast<int8_t>(bits)); break;
    case 3: signed_number(static_cast<int16_t>(bits)); break;
    case 5: signed_number(static_cast<int32_t>(bits)); break;
    case 11: signed_number(static_cast<int64_t>(bits)); break;
    case 6: json.value(std::bit_cast<float>(static_cast<uint32_t>(bits))); break;
    case 7: json.value(bits != 0); break;
    case 12: json.value(std::bit_cast<double>(bits)); break;
    default: json.exact(bits);
  }
}

}  // namespace susurrus
