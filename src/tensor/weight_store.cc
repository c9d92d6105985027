#include "tensor/weight_store.h"

#include <algorithm>
#include <cstring>

#include "base/sort.h"
#include "container/later_metadata.h"
#include "tensor/scaled_integers.h"

namespace susurrus {
namespace {

constexpr uint64_t kTaps = 3;

/// Rows of (in, tap) to rows of (tap, in); `row` is memory for one.
template <class Element>
void order_taps(const TensorView& weight, uint8_t* bytes, uint8_t* row) {
  const auto row_bytes = static_cast<size_t>(weight.row_byte_count());
  const size_t channels = row_bytes / sizeof(Element) / kTaps;
  for (uint64_t r = 0; r < weight.rows(); ++r, bytes += row_bytes) {
    std::memcpy(row, bytes, row_bytes);
    const auto* from = reinterpret_cast<const Element*>(row);
    auto* to = reinterpret_cast<Element*>(bytes);
    for (size_t c = 0; c < channels; ++c) {
      for (size_t tap = 0; tap < kTaps; ++tap) to[tap * channels + c] = from[kTaps * c + tap];
    }
  }
}

uint64_t panel_byte_count(const TensorView& view) {
  return kPackedRows * packed_view(view).row_byte_count();
}

}  // namespace

Status WeightStore::on_manifest(ModelManifest& manifest) {
  if (manifest.is_encrypted) {
    return make_error(ErrorCode::decryption_failed, ErrorReason::decrypt)
        .with_subject("ENCRYPTED")
        .with_got("no key");
  }
  if (manifest.part == 0)
    metadata_ = std::move(*manifest.metadata);
  else
    add_later_metadata(metadata_, *manifest.metadata);
  std::span<const TensorInfo> tensors = manifest.tensors;
  const size_t known = parts_.size();
  if (manifest.part_count > 1) {
    parts_.insert(parts_.end(), tensors.begin(), tensors.end());
    tensors = parts_;
  }
  SUSURRUS_RETURN_IF_ERROR(choose_family());
  TensorMatchRules rules;
  rules.may_lack_any = manifest.part + 1 < manifest.part_count;
  if (!rules.may_lack_any || !tensors.empty())
    SUSURRUS_RETURN_IF_ERROR(family_->check(metadata_, tensors));
  SUSURRUS_ASSIGN_OR_RETURN(TensorMatch match, family_->match(metadata_, tensors, rules));
  if (!rules.may_lack_any) {
    for (std::string& warning : match.warnings) warnings_.push_back(std::move(warning));
  }
  if (match.filterbank) {
    filterbank_ = tensors[*match.filterbank].name;
    awaits_filterbank_ |= *match.filterbank >= known;
  }
  add_entries(std::move(match), tensors, known);
  is_last_part_ = !rules.may_lack_any;
  if (is_last_part_) parts_ = {};
  return ok_status();
}

Status WeightStore::choose_family() {
  std::string names;
  for (const ModelFamily* family : families_) {
    if (metadata_.model_type.view() == family->name) {
      family_ = family;
      return ok_status();
    }
    if (!names.empty()) names += " or ";
    names += family->name;
  }
  return not_of_family(metadata_, names);
}

/// Adds the tensors from number `known` on.
void WeightStore::add_entries(TensorMatch match, std::span<const TensorInfo> tensors,
                              size_t known) {
  entries_.reserve(match.tensors.size());
  for (size_t i = 0; i < match.tensors.size(); ++i) {
    if (match.sources[i] == TensorMatch::kAbsent || match.sources[i] < known) continue;
    Entry entry;
    WantedTensor& wanted = match.tensors[i];
    entry.name = std::move(wanted.name);
    entry.kind = wanted.kind;
    const TensorInfo& tensor = tensors[match.sources[i]];
    const Shape& shape = wanted.shape;
    entry.view.shape = entry.is_convolution() ? Shape({shape[0], kTaps * shape[1]}) : shape;
    entry.view.dtype =
        tensor.scale == 0
            ? tensor.dtype
            : dtype_of_scaled_integers(tensor.scale, shape, wanted.kind == WeightKind::matrix);
    entry.byte_count =
        tensor.scale == 0
            ? tensor.raw_byte_count
            : tensor_byte_count(entry.view.dtype, entry.view.shape).value_or(~uint64_t{0});
    entries_.push_back(std::move(entry));
  }
  heap_sort(entries_, [](const Entry& a, const Entry& b) { return a.name < b.name; });
  if (family_->convolutions_follow == nullptr) return;
  const Entry* matrix = find_entry(family_->convolutions_follow);
  has_packed_layers_ = matrix != nullptr && is_packed(*matrix);
}

Result<MutableByteSpan> WeightStore::place_tensor(const TensorInfo& tensor) {
  if (!filterbank_.empty() && tensor.name == filterbank_) {
    SUSURRUS_ASSIGN_OR_RETURN(metadata_.mel_filterbank,
                              AlignedBuffer::allocate(tensor.raw_byte_count, "mel_filterbank"));
    return metadata_.mel_filterbank.bytes();
  }
  Entry* entry = find_stored(tensor);
  if (entry == nullptr) return MutableByteSpan{};
  SUSURRUS_RETURN_IF_ERROR(take_memory(*entry));
  // Integers lie at the end of what they will be spread over.
  return entry->buffer.bytes()
      .first(static_cast<size_t>(entry->byte_count))
      .last(static_cast<size_t>(tensor.raw_byte_count));
}

uint64_t WeightStore::memory_of(const Entry& entry) const {
  if (!is_packed(entry)) return entry.byte_count;
  const uint64_t panels = (entry.view.rows() + kPackedRows - 1) / kPackedRows;
  return std::max(entry.byte_count, panels * panel_byte_count(entry.view));
}

Status WeightStore::take_memory(Entry& entry) {
  uint64_t pack_bytes = entry.is_convolution() ? entry.view.row_byte_count() : 0;
  if (is_packed(entry)) {
    pack_bytes = (entry.is_convolution() ? 2 : 1) * panel_byte_count(entry.view);
  }
  if (pack_.byte_count() < pack_bytes) {
    SUSURRUS_ASSIGN_OR_RETURN(pack_, AlignedBuffer::allocate(pack_bytes, "weights"));
  }
  SUSURRUS_ASSIGN_OR_RETURN(entry.buffer, AlignedBuffer::allocate(memory_of(entry), "weights"));
  return ok_status();
}

Result<bool> WeightStore::stream_tensor(const TensorInfo& tensor) {
  Entry* entry = find_stored(tensor);
  if (entry == nullptr || tensor.scale != 0 || packing_.pack_rows == nullptr ||
      !is_block_dtype(entry->view.dtype) || entry->is_convolution() || !is_packed(*entry)) {
    return false;
  }
  SUSURRUS_RETURN_IF_ERROR(take_memory(*entry));
  streamed_ = entry;
  packed_byte_count_ = 0;
  waiting_byte_count_ = 0;
  return true;
}

void WeightStore::on_tensor_bytes(ByteSpan bytes) {
  const auto pack_bytes = static_cast<size_t>(kPackedRows * streamed_->view.row_byte_count());
  while (!bytes.empty()) {
    const size_t count = std::min(pack_bytes - waiting_byte_count_, bytes.size());
    const uint8_t* rows = bytes.data();
    if (count < pack_bytes) {
      // Rows that the end of a piece cuts wait for the next one.
      std::memcpy(pack_.data() + waiting_byte_count_, rows, count);
      waiting_byte_count_ += count;
      rows = pack_.data();
    }
    bytes = bytes.subspan(count);
    if (count == pack_bytes || waiting_byte_count_ == pack_bytes) pack_next(rows, pack_bytes);
  }
}

void WeightStore::pack_next(const uint8_t* rows, size_t pack_bytes) {
  Entry& entry = *streamed_;
  SUSURRUS_CHECK(pack_bytes <= entry.buffer.byte_count() - packed_byte_count_);
  packing_.pack_rows(entry.view, packing_.layout, rows, entry.buffer.data() + packed_byte_count_);
  packed_byte_count_ += pack_bytes;
  waiting_byte_count_ = 0;
}

void WeightStore::end_stream() {
  if (waiting_byte_count_ > 0) {
    const auto pack_bytes = static_cast<size_t>(kPackedRows * streamed_->view.row_byte_count());
    std::memset(pack_.data() + waiting_byte_count_, 0, pack_bytes - waiting_byte_count_);
    pack_next(pack_.data(), pack_bytes);
  }
  streamed_->view.layout = packing_.layout;
  streamed_ = nullptr;
}

void WeightStore::on_tensor_complete(const TensorInfo& tensor) {
  if (tensor.name == filterbank_) awaits_filterbank_ = false;
  Entry* entry = find_stored(tensor);
  if (entry == nullptr) return;
  entry->view.data = entry->buffer.data();
  if (tensor.scale != 0) {
    spread_scaled_integers(entry->view.dtype, tensor.scale,
                           entry->buffer.bytes().first(static_cast<size_t>(entry->byte_count)));
  }
  if (!is_multiplied(*entry)) return;
  if (entry == streamed_) return end_stream();
  TensorView& view = entry->view;
  if (entry->is_convolution()) {
    const bool is_f32 = view.dtype == Dtype::f32;
    (is_f32 ? order_taps<uint32_t> : order_taps<uint16_t>)(view, entry->buffer.data(),
                                                           pack_.data());
  }
  if (is_packed(*entry)) {
    view = packing_.pack(view, packing_.layout, entry->buffer.bytes(), pack_.bytes());
  } else if (view.dtype == Dtype::f16 && packing_.rescale != nullptr) {
    if (packing_.rescale(entry->buffer.bytes())) view.layout = WeightLayout::rescaled_halves;
  }
}

/// Whether linear layers multiply with it.
bool WeightStore::is_multiplied(const Entry& entry) {
  return entry.kind != WeightKind::values && is_weight_dtype(entry.view.dtype);
}

bool WeightStore::is_packed(const Entry& entry) const {
  if (packing_.pack == nullptr || !is_multiplied(entry)) return false;
  if (is_block_dtype(entry.view.dtype)) return true;
  return entry.is_convolution() && has_packed_layers_ &&
         packed_view(entry.view).row_byte_count() <= entry.view.row_byte_count();
}

Status WeightStore::on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) {
  metadata_.vocabulary_follows = false;
  metadata_.vocabulary = std::move(vocabulary);
  // A filterbank among the tensors wins.
  if (metadata_.mel_filterbank.byte_count() == 0) {
    metadata_.mel_filterbank = std::move(mel_filterbank);
  }
  return family_->check_late(metadata_);
}

void WeightStore::on_warning(std::string_view text) { warnings_.emplace_back(text); }

WeightStore::Entry* WeightStore::find_entry(std::string_view name) {
  auto at =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const Entry& entry, std::string_view key) { return entry.name < key; });
  return at != entries_.end() && at->name == name ? &*at : nullptr;
}

WeightStore::Entry* WeightStore::find_stored(const TensorInfo& tensor) {
  return find_entry(family_->canonical_name(tensor.name));
}

const TensorView* WeightStore::find(std::string_view name) const {
  Entry* entry = const_cast<WeightStore*>(this)->find_entry(name);
  return entry == nullptr ? nullptr : &entry->view;
}

uint64_t WeightStore::planned_byte_count() const {
  uint64_t total = 0;
  for (const Entry& entry : entries_) total += memory_of(entry);
  return total;
}

bool WeightStore::can_begin() const {
  return family_ != nullptr && family_->begins_early && is_last_part_ && !awaits_filterbank_ &&
         !metadata_.vocabulary_follows;
}

uint64_t WeightStore::weight_byte_count() const {
  uint64_t total = 0;
  for (const Entry& entry : entries_) total += entry.buffer.byte_count();
  return total;
}

}  // namespace susurrus
