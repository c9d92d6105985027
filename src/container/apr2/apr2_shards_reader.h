#pragma once
#include <memory>
#include <optional>
#include <string>

#include "container/apr2/apr2_header.h"
#include "container/apr2/apr2_shards.h"
#include "container/model_reader.h"
#include "stream/growing_buffer.h"
#include "stream/tail_window.h"

namespace susurrus {

/// Reads a model in shards (FORMAT.md): the manifest, then each shard, a whole APR2 file, in the memory of one. Names
/// what other JSON texts are. Every error about a shard names it.
class Apr2ShardsReader : public ModelReader, private ModelSink {
 public:
  /// `sink` outlives the reader.
  explicit Apr2ShardsReader(ModelSink& sink);
  ~Apr2ShardsReader() override;

  void set_file_byte_count(uint64_t byte_count) override;
  uint64_t skippable() const override { return reader_ ? reader_->skippable() : 0; }
  void skip(uint64_t byte_count) override;
  NextBytes next_bytes() override;
  Status push(ByteSpan chunk) override;
  Status finish() override;
  std::vector<PartFile> missing_files() const override;
  size_t missing_file_count() const override {
    return manifest_ ? manifest_->shards.size() - current_ : 0;
  }

 private:
  Status read_manifest();
  Status start_shard();
  Status finish_shard();

  // What the shard that is being read says.
  Status on_manifest(ModelManifest& manifest) override;
  Result<bool> stream_tensor(const TensorInfo& tensor) override {
    return sink_.stream_tensor(tensor);
  }
  void on_tensor_bytes(ByteSpan bytes) override { sink_.on_tensor_bytes(bytes); }
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override {
    return sink_.place_tensor(tensor);
  }
  void on_tensor_complete(const TensorInfo& tensor) override { sink_.on_tensor_complete(tensor); }
  void on_warning(std::string_view text) override;
  bool wants_metadata_text() const override { return sink_.wants_metadata_text(); }

  Status check_model(const ModelManifest& shard);
  /// What a later shard says about the model stands in the first one as well.
  Status check_metadata(const ModelMetadata& metadata);
  Status check_tensors(const ModelManifest& shard) const;
  Status check_byte_count(uint64_t byte_count) const;
  Error in_shard(const Error& error) const;
  std::string_view name_of(uint32_t shard) const { return manifest_->shards[shard].file; }

  /// What the first shard says, which the others have to repeat.
  struct Model {
    uint16_t version_major = 0;
    uint16_t version_minor = 0;
    FixedString<32> model_type;
    WhisperDimensions dimensions;
    std::vector<std::pair<std::string, uint64_t>> architecture;  // of another family
    bool operator==(const Model& other) const {
      return version_major == other.version_major && version_minor == other.version_minor &&
             model_type.view() == other.model_type.view() && dimensions == other.dimensions &&
             architecture == other.architecture;
    }
  };

  /// What the first shard's metadata state, for a comparison; the sink has taken the metadata themselves.
  struct Statements {
    std::optional<uint32_t> vocabulary_crc32;
    std::optional<uint32_t> filterbank_crc32;
    std::optional<bool> is_multilingual;
    std::optional<std::vector<uint32_t>> suppress_tokens;
    std::optional<std::vector<uint32_t>> begin_suppress_tokens;
    std::optional<uint32_t> max_initial_timestamp_index;
    std::optional<std::vector<std::pair<uint32_t, uint32_t>>> alignment_heads;
  };

  ModelSink& sink_;
  GrowingBuffer text_;
  std::optional<ShardManifest> manifest_;
  Model model_;
  Statements stated_;

  uint32_t current_ = 0;  // the shard that is or will be read
  std::unique_ptr<ModelReader> reader_;
  std::optional<uint64_t> known_byte_count_;
  uint64_t received_ = 0;
  TailWindow<kApr2FooterBytes + kTrailingSignatureBytes> tail_;
};

}  // namespace susurrus
