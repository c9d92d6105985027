#pragma once
#include "container/model_writer.h"

namespace susurrus {

/// What writers of files in which tensors lie as they are, one after the other, have in common.
///
///   begin()
///   for each tensor: write() pieces of its bytes, then finish_tensor()
///   finish()
class RawTensorsWriter : public ModelWriter {
 public:
  const std::vector<TensorInfo>& tensors() const final { return tensors_; }
  /// Writes everything before the first tensor's bytes.
  Status begin(ByteSink& sink);
  Status write(ByteSpan stored, ByteSink& sink) final;
  Status finish_tensor(ByteSink& sink) final;
  Status finish(ByteSink& sink) final;

 protected:
  /// Reads name, dtype, shape and stored_byte_count of each tensor; none may be compressed.
  explicit RawTensorsWriter(std::vector<TensorInfo> tensors);
  std::vector<TensorInfo>& own_tensors() { return tensors_; }
  /// That there are some, and that each has as many bytes as its shape says.
  Status check_tensors() const;
  virtual std::vector<uint8_t> file_header() const = 0;
  virtual std::vector<uint8_t> tensor_header(const TensorInfo&) const { return {}; }

 private:
  Status begin_tensor(ByteSink& sink);

  std::vector<TensorInfo> tensors_;
  size_t current_ = 0;
  uint64_t written_ = 0;  // of the current tensor
};

}  // namespace susurrus
