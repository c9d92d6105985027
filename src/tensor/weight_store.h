#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "container/model_reader.h"
#include "tensor/tensor_view.h"

namespace susurrus {

/// The ModelSink used for inference: every tensor in a 64-byte aligned buffer of its own, taken when its first byte
/// arrives, in the type its file stores.
class WeightStore : public ModelSink {
 public:
  Status on_manifest(ModelManifest& manifest) override;
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override;
  void on_tensor_complete(const TensorInfo& tensor) override;
  void on_warning(std::string_view text) override;

  /// Nullptr when the file has no such tensor.
  const TensorView* find(std::string_view name) const;
  ModelMetadata& metadata() { return metadata_; }
  const ModelMetadata& metadata() const { return metadata_; }
  uint64_t weight_byte_count() const;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Entry {
    std::string name;
    TensorView view;
    AlignedBuffer buffer;
  };
  std::vector<Entry> entries_;
  ModelMetadata metadata_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
