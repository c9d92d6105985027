#include "container/inspection.h"

#include <algorithm>

#include "container/apr1/apr1_facts.h"
#include "container/apr2/apr2_flags.h"
#include "container/later_metadata.h"

namespace susurrus {
namespace {

/// A hundred shards that each repeat a vocabulary have some 150 MB.
constexpr size_t kLaterMetadataBytes = 256 << 20;

}  // namespace

Status InspectSink::on_manifest(ModelManifest& manifest) {
  if (manifest.part == 0) {
    has_manifest_ = true;
    format_ = manifest.format;
    version_major_ = manifest.version_major;
    version_minor_ = manifest.version_minor;
    flags_ = 0;
    metadata_text_ = manifest.metadata_text;
    header_.assign(manifest.header.begin(), manifest.header.end());
    metadata_ = std::move(*manifest.metadata);
  } else {
    SUSURRUS_RETURN_IF_ERROR(keep_later_metadata(manifest.metadata_text));
    add_later_metadata(metadata_, *manifest.metadata);
  }
  flags_ |= manifest.flags;
  if (!manifest.file.empty()) {
    parts_.push_back({std::string(manifest.file), manifest.flags, tensors_.size()});
  }
  tensors_.insert(tensors_.end(), manifest.tensors.begin(), manifest.tensors.end());
  return ok_status();
}

Status InspectSink::keep_later_metadata(std::string_view text) {
  if (!later_metadata_.empty()) later_metadata_ += ',';
  if (text == metadata_text_) text = "{}";
  if (text.size() > kLaterMetadataBytes - std::min(later_metadata_.size(), kLaterMetadataBytes)) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .with_subject("metadata")
        .with_expected("at most " + std::to_string(kLaterMetadataBytes) +
                       " bytes of metadata in the shards after the first");
  }
  later_metadata_ += text;
  return ok_status();
}

uint32_t InspectSink::file_of(size_t tensor) const {
  size_t part = 0;
  while (part + 1 < parts_.size() && parts_[part + 1].first_tensor <= tensor) ++part;
  return static_cast<uint32_t>(part);
}

Result<MutableByteSpan> InspectSink::place_tensor(const TensorInfo&) { return MutableByteSpan{}; }

void InspectSink::on_tensor_complete(const TensorInfo&) {}

void InspectSink::on_warning(std::string_view text) { warnings_.emplace_back(text); }

Status InspectSink::on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) {
  metadata_.vocabulary_follows = false;
  metadata_.vocabulary = std::move(vocabulary);
  metadata_.mel_filterbank = std::move(mel_filterbank);
  return ok_status();
}

void InspectSink::complete() {
  if (!header_.empty()) metadata_text_ = apr1_metadata_text(header_, metadata_);
}

Checkpoint InspectSink::take_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.format = format_;
  if (const WhisperMetadata* whisper = metadata_.whisper()) {
    checkpoint.dimensions = whisper->dimensions;
  }
  checkpoint.vocabulary = std::move(metadata_.vocabulary);
  checkpoint.mel_filterbank = std::move(metadata_.mel_filterbank);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    CheckpointTensor tensor;
    tensor.info = tensors_[i];
    tensor.file = file_of(i);
    checkpoint.tensors.push_back(std::move(tensor));
  }
  checkpoint.file_count = static_cast<uint32_t>(std::max<size_t>(parts_.size(), 1));
  checkpoint.may_reverse_dims = true;
  checkpoint.warnings = warnings_;
  return checkpoint;
}

std::string InspectSink::flag_names() const {
  return header_.empty() ? apr2_flag_names(flags_) : apr1_flag_names(header_);
}

}  // namespace susurrus
