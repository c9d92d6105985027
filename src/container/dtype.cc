#include "container/dtype.h"

#include "base/checked_math.h"

namespace susurrus {
namespace {

struct DtypeRow {
  Dtype dtype;
  DtypeTraits traits;
};

constexpr DtypeRow kDtypes[] = {
#define SUSURRUS_DTYPE(name, number, elements, bytes, is_weight) \
  {Dtype::name, {#name, elements, bytes, is_weight}},
#include "facts/dtypes.inc"
#undef SUSURRUS_DTYPE
};

}  // namespace

std::optional<Dtype> dtype_from_number(uint8_t number) {
  for (const DtypeRow& row : kDtypes) {
    if (static_cast<uint8_t>(row.dtype) == number) return row.dtype;
  }
  return std::nullopt;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (const DtypeRow& row : kDtypes) {
    if (row.traits.name == name) return row.dtype;
  }
  return std::nullopt;
}

const DtypeTraits& dtype_traits(Dtype dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) return row.traits;
  }
  return kDtypes[0].traits;
}

bool is_block_dtype(Dtype dtype) { return dtype_traits(dtype).elements_per_block > 1; }

bool is_weight_dtype(Dtype dtype) { return dtype_traits(dtype).is_weight; }

std::optional<uint64_t> tensor_byte_count(Dtype dtype, const Shape& shape) {
  const DtypeTraits& traits = dtype_traits(dtype);
  if (shape.last() % traits.elements_per_block != 0) return std::nullopt;
  auto elements = shape.element_count();
  if (!elements) return std::nullopt;
  return checked_multiply(*elements / traits.elements_per_block, traits.bytes_per_block);
}

}  // namespace susurrus
