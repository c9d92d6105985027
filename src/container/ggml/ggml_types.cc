#include "container/ggml/ggml_types.h"

namespace susurrus {
namespace {

struct GgmlType {
  uint32_t number;
  const char* name;
  std::optional<Dtype> dtype;
};

constexpr GgmlType kTypes[] = {
    {0, "F32", Dtype::f32},     {1, "F16", Dtype::f16},     {2, "Q4_0", Dtype::q4_0},
    {3, "Q4_1", Dtype::q4_1},   {6, "Q5_0", Dtype::q5_0},   {7, "Q5_1", Dtype::q5_1},
    {8, "Q8_0", Dtype::q8_0},   {30, "BF16", Dtype::bf16},  {9, "Q8_1", std::nullopt},
    {10, "Q2_K", std::nullopt}, {11, "Q3_K", std::nullopt}, {12, "Q4_K", std::nullopt},
    {13, "Q5_K", std::nullopt}, {14, "Q6_K", std::nullopt}, {15, "Q8_K", std::nullopt},
    {24, "I8", std::nullopt},   {25, "I16", std::nullopt},  {26, "I32", std::nullopt},
    {27, "I64", std::nullopt},  {28, "F64", std::nullopt},
};

}  // namespace

std::string ggml_type_name(uint32_t number) {
  for (const GgmlType& type : kTypes) {
    if (type.number == number) return type.name;
  }
  return "type " + std::to_string(number);
}

Result<Dtype> ggml_dtype(uint32_t number, uint64_t offset, std::string_view tensor) {
  for (const GgmlType& type : kTypes) {
    if (type.number == number && type.dtype) return *type.dtype;
  }
  return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
      .at(offset)
      .about(tensor)
      .expecting("F32, F16, BF16, Q8_0, Q5_1, Q5_0, Q4_1 or Q4_0")
      .having(ggml_type_name(number));
}

uint32_t ggml_type(Dtype dtype) {
  for (const GgmlType& type : kTypes) {
    if (type.dtype == dtype) return type.number;
  }
  return 0;
}

std::optional<uint32_t> ggml_file_type(Dtype dtype) {
  constexpr uint32_t kVersion2 = 2000;  // of blocks
  switch (dtype) {
    case Dtype::f32: return 0;
    case Dtype::f16: return 1;
    case Dtype::q4_0: return kVersion2 + 2;
    case Dtype::q4_1: return kVersion2 + 3;
    case Dtype::q8_0: return kVersion2 + 7;
    case Dtype::q5_0: return kVersion2 + 8;
    case Dtype::q5_1: return kVersion2 + 9;
    default: return std::nullopt;
  }
}

Status set_ggml_shape(std::span<const uint64_t> dims, Dtype dtype, uint64_t offset,
                      TensorInfo& tensor) {
  tensor.dtype = dtype;
  for (size_t i = dims.size(); i-- > 0;) tensor.shape.append(dims[i]);
  const auto byte_count = tensor_byte_count(dtype, tensor.shape);
  if (!byte_count) {
    const bool has_whole_blocks = tensor.shape.last() % dtype_traits(dtype).elements_per_block == 0;
    return make_error(ErrorCode::malformed, ErrorReason::bad_shape)
        .at(offset)
        .about(tensor.name)
        .expecting(has_whole_blocks ? "dimensions whose product fits 64 bits"
                                    : "rows of a multiple of 32")
        .having(tensor.shape.last());
  }
  tensor.raw_byte_count = *byte_count;
  tensor.stored_byte_count = *byte_count;
  return ok_status();
}

}  // namespace susurrus
