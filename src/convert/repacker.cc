#include "convert/repacker.h"

#include <algorithm>

#include "base/json_document.h"
#include "base/name_index.h"
#include "base/sort.h"
#include "container/apr2/apr2_flags.h"
#include "container/apr2/apr2_metadata.h"
#include "families/whisper/whisper_tensors.h"

namespace susurrus {
namespace {

struct Place {
  uint32_t rank;    // in execution order; what the family does not know comes last
  uint32_t tensor;  // in the source
};

Result<std::vector<Place>> execution_order(std::span<const TensorInfo> tensors,
                                           std::string_view metadata) {
  SUSURRUS_ASSIGN_OR_RETURN(const JsonDocument document,
                            JsonDocument::parse(metadata, JsonOrigin{}));
  SUSURRUS_ASSIGN_OR_RETURN(const Apr2Metadata read, read_apr2_metadata(document, 2, 0));
  std::vector<WantedTensor> known;
  if (const WhisperMetadata* whisper = read.model.whisper()) {
    const WhisperDimensions& dims = whisper->dimensions;
    if (std::max(dims.n_audio_layer, dims.n_text_layer) <= kMaxWhisperLayers) {
      known = whisper_tensors(dims);
    }
  }
  NameIndex ranks;
  for (uint32_t i = 0; i < known.size(); ++i) ranks.add(known[i].name, i);
  ranks.sort();
  std::vector<Place> places;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const auto* found = ranks.find(canonical_tensor_name(tensors[i].name));
    places.push_back({found != nullptr ? found->place : ~0u, i});
  }
  heap_sort(places, [](const Place& a, const Place& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.tensor < b.tensor;
  });
  return places;
}

}  // namespace

Status Repacker::plan(const InspectSink& source, std::string_view metadata,
                      const Apr2FilesOptions& options) {
  if (source.format() != "APR2") {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .with_subject("file")
        .with_expected("APR2: upgrade it first (susurrus upgrade FILE model.apr)")
        .with_got(source.format());
  }
  // Pieces of ciphertext are bound to their file's metadata, and a signature to its bytes.
  if ((source.flags() & (apr2_flags::kEncrypted | apr2_flags::kSigned)) != 0) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .with_subject("flags")
        .with_expected(
            "a model that is neither encrypted nor signed: do that to the files that come out")
        .with_got(source.flag_names());
  }
  const std::vector<TensorInfo>& tensors = source.tensors();
  SUSURRUS_ASSIGN_OR_RETURN(const std::vector<Place> order, execution_order(tensors, metadata));
  std::vector<TensorInfo> ordered;
  for (const Place& place : order) {
    const TensorInfo& tensor = tensors[place.tensor];
    ordered.push_back(tensor);
    sources_.push_back(
        {source.file_of(place.tensor), tensor.file_offset, tensor.stored_byte_count});
  }
  SUSURRUS_ASSIGN_OR_RETURN(writer_, Apr2FilesWriter::plan(metadata, std::move(ordered), options));
  return ok_status();
}

}  // namespace susurrus
