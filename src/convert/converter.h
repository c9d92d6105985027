#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "container/apr2/apr2_files_writer.h"
#include "container/checkpoint.h"
#include "container/model_writer.h"
#include "convert/conversion_plan.h"
#include "convert/row_decoder.h"
#include "convert/tensor_encoder.h"
#include "stream/lz4_block_stream.h"
#include "stream/output_buffer.h"

namespace susurrus {

/// Turns the tensors of a checkpoint and a metadata text into one APR2 file or its shards, or into one file of another format
/// that is written, forwards and in bounded memory.
///
///   Converter converter({.dtype = Dtype::f16, .compression = Compression::lz4});
///   converter.add_source(checkpoint);                    // each that the weights are spread over
///   converter.set_metadata(json);                        // apr.md §2.4; its architecture must fit the tensors
///   for each pass of { scan (when needs_scanning()), measure (when needs_measuring()), write }:
///     converter.begin(pass);                             // then drain the output
///     for i in [0, tensor_count()):
///       range = converter.source_range(i)
///       push(pieces of that range of file range.source, in order);  drain the output after each
///       finish_tensor();                                 drain
///     converter.finish();                                drain
///
/// "Drain": write output() to the destination, then consume_output(); pushing with output left is wrong_state. A push of
/// at most kMaxPushBytes bounds the output buffer. Only the last pass gives output. After an error only destruction is left.
class Converter {
 public:
  enum class Format : uint8_t { apr2, apr1, safetensors, ggml };
  enum class Compression : uint8_t { none, lz4 };
  /// What scan looks for are the scales of integers; measure, the lengths of LZ4 streams.
  enum class Pass : uint8_t { scan, measure, write };
  static constexpr size_t kMaxPushBytes = 1 << 20;

  struct SourceRange {
    uint32_t source = 0;  // in add_source order, counting each file of a checkpoint
    uint64_t offset = 0;
    uint64_t byte_count =
        0;  // 0: computed here (encoder positions); push nothing, call finish_tensor
  };

  struct Target {
    Format format = Format::apr2;
    /// APR2: a weight type, for matrices and convolutions, or none: as exact as the source (conversion_plan.h).
    /// APR1: f32, f16 or i8, for everything; none: f32. SafeTensors: f32, f16 or bf16, for everything; none: each tensor's own,
    /// which must not be blocks. ggml: any but bf16, for what whisper.cpp reads so; none: the smallest that is as exact as the
    /// source (ggml_file_dtype()).
    std::optional<Dtype> dtype = std::nullopt;
    /// Only APR2 and APR1.
    Compression compression = Compression::none;
    /// Only APR2.
    Apr2FilesOptions files = {};
  };
  explicit Converter(const Target& target) : target_(target) {}

  Status add_source(const Checkpoint& checkpoint);
  /// After the sources. Checks the metadata as the reader does, and every needed tensor's presence, shape and dtype.
  Status set_metadata(std::string_view json);

  /// Before set_metadata(): the filterbank of the metadata counts instead of one among the tensors.
  void leave_out_filterbank_tensor() { leaves_out_filterbank_ = true; }

  bool needs_scanning() const {
    return target_.format == Format::apr1 && target_.dtype == Dtype::i8;
  }
  bool needs_measuring() const { return target_.compression == Compression::lz4; }
  Status begin(Pass pass);
  uint32_t tensor_count() const { return static_cast<uint32_t>(plan_.tensors.size()); }
  SourceRange source_range(uint32_t tensor) const;
  /// The canonical name, for progress.
  std::string_view tensor_name(uint32_t tensor) const {
    return tensor < tensor_count() ? std::string_view(plan_.tensors[tensor].name)
                                   : std::string_view();
  }
  Status push(ByteSpan source_bytes);
  Status finish_tensor();
  Status finish();

  ByteSpan output() const { return output_.bytes(); }
  void consume_output() { output_.clear(); }

  /// The files of APR2 that are written, from begin(write) on; null before. Output after a call about a tensor belongs to
  /// file_of() it, output of finish() to the last file.
  const Apr2FilesWriter* files() const { return files_; }
  /// What became of a tensor, from its finish_tensor() in the writing pass on.
  struct WrittenTensor {
    Dtype dtype = Dtype::f32;
    /// What its values lost: tensor_encoder.h.
    double relative_error = 0;
  };
  const std::vector<WrittenTensor>& written() const { return written_; }
  /// What set_metadata() read, until a writer takes them in begin(write).
  const ModelMetadata& metadata() const { return metadata_; }
  /// Acceptable but noteworthy: "the output projection differs from ... and is ignored".
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  enum class State : uint8_t { collecting, planned, running, failed };
  /// Remembers a failure, which ends the converter's use.
  Status keep(Status status);
  Status require(State state) const;
  Status plan(std::string_view json);
  Status start_pass(Pass pass);
  Status start_writing();
  Result<ConversionPlan> plan_tensors(std::span<const TensorInfo> tensors);
  void place_filterbank(std::span<const TensorInfo> tensors);
  void warn_of_lost_metadata(const std::string& format);
  Result<std::unique_ptr<ModelWriter>> open_writer(std::vector<TensorInfo> tensors);
  Status set_scale(float largest);
  Result<std::vector<TensorInfo>> output_tensors() const;
  bool is_compressed(uint32_t tensor) const;
  const CheckpointTensor* source_of(const PlannedTensor& tensor) const;
  Status start_tensor();
  Status encode(ByteSpan source_bytes);
  Status end_tensor();
  Status encode_positions(const PlannedTensor& tensor);

  Target target_;
  bool leaves_out_filterbank_ = false;
  State state_ = State::collecting;
  Pass pass_ = Pass::write;
  std::vector<CheckpointTensor> source_tensors_;
  std::vector<uint32_t> file_of_tensor_;
  uint32_t file_count_ = 0;
  bool may_reverse_dims_ = false;
  std::string metadata_text_;
  ModelMetadata metadata_;
  ConversionPlan plan_;
  Dtype ggml_dtype_ = Dtype::f32;
  std::vector<WrittenTensor> written_;
  std::vector<uint64_t> measured_;  // stored bytes with LZ4, per tensor
  uint32_t current_ = 0;
  uint64_t pushed_byte_count_ = 0;  // of the current tensor
  Lz4BlockStream lz4_;              // of the source
  RowDecoder rows_;
  TensorEncoder encoder_;
  std::unique_ptr<ByteSink> encoder_source_;
  std::unique_ptr<ModelWriter> writer_;
  const Apr2FilesWriter* files_ = nullptr;  // the same, where it is one
  std::unique_ptr<ByteSink> encoder_target_;
  OutputBuffer output_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
