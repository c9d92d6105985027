#pragma once
#include <string>
#include <utility>

#include "container/tensor_info.h"

namespace susurrus::testing {

/// As a writer is given it: without its place.
inline TensorInfo tensor_of(std::string name, Dtype dtype, Shape shape) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.shape = shape;
  tensor.stored_byte_count = tensor_byte_count(dtype, shape).value_or(0);
  if (dtype == Dtype::i8) tensor.scale = 0.5f;
  return tensor;
}

}  // namespace susurrus::testing
