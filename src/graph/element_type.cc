#include "graph/element_type.h"

#include "base/check.h"

namespace susurrus {
namespace {

struct Traits {
  std::string_view name;
  uint8_t byte_count;
};

constexpr Traits kTraits[] = {{"f32", 4}, {"f64", 8}, {"f16", 2}, {"i8", 1},
                              {"u8", 1},  {"i16", 2}, {"u16", 2}, {"i32", 4},
                              {"u32", 4}, {"i64", 8}, {"u64", 8}, {"bool", 1}};

}  // namespace

size_t element_byte_count(ElementType type) {
  return kTraits[static_cast<size_t>(type)].byte_count;
}
std::string_view element_type_name(ElementType type) {
  return kTraits[static_cast<size_t>(type)].name;
}
bool is_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64 || type == ElementType::f16;
}

}  // namespace susurrus
