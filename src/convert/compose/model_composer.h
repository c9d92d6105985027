#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "convert/compose/checked_sink.h"
#include "convert/compose/file_parts.h"
#include "convert/tensor_encoder.h"
#include "stream/output_buffer.h"

namespace susurrus {

/// Composes a model file of APR2, APR1, .april, BW2L or TenniS from a description and its parts, forwards and in bounded memory.
///
///   composer.plan(description)                           // JSON; nothing is written of what no reader would take
///   for each pass of { scan (when needs_scanning()), measure (when needs_measuring()), write }:
///     begin(pass);                                       drain
///     for each of parts(): begin_part(); push() pieces of its bytes; finish_part();  drain after each
///     finish();                                          drain
///
/// "Drain": take output(), then consume_output(). The output of a push is not much more than its bytes. Only the last pass gives
/// any. Errors of the caller are invalid_argument with the reader's reason and subject. After an error only destruction is left.
class ModelComposer {
 public:
  /// What scan looks for are the scales of integers; measure, the lengths of LZ4 streams.
  enum class Pass : uint8_t { scan, measure, write };
  static constexpr size_t kMaxPushBytes = 1 << 20;

  Status plan(std::string_view description);
  const std::vector<FilePart>& parts() const { return writer_->parts(); }
  bool needs_scanning() const;
  bool needs_measuring() const;

  Status begin(Pass pass);
  /// `is_floats`: f32 values follow, to be converted to the part's type; else its bytes as they will be stored uncompressed.
  Status begin_part(bool is_floats);
  Status push(ByteSpan bytes);
  Status finish_part();
  Status finish();

  ByteSpan output() const { return output_.bytes(); }
  void consume_output() { output_.clear(); }
  /// After the last finish().
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  enum class State : uint8_t { collecting, planned, between_parts, in_part, failed };
  Status keep(Status status);
  Status require(State state) const;
  Status make_plan(std::string_view description);
  Status rehearse();
  Status start_pass(Pass pass);
  Status start_part(bool is_floats);
  Status end_part();
  Status end_pass();
  Status take(ByteSpan bytes);
  FilePart& part() { return writer_->parts()[current_]; }

  State state_ = State::collecting;
  Pass pass_ = Pass::write;
  std::unique_ptr<PartsWriter> writer_;
  size_t current_ = 0;
  uint64_t expected_ = 0;  // bytes of the current part, as they are pushed
  uint64_t pushed_ = 0;
  TensorEncoder encoder_;
  std::unique_ptr<CheckedSink> file_;
  std::unique_ptr<ByteSink> encoded_;
  OutputBuffer output_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
