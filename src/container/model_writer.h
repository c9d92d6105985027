#pragma once
#include <vector>

#include "container/tensor_info.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Writes a model forwards whose parts are planned, tensor by tensor.
class ModelWriter {
 public:
  virtual ~ModelWriter() = default;
  /// As they will lie in the file.
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  /// The next stored bytes of the current tensor. A piece does not cross tensors.
  virtual Status write(ByteSpan stored, ByteSink& sink) = 0;
  virtual Status finish_tensor(ByteSink&) { return ok_status(); }
  /// What follows the tensors, when every one is complete.
  virtual Status finish(ByteSink& sink) = 0;
};

}  // namespace susurrus
