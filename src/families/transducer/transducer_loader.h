#pragma once
#include <optional>

#include "container/april/april_reader.h"
#include "families/transducer/transducer_model.h"
#include "graph/onnx/onnx_graph_reader.h"

namespace susurrus {

/// Makes the model of an .april file that is pushed in pieces of any size. Weights go to their place while they come: besides the model
/// there is at most a slab of one matrix (OnnxGraphReader).
class TransducerLoader final : private AprilSink {
 public:
  explicit TransducerLoader(const WeightOptions& weights = {}) : weights_(weights) {}
  TransducerLoader(const TransducerLoader&) = delete;
  TransducerLoader& operator=(const TransducerLoader&) = delete;

  /// Tells the file's length where it is known, before the first push.
  void set_file_byte_count(uint64_t byte_count) { reader_.set_file_byte_count(byte_count); }
  /// The errors of AprilReader and OnnxGraphReader.
  Status push(ByteSpan bytes) { return reader_.push(bytes); }
  /// Says that no byte follows; once.
  Result<std::unique_ptr<TransducerModel>> finish();
  const std::vector<std::string>& warnings() const { return reader_.warnings(); }

 private:
  Status on_network_bytes(size_t index, ByteSpan bytes) override;

  WeightOptions weights_;
  AprilReader reader_{this};
  std::array<std::optional<OnnxGraphReader>, kAprilNetworks> networks_;
};

}  // namespace susurrus
