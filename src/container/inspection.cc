#include "container/inspection.h"

namespace susurrus {

Status InspectSink::on_manifest(ModelManifest& manifest) {
  if (manifest.part == 0) {
    has_manifest_ = true;
    format_ = manifest.format;
    version_major_ = manifest.version_major;
    version_minor_ = manifest.version_minor;
    flags_ = 0;
    metadata_text_ = manifest.metadata_text;
    metadata_ = std::move(*manifest.metadata);
  }
  flags_ |= manifest.flags;
  if (!manifest.file.empty()) {
    parts_.push_back({std::string(manifest.file), manifest.flags, tensors_.size()});
  }
  tensors_.insert(tensors_.end(), manifest.tensors.begin(), manifest.tensors.end());
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

}  // namespace susurrus
