#include "container/inspection.h"

#include "container/apr1/apr1_facts.h"
#include "container/apr2/apr2_flags.h"

namespace susurrus {

Status InspectSink::on_manifest(ModelManifest& manifest) {
  has_manifest_ = true;
  format_ = manifest.format;
  version_major_ = manifest.version_major;
  version_minor_ = manifest.version_minor;
  flags_ = manifest.flags;
  metadata_text_ = manifest.metadata_text;
  header_.assign(manifest.header.begin(), manifest.header.end());
  metadata_ = std::move(*manifest.metadata);
  tensors_.assign(manifest.tensors.begin(), manifest.tensors.end());
  return ok_status();
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

std::string InspectSink::flag_names() const {
  return header_.empty() ? apr2_flag_names(flags_) : apr1_flag_names(header_);
}

}  // namespace susurrus
