#include "container/dtype.h"

#include "base/checked_math.h"

namespace susurrus {
namespace {

struct DtypeRow {
  Dtype dtype;
  DtypeTraits traits;
};

constexpr DtypeRow kDtypes[] = {
    {Dtype::f32, {"f32", 1, 4}},     {Dtype::f16, {"f16", 1, 2}},
    {Dtype::bf16, {"bf16", 1, 2}},   {Dtype::i8, {"i8", 1, 1}},
    {Dtype::i16, {"i16", 1, 2}},     {Dtype::i32, {"i32", 1, 4}},
    {Dtype::i64, {"i64", 1, 8}},     {Dtype::u8, {"u8", 1, 1}},
    {Dtype::q8_0, {"q8_0", 32, 34}}, {Dtype::q4_0, {"q4_0", 32, 18}},
    {Dtype::q4_1, {"q4_1", 32, 20}}, {Dtype::q5_0, {"q5_0", 32, 22}},
    {Dtype::q5_1, {"q5_1", 32, 24}},
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

bool is_weight_dtype(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16 ||
         is_block_dtype(dtype);
}

std::optional<uint64_t> tensor_byte_count(Dtype dtype, const Shape& shape) {
  const DtypeTraits& traits = dtype_traits(dtype);
  if (shape.last() % traits.elements_per_block != 0) return std::nullopt;
  auto elements = shape.element_count();
  if (!elements) return std::nullopt;
  return checked_multiply(*elements / traits.elements_per_block, traits.bytes_per_block);
}

}  // namespace susurrus
