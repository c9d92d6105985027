#include "container/inspection.h"

#include "container/apr2/apr2_flags.h"

namespace susurrus {

Status InspectSink::on_manifest(ModelManifest& manifest) {
  has_manifest_ = true;
  format_ = manifest.format;
  version_major_ = manifest.version_major;
  version_minor_ = manifest.version_minor;
  flags_ = manifest.flags;
  metadata_text_ = manifest.metadata_text;
  tensors_.assign(manifest.tensors.begin(), manifest.tensors.end());
  return ok_status();
}

Result<MutableByteSpan> InspectSink::place_tensor(const TensorInfo&) { return MutableByteSpan{}; }

void InspectSink::on_tensor_complete(const TensorInfo&) {}

void InspectSink::on_warning(std::string_view text) { warnings_.emplace_back(text); }

std::string InspectSink::flag_names() const { return apr2_flag_names(flags_); }

}  // namespace susurrus
