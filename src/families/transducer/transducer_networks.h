#pragma once
#include <array>

#include "families/transducer/transducer_model.h"
#include "families/transducer/transducer_search.h"
#include "graph/graph_run.h"

namespace susurrus {

/// The three networks of one stream, with the encoder's state between two segments. Allocates only when it is made.
class TransducerNetworks final : public TransducerScorer {
 public:
  /// The model must outlive it. malformed: a network whose outputs have other shapes or types than the file says or another
  /// network needs; out_of_memory.
  static Result<TransducerNetworks> make(const TransducerModel& model);

  /// Where the frames of the next segment belong, [segment_size, mel_features]; they must stay until it is encoded.
  std::span<float> segment() { return segment_.floats(); }
  /// Then encode() until it returns true: what takes about `cost` multiplications each.
  void begin_encoding();
  Result<bool> encode(uint64_t cost);

  Status set_context(std::span<const int64_t> tokens) override;
  Result<std::span<const float>> logits() override;

  /// Memory for activations and state.
  uint64_t byte_count() const;

 private:
  explicit TransducerNetworks(const TransducerModel& model) : model_(&model) {}
  Status add_run(AprilNetwork network);
  Status check_output(AprilNetwork network, size_t output, ElementType type,
                      const Shape& shape) const;
  Status check_input_type(AprilNetwork network, size_t input, ElementType type) const;
  Status check() const;
  Shape input_shape(AprilNetwork network, size_t input) const;
  GraphRun& run(AprilNetwork network) { return runs_[static_cast<size_t>(network)]; }
  const GraphRun& run(AprilNetwork network) const { return runs_[static_cast<size_t>(network)]; }
  void set_input(AprilNetwork network, size_t input, const void* data);
  Tensor output(AprilNetwork network, size_t output) const;

  const TransducerModel* model_;
  std::vector<GraphRun> runs_;
  AlignedBuffer segment_;
  AlignedBuffer context_;
  /// h and c: before the segment and after it, changing places.
  struct State {
    AlignedBuffer before;
    AlignedBuffer after;
  };
  std::array<State, 2> states_;
};

}  // namespace susurrus
