#include "container/onnx/onnx_network.h"

namespace susurrus {

bool OnnxValue::is_static() const {
  if (!has_shape) return false;
  for (const int64_t dim : dims) {
    if (dim < 0) return false;
  }
  return true;
}

const char* onnx_type_name(uint64_t element_type) {
  constexpr const char* kNames[] = {"",    "f32", "u8",        "i8",         "u16", "i16",
                                    "i32", "i64", "text",      "bool",       "f16", "f64",
                                    "u32", "u64", "complex64", "complex128", "bf16"};
  return element_type < sizeof kNames / sizeof *kNames ? kNames[element_type] : "";
}

}  // namespace susurrus
