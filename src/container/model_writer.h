#pragma once
#include <vector>

#include "container/tensor_info.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Writes a model file forwards whose parts are planned: once its beginning is written, tensor by tensor.
class ModelWriter {
 public:
  virtual ~ModelWriter() = default;
  /// As they will lie in the file.
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual uint64_t file_byte_count() const = 0;
  /// The next stored bytes of the current tensor. A piece does not cross tensors.
  virtual Status write(ByteSpan stored, ByteSink& sink) = 0;
  /// What follows the tensors, when every one is complete.
  virtual Status finish(ByteSink& sink) = 0;
};

}  // namespace susurrus
