#include "tensor/weight_store.h"

#include <algorithm>

#include "base/sort.h"

namespace susurrus {

Status WeightStore::on_manifest(ModelManifest& manifest) {
  if (manifest.is_encrypted) {
    return make_error(ErrorCode::decryption_failed, ErrorReason::decrypt)
        .about("ENCRYPTED")
        .having("no key; this version reads no encrypted models");
  }
  SUSURRUS_TRY(check_whisper_model(*manifest.metadata, manifest.tensors));
  SUSURRUS_ASSIGN(
      WhisperTensorMap map,
      map_whisper_tensors(manifest.metadata->dimensions, manifest.tensors, WhisperTensorRules{}));
  metadata_ = std::move(*manifest.metadata);
  for (std::string& warning : map.warnings) warnings_.push_back(std::move(warning));

  entries_.reserve(map.tensors.size());
  for (size_t i = 0; i < map.tensors.size(); ++i) {
    Entry entry;
    entry.name = std::move(map.tensors[i].name);
    entry.view.dtype = manifest.tensors[map.sources[i]].dtype;
    entry.view.shape = map.tensors[i].shape;
    entries_.push_back(std::move(entry));
  }
  heap_sort(entries_, [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return ok_status();
}

Result<MutableByteSpan> WeightStore::place_tensor(const TensorInfo& tensor) {
  if (tensor.name == kFilterbankTensorName) {
    SUSURRUS_ASSIGN(metadata_.mel_filterbank,
                    AlignedBuffer::allocate(tensor.raw_byte_count, "mel_filterbank"));
    return metadata_.mel_filterbank.bytes();
  }
  Entry* entry = find_entry(canonical_tensor_name(tensor.name));
  if (entry == nullptr) return MutableByteSpan{};
  uint64_t byte_count = tensor.raw_byte_count;
  if (is_packed(*entry)) {
    const uint64_t pack_bytes = kPackedRows * entry->view.row_byte_count();
    byte_count = (entry->view.rows() + kPackedRows - 1) / kPackedRows * pack_bytes;
    if (pack_.byte_count() < pack_bytes) {
      SUSURRUS_ASSIGN(pack_, AlignedBuffer::allocate(pack_bytes, "weights"));
    }
  }
  SUSURRUS_ASSIGN(entry->buffer, AlignedBuffer::allocate(byte_count, "weights"));
  entry->view.data = entry->buffer.data();
  return entry->buffer.bytes().first(static_cast<size_t>(tensor.raw_byte_count));
}

void WeightStore::on_tensor_complete(const TensorInfo& tensor) {
  Entry* entry = find_entry(canonical_tensor_name(tensor.name));
  if (entry == nullptr || !is_multiplied(*entry)) return;
  if (entry->view.dtype == Dtype::f16 && packing_.raise != nullptr) {
    if (packing_.raise(entry->buffer.bytes())) entry->view.layout = WeightLayout::raised_halves;
  }
  if (!is_packed(*entry)) return;
  packing_.pack(entry->view, packing_.layout, entry->buffer.bytes(), pack_.bytes());
  entry->view.layout = packing_.layout;
}

/// Whether linear layers multiply with it.
bool WeightStore::is_multiplied(const Entry& entry) {
  return entry.view.shape.rank() == 2 && entry.name.ends_with(".weight");
}

bool WeightStore::is_packed(const Entry& entry) const {
  return packing_.pack != nullptr && is_block_dtype(entry.view.dtype) && is_multiplied(entry);
}

void WeightStore::on_warning(std::string_view text) { warnings_.emplace_back(text); }

WeightStore::Entry* WeightStore::find_entry(std::string_view name) {
  auto at =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const Entry& entry, std::string_view key) { return entry.name < key; });
  return at != entries_.end() && at->name == name ? &*at : nullptr;
}

const TensorView* WeightStore::find(std::string_view name) const {
  Entry* entry = const_cast<WeightStore*>(this)->find_entry(name);
  return entry == nullptr ? nullptr : &entry->view;
}

uint64_t WeightStore::weight_byte_count() const {
  uint64_t total = 0;
  for (const Entry& entry : entries_) total += entry.buffer.byte_count();
  return total;
}

}  // namespace susurrus
