#include "convert/number_type.h"

#include "base/bytes.h"
#include "kernels/half.h"

namespace susurrus {
namespace {

template <typename Element>
void read_as(const uint8_t* source, size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(load_le<Element>(source + i * sizeof(Element)));
  }
}

void read_truths(const uint8_t* source, size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) values[i] = source[i] != 0 ? 1.0f : 0.0f;
}

void read_f16(const uint8_t* source, size_t count, float* values) {
  for (size_t i = 0; i < count; ++i) values[i] = f32_from_f16(load_le<uint16_t>(source + 2 * i));
}

constexpr NumberType kTypes[] = {
    {"f16", 2, false, read_f16},         {"f32", 4, false, read_as<float>},
    {"f64", 8, false, read_as<double>},  {"i8", 1, true, read_as<int8_t>},
    {"u8", 1, true, read_as<uint8_t>},   {"i16", 2, true, read_as<int16_t>},
    {"u16", 2, true, read_as<uint16_t>}, {"i32", 4, true, read_as<int32_t>},
    {"u32", 4, true, read_as<uint32_t>}, {"i64", 8, true, read_as<int64_t>},
    {"u64", 8, true, read_as<uint64_t>}, {"bool", 1, false, read_truths},
    {"fp16", 2, false, read_f16},        {"fp32", 4, false, read_as<float>},
    {"fp64", 8, false, read_as<double>},
};

}  // namespace

const NumberType* find_number_type(std::string_view name) {
  for (const NumberType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace susurrus
