#pragma once
#include <span>
#include <vector>

#include "graph/graph.h"
#include "graph/onnx/kept_fields.h"
#include "graph/onnx/matrix_uses.h"
#include "graph/onnx/onnx_graph.h"

namespace susurrus {

/// Builds the graph of an ONNX model that is pushed in pieces of any size. Large weights go to
/// their place as they arrive, those of products in the form that the kernels read: nodes precede
/// them in the file, so that their uses are known. Apart from the weights, the reader holds one
/// slab of a matrix (MatrixWriter) and the rest of the file's content. Weights in typed lists
/// instead of raw bytes are held twice while they arrive.
class OnnxGraphReader {
 public:
  /// The model is the `byte_count` bytes at `file_offset`; errors are about `subject`.
  OnnxGraphReader(const char* subject, uint64_t file_offset, uint64_t byte_count,
                  const WeightOptions& weights);

  /// At most byte_count bytes in all. malformed: no such messages, or a weight whose byte count
  /// does not match its shape; out_of_memory.
  Status push(ByteSpan bytes);
  /// When all were pushed; once. The errors of graph_from_onnx().
  Result<Graph> finish(std::span<const OnnxFixedInput> fixed = {});

 private:
  enum class Message : uint8_t { model, graph, tensor };
  struct Frame {
    Message message;
    uint64_t end;
  };
  enum class State : uint8_t { key, number, length, contents };
  /// The destination of a field's contents.
  enum class Place : uint8_t { nowhere, opset, graph_fields, tensor_fields, elements, matrix };
  /// Fields that are kept as they are, and where they begin in the file.
  struct Kept {
    uint64_t offset = 0;
    std::vector<uint8_t> bytes;
  };
  /// A weight that has come.
  struct Weight {
    std::string name;
    OwnedTensor tensor;
    /// Its columns were made rows.
    bool is_turned = false;
  };

  Status on_varint();
  Status on_length();
  Status begin_elements();
  Status take(ByteSpan bytes);
  Place usual_place() const;
  Status end_field();
  Status end_tensor();
  Status read_uses();
  Error bad(ErrorReason reason, uint64_t offset) const;
  ProtoReader reader_of(const Kept& kept, PieceBudget* budget = nullptr) const;

  const char* subject_;
  WeightOptions options_;
  uint64_t position_;
  uint64_t begin_;
  uint64_t byte_count_;
  std::vector<Frame> frames_;
  State state_ = State::key;
  uint64_t varint_ = 0;
  uint32_t varint_bits_ = 0;
  uint64_t varint_at_ = 0;
  uint64_t key_ = 0;
  uint64_t left_ = 0;
  Place place_ = Place::nowhere;

  bool has_graph_ = false;
  Kept opset_field_;
  uint64_t opset_ = 0;
  /// The graph's fields but its large weights.
  KeptFields graph_fields_;
  MatrixUses uses_{byte_count_};
  bool has_uses_ = false;  // of the nodes that came before the first large weight
  bool has_matrices_ = false;

  // State of the large weight being read.
  Kept tensor_fields_;
  AlignedBuffer elements_;
  size_t element_bytes_ = 0;
  bool has_elements_ = false;
  std::optional<MatrixWriter> matrix_;
  bool is_turned_ = false;
  std::vector<Weight> weights_;
};

}  // namespace susurrus
