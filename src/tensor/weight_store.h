#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "container/model_reader.h"
#include "tensor/model_family.h"
#include "tensor/tensor_view.h"
#include "tensor/weight_packing.h"

namespace susurrus {

/// The ModelSink used for inference: every tensor in a 64-byte aligned buffer of its own, taken when its first byte
/// arrives, in the type its file stores, but for integers with a scale (scaled_integers.h). Matrices of the block types are
/// packed while their rows arrive (compressed ones and integers once they are complete). Weights of convolutions, (out, in, 3)
/// in the file, become matrices (out, 3 · in) that a product with three neighbouring rows takes, packed as well
/// (packed_view()) where the matrix is that their family names. Which tensors there are is the family's to say; what is no
/// complete model of one is rejected before the first weight.
///
/// It may be read while it is being filled: find() tells which tensors have arrived.
class WeightStore : public ModelSink {
 public:
  /// `families`: those of which a model is accepted.
  explicit WeightStore(std::span<const ModelFamily* const> families,
                       const WeightPacking& packing = {})
      : families_(families), packing_(packing) {}

  Status on_manifest(ModelManifest& manifest) override;
  /// Empty for tensors that the model does not need.
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override;
  /// Those that are packed: row after row, so that only panels are written to new memory.
  Result<bool> stream_tensor(const TensorInfo& tensor) override;
  void on_tensor_bytes(ByteSpan bytes) override;
  void on_tensor_complete(const TensorInfo& tensor) override;
  /// Rejects what only now turns out to lack a vocabulary that it needs.
  Status on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) override;
  void on_warning(std::string_view text) override;

  /// Finds a tensor by its canonical name, not the file's; nullptr if the model has no such tensor.
  /// The view has the requested shape, except for convolutions; it is empty until the whole tensor
  /// has arrived, and final from then on.
  const TensorView* find(std::string_view name) const;
  /// Null before the manifest.
  const ModelFamily* family() const { return family_; }
  ModelMetadata& metadata() { return metadata_; }
  const ModelMetadata& metadata() const { return metadata_; }
  /// Whether the model needs that tensor of its file.
  bool wants(const TensorInfo& tensor) {
    return tensor.name == filterbank_ || find_stored(tensor) != nullptr;
  }
  uint64_t weight_byte_count() const;
  /// What that will be once every weight that the manifests name has come.
  uint64_t planned_byte_count() const;
  /// Whether everything but weights is known, of a family whose engine can begin with that: metadata, vocabulary, filterbank
  /// and where each weight belongs.
  bool can_begin() const;
  /// Says that every byte has arrived and has been checked.
  void set_verified() { is_verified_ = true; }
  bool is_verified() const { return is_verified_; }
  /// The order of matrices of block types.
  WeightLayout packed_layout() const {
    return packing_.pack == nullptr ? WeightLayout::rows : packing_.layout;
  }
  /// Whether the matrices of layers are packed.
  bool has_packed_layers() const { return has_packed_layers_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Entry {
    std::string name;
    TensorView view;
    AlignedBuffer buffer;
    /// The size of the whole tensor in the view's type, before packing.
    uint64_t byte_count = 0;
    WeightKind kind = WeightKind::values;
    bool is_convolution() const { return kind == WeightKind::convolution; }
  };
  Status choose_family();
  void add_entries(TensorMatch match, std::span<const TensorInfo> tensors, size_t known);
  Entry* find_entry(std::string_view name);
  Entry* find_stored(const TensorInfo& tensor);
  static bool is_multiplied(const Entry& entry);
  bool is_packed(const Entry& entry) const;
  /// Bytes of its memory: packed, there is room for whole panels.
  uint64_t memory_of(const Entry& entry) const;
  Status take_memory(Entry& entry);
  void pack_next(const uint8_t* rows, size_t pack_bytes);
  void end_stream();

  std::span<const ModelFamily* const> families_;
  const ModelFamily* family_ = nullptr;
  WeightPacking packing_;
  bool has_packed_layers_ = false;
  bool is_last_part_ = false;  // whose manifest came last: no more tensors follow
  bool awaits_filterbank_ = false;
  bool is_verified_ = false;
  AlignedBuffer pack_;         // of the rows that are rearranged together
  Entry* streamed_ = nullptr;  // whose bytes are on their way
  size_t packed_byte_count_ = 0;
  size_t waiting_byte_count_ = 0;  // in pack_, for the rest of their rows
  std::vector<Entry> entries_;     // sorted by name
  std::string filterbank_;         // name of the tensor that is one
  std::vector<TensorInfo> parts_;  // of a model in several files, until the last one
  ModelMetadata metadata_;
  std::vector<std::string> warnings_;
};

}  // namespace susurrus
