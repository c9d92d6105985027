// .april models whose networks are a few sums, so that a test can work out what they return.
#pragma once
#include <functional>
#include <memory>

#include "container/april_builder.h"
#include "families/transducer/transducer_model.h"

namespace susurrus::testing {

/// A node whose attributes are integers, or lists of them where ONNX has lists.
Bytes onnx_node(std::string_view op, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs,
                const std::vector<std::pair<std::string, std::vector<int64_t>>>& attributes = {});
Bytes onnx_weights(std::string_view name, const std::vector<int64_t>& dims,
                   const std::vector<float>& values);

/// Four tokens ("<blk>", " a", "b", "."), and as wide as it has bands:
///   encoder_out = mean of the frames + h;  next_h = c;  next_c = h + 1
///   decoder_out = mean of the context's rows of `embedding` [4, bands]
///   logits = (encoder_out + decoder_out) · `weights` [bands, 4]
struct SmallTransducer {
  /// Takes 9 frames, 4 apart, at 16 kHz.
  explicit SmallTransducer(int32_t bands = 4);

  int32_t bands;
  int32_t segment_size = 9;
  int32_t segment_step = 4;
  std::vector<float> embedding;
  std::vector<float> weights;
  /// Changes the file before it is built.
  std::function<void(AprilBuilder&)> edit;

  Result<std::unique_ptr<TransducerModel>> make() const;
};

/// Reads an .april file that is in memory.
Result<std::unique_ptr<TransducerModel>> read_transducer(const Bytes& file);

}  // namespace susurrus::testing
