#include "graph/ops/wide_elements.h"

#include <bit>

namespace susurrus {
namespace {

template <typename T>
T read(const void* data, size_t index) {
  return static_cast<const T*>(data)[index];
}

float float_at(ElementType type, const void* data, size_t index) {
  return type == ElementType::f16 ? static_cast<float>(read<Half>(data, index))
                                  : read<float>(data, index);
}

}  // namespace

ElementType wide_type(ElementType type) {
  switch (type) {
    case ElementType::f16: return ElementType::f32;
    case ElementType::i8:
    case ElementType::i16:
    case ElementType::i32: return ElementType::i64;
    case ElementType::u8:
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::boolean: return ElementType::u64;
    default: return type;
  }
}

uint64_t integer_at(ElementType type, const void* data, size_t index) {
  switch (type) {
    case ElementType::i8: return static_cast<uint64_t>(read<int8_t>(data, index));
    case ElementType::i16: return static_cast<uint64_t>(read<int16_t>(data, index));
    case ElementType::i32: return static_cast<uint64_t>(read<int32_t>(data, index));
    case ElementType::u16: return read<uint16_t>(data, index);
    case ElementType::u32: return read<uint32_t>(data, index);
    case ElementType::i64:
    case ElementType::u64: return read<uint64_t>(data, index);
    default: return read<uint8_t>(data, index);
  }
}

double number_at(ElementType type, const void* data, size_t index) {
  switch (wide_type(type)) {
    case ElementType::f32: return static_cast<double>(float_at(type, data, index));
    case ElementType::f64: return read<double>(data, index);
    case ElementType::i64:
      return static_cast<double>(static_cast<int64_t>(integer_at(type, data, index)));
    default: return static_cast<double>(integer_at(type, data, index));
  }
}

uint64_t order_of(ElementType type, const void* data, size_t index) {
  constexpr uint64_t kTop = uint64_t{1} << 63;
  if (!is_float(type)) {
    const uint64_t value = integer_at(type, data, index);
    return wide_type(type) == ElementType::i64 ? value ^ kTop : value;
  }
  const double value = number_at(type, data, index);
  if (value != value) return ~uint64_t{0};
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  return (bits & kTop) != 0 ? ~bits : bits | kTop;
}

void widen(ElementType type, const void* data, size_t first, size_t step, size_t count,
           void* wide) {
  for (size_t i = 0; i < count; ++i, first += step) {
    if (type == ElementType::f64) {
      static_cast<double*>(wide)[i] = read<double>(data, first);
    } else if (is_float(type)) {
      static_cast<float*>(wide)[i] = float_at(type, data, first);
    } else {
      static_cast<uint64_t*>(wide)[i] = integer_at(type, data, first);
    }
  }
}

void narrow(ElementType type, const void* wide, size_t count, void* data, size_t first) {
  for (size_t i = 0; i < count; ++i, ++first) {
    switch (type) {
      case ElementType::f16: static_cast<Half*>(data)[first] = read<float>(wide, i); break;
      case ElementType::f32: static_cast<float*>(data)[first] = read<float>(wide, i); break;
      case ElementType::f64: static_cast<double*>(data)[first] = read<double>(wide, i); break;
      case ElementType::i64:
      case ElementType::u64: static_cast<uint64_t*>(data)[first] = read<uint64_t>(wide, i); break;
      case ElementType::i16:
      case ElementType::u16:
        static_cast<uint16_t*>(data)[first] = static_cast<uint16_t>(read<uint64_t>(wide, i));
        break;
      case ElementType::i32:
      case ElementType::u32:
        static_cast<uint32_t*>(data)[first] = static_cast<uint32_t>(read<uint64_t>(wide, i));
        break;
      case ElementType::i8:
      case ElementType::u8:
      case ElementType::boolean:
        static_cast<uint8_t*>(data)[first] = static_cast<uint8_t>(read<uint64_t>(wide, i));
    }
  }
}

void store_number(ElementType type, double number, void* data, size_t index) {
  const auto rounded = static_cast<float>(number);
  const bool is_double = type == ElementType::f64;
  narrow(type, is_double ? static_cast<const void*>(&number) : &rounded, 1, data, index);
}

}  // namespace susurrus
