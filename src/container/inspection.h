#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "container/checkpoint.h"
#include "container/model_reader.h"

namespace susurrus {

/// One file of a model in several.
struct InspectedPart {
  std::string file;
  uint32_t flags = 0;
  size_t first_tensor = 0;
};

/// The ModelSink of `inspect`: keeps what a file says about itself and skips every weight.
class InspectSink : public ModelSink {
 public:
  Status on_manifest(ModelManifest& manifest) override;
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override;
  void on_tensor_complete(const TensorInfo& tensor) override;
  Status on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) override;
  void on_section(const FileSection& section) override { sections_.push_back(section); }
  void on_warning(std::string_view text) override;
  bool wants_metadata_text() const override { return true; }
  /// When the whole model is verified: puts a header into words.
  void complete();

  /// False until header, metadata and index were read and found sound. Stays true when a later byte is wrong.
  bool has_manifest() const { return has_manifest_; }
  std::string_view format() const { return format_; }
  uint16_t version_major() const { return version_major_; }
  uint16_t version_minor() const { return version_minor_; }
  uint32_t flags() const { return flags_; }
  /// Space-separated names of the flags that are set: "ALIGNED_64 STREAMING".
  std::string flag_names() const;
  /// The metadata as stored, UTF-8 JSON; where a header takes their place, after complete(), what it says in their keys.
  std::string_view metadata_text() const { return metadata_text_; }
  /// The metadata of a model's later shards, as a JSON array: {} where they are those of the first one.
  std::string later_metadata() const { return "[" + later_metadata_ + "]"; }
  /// What the metadata mean, those included that came after the weights; until take_checkpoint().
  ModelMetadata& metadata() { return metadata_; }
  const ModelMetadata& metadata() const { return metadata_; }
  /// Empty for formats without sections.
  const std::vector<FileSection>& sections() const { return sections_; }
  /// In file order of their data, file by file.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  /// Empty for a model in one file.
  const std::vector<InspectedPart>& parts() const { return parts_; }
  /// The part that holds a tensor.
  uint32_t file_of(size_t tensor) const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// After complete(), once: the model as a source of conversion.
  Checkpoint take_checkpoint();

 private:
  Status keep_later_metadata(std::string_view text);

  bool has_manifest_ = false;
  const char* format_ = "";
  uint16_t version_major_ = 0;
  uint16_t version_minor_ = 0;
  uint32_t flags_ = 0;
  std::string metadata_text_;
  std::string later_metadata_;
  std::vector<uint8_t> header_;
  ModelMetadata metadata_;
  std::vector<FileSection> sections_;
  std::vector<TensorInfo> tensors_;
  std::vector<InspectedPart> parts_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
