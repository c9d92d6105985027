#include "container/ggml/ggml_types.h"

#include "facts/dtype_names.inc"

namespace susurrus {
namespace {

struct GgmlType {
  uint32_t number;
  const char* name;
  /// The matching weight type, if there is one.
  std::optional<Dtype> dtype;
  /// The number of a file of such matrices; -1 where it has none.
  int file_type;
};

constexpr GgmlType kTypes[] = {
#define SUSURRUS_GGML_TYPE(number, name, dtype, file_type) {number, name, dtype, file_type},
#include "facts/ggml_types.inc"
#undef SUSURRUS_GGML_TYPE
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
      .with_subject(tensor)
      .with_expected(SUSURRUS_GGML_WEIGHT_TYPES)
      .with_got(ggml_type_name(number));
}

uint32_t ggml_type(Dtype dtype) {
  for (const GgmlType& type : kTypes) {
    if (type.dtype == dtype) return type.number;
  }
  return 0;
}

std::optional<uint32_t> ggml_file_type(Dtype dtype) {
  for (const GgmlType& type : kTypes) {
    if (type.dtype == dtype && type.file_type >= 0) return static_cast<uint32_t>(type.file_type);
  }
  return std::nullopt;
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
        .with_subject(tensor.name)
        .with_expected(has_whole_blocks ? "dimensions whose product fits 64 bits"
                                        : "rows of a multiple of 32")
        .with_got(tensor.shape.last());
  }
  tensor.raw_byte_count = *byte_count;
  tensor.stored_byte_count = *byte_count;
  return ok_status();
}

}  // namespace susurrus
