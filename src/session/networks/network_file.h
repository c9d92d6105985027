#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/aligned_buffer.h"
#include "base/bytes.h"
#include "container/detect.h"
#include "families/module/graph_module.h"
#include "families/transducer/transducer_loader.h"
#include "session/engine.h"
#include "session/networks/acoustic_engine.h"
#include "session/networks/beam_texts.h"

namespace susurrus {

/// A file of a family that runs on graphs, on its way into memory: .april, BW2L, TenniS, ONNX. Of .april the weights go to their
/// place while they come; the others are kept until they have come.
class NetworkFile {
 public:
  /// Before the first push: what large matrices become in memory; of .april files alone.
  void set_weights(WeightType type) { weights_.type = type; }
  /// Where the file's length is known, before the first push: memory is taken once.
  void set_byte_count(uint64_t byte_count) { known_byte_count_ = byte_count; }
  /// Before the first push: begin_text() will follow, with `name` first. unsupported_feature comes as soon as the file is an
  /// .april file.
  void expect_text(std::string_view name) { expected_text_ = name; }
  Status push(ByteSpan bytes);
  /// Says that no byte follows. Errors of the file's reader.
  Status finish();

  /// After finish(), or after another text: what comes next is BeamTexts' file of that name, up to another finish().
  Status begin_text(std::string_view name, std::optional<uint64_t> byte_count);

  /// After finish(): "april 1", "BW2L 1".
  const std::string& format() const { return format_; }
  std::span<const std::string> warnings() const { return warnings_; }
  /// The types of the weights, by APR2's names.
  std::span<const std::string> dtypes() const { return dtypes_; }
  /// Once: the model of an .april or BW2L file. unsupported_feature: it is a module. invalid_argument: a language model that does not
  /// fit it.
  Result<std::unique_ptr<Engine>> take_engine();
  /// Once: what a TenniS or ONNX file holds. unsupported_feature: it is a model.
  Result<GraphModule> take_module();

 private:
  Status keep(ByteSpan bytes);
  /// From the first bytes, or from all there are; once.
  Status begin();
  Status reserve(uint64_t byte_count);
  ByteSpan bytes() const { return ByteSpan(buffer_.bytes()).first(size_); }
  void add_dtype(std::string_view name);
  Status finish_april();
  Status read_bw2l();
  Status read_tennis();
  Status read_onnx();

  WeightOptions weights_;
  std::optional<uint64_t> known_byte_count_;
  std::optional<FileKind> kind_;
  std::unique_ptr<TransducerLoader> april_;
  AlignedBuffer buffer_;
  size_t size_ = 0;
  std::string format_;
  std::vector<std::string> warnings_;
  std::vector<std::string> dtypes_;
  std::unique_ptr<Engine> engine_;
  /// The engine, where it is of this family.
  AcousticEngine* acoustic_ = nullptr;
  std::string expected_text_;
  std::optional<BeamTexts> texts_;
  std::optional<GraphModule> module_;
};

}  // namespace susurrus
