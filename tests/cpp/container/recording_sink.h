// A ModelSink that keeps everything a reader says, and helpers that push a file in pieces.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "container/apr2_builder.h"
#include "container/converted_kinds.h"
#include "container/detecting_reader.h"
#include "container/malformed_file.h"

namespace susurrus::testing {

class RecordingSink : public ModelSink {
 public:
  Status on_manifest(ModelManifest& manifest) override {
    flags = manifest.flags;
    metadata_text = manifest.metadata_text;
    metadata = std::move(*manifest.metadata);
    infos.assign(manifest.tensors.begin(), manifest.tensors.end());
    ++manifests;
    return ok_status();
  }
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override {
    order.push_back(tensor.name);
    Bytes& place = tensors[tensor.name];
    place.assign(tensor.raw_byte_count, 0xEE);
    return MutableByteSpan(place);
  }
  void on_tensor_complete(const TensorInfo& tensor) override { completed.push_back(tensor.name); }
  Status on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) override {
    metadata.vocabulary = std::move(vocabulary);
    metadata.mel_filterbank = std::move(mel_filterbank);
    return ok_status();
  }
  void on_warning(std::string_view text) override { warnings.emplace_back(text); }
  bool wants_metadata_text() const override { return wants_text; }

  bool wants_text = true;
  int manifests = 0;
  uint32_t flags = 0;
  std::string metadata_text;
  ModelMetadata metadata;
  std::vector<TensorInfo> infos;
  std::vector<std::string> order;
  std::vector<std::string> completed;
  std::map<std::string, Bytes> tensors;
  std::vector<std::string> warnings;
};

/// Pushes `file` in chunks that `next_size` gives, each from memory of its own, so that ASan sees a read past one.
inline Status read_file(ModelSink& sink, const Bytes& file, bool tell_length,
                        const std::function<size_t()>& next_size) {
  DetectingReader reader(sink, DetectingReader::Wanted::model, open_converted_kind);
  return read(reader, file, tell_length, next_size);
}

inline Status read_file(ModelSink& sink, const Bytes& file, bool tell_length = true,
                        size_t chunk_size = ~size_t{0}) {
  return read_file(sink, file, tell_length, [=] { return chunk_size; });
}

}  // namespace susurrus::testing
