// Reads models as a loader does, whole or cut into pieces, and makes a digest of everything that the reader says.
#pragma once
#include <algorithm>

#include "container/converted_kinds.h"
#include "container/inspection.h"
#include "fuzz_input.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace susurrus::fuzz {

/// Takes part of the tensors, into memory of their own, and everything that is said about a file into a digest.
class DigestSink : public ModelSink {
 public:
  explicit DigestSink(bool wants_text) : wants_text_(wants_text) {}

  Status on_manifest(ModelManifest& manifest) override {
    digest.add(std::string_view(manifest.format));
    digest.add_number(manifest.flags);
    digest.add(manifest.metadata_text);
    digest.add_number(manifest.part);
    for (const TensorInfo& tensor : manifest.tensors) {
      digest.add(tensor.name);
      digest.add_number(tensor.raw_byte_count);
    }
    return ok_status();
  }
  Result<MutableByteSpan> place_tensor(const TensorInfo& tensor) override {
    is_placed_ = tensor.raw_byte_count <= kMostBytes && tensor.name.size() % 4 != 3;
    if (!is_placed_) return MutableByteSpan();
    bytes_.assign(static_cast<size_t>(tensor.raw_byte_count), 0xEE);
    bytes_.shrink_to_fit();
    return MutableByteSpan(bytes_);
  }
  void on_tensor_complete(const TensorInfo& tensor) override {
    digest.add(tensor.name);
    if (is_placed_) digest.add(ByteSpan(bytes_));
  }
  Status on_late_metadata(VocabularyBytes vocabulary, AlignedBuffer mel_filterbank) override {
    for (uint32_t id = 0; id < vocabulary.token_count(); ++id)
      digest.add(as_text(vocabulary.token(id)));
    digest.add(std::as_const(mel_filterbank).bytes());
    return ok_status();
  }
  void on_section(const FileSection& section) override {
    digest.add(std::string_view(section.name));
    digest.add_number(section.offset);
    digest.add_number(section.byte_count);
  }
  void on_warning(std::string_view text) override { digest.add(text); }
  bool wants_metadata_text() const override { return wants_text_; }

  Digest digest;

 private:
  static constexpr uint64_t kMostBytes = 1 << 20;
  bool wants_text_;
  bool is_placed_ = false;
  std::vector<uint8_t> bytes_;
};

enum class Way { whole, pieces, pieces_in_place };

/// All bytes of one file.
inline Status push_all(DetectingReader& reader, ByteSpan file, uint32_t seed, Way way) {
  if (way == Way::whole) return reader.push(file);
  Pieces pieces(file, seed);
  while (!pieces.is_empty()) {
    const NextBytes next = way == Way::pieces_in_place ? reader.next_bytes() : NextBytes();
    if (next.place.empty()) {
      SUSURRUS_RETURN_IF_ERROR(reader.push(pieces.next()));
      continue;
    }
    const size_t count = std::min(next.place.size(), pieces.left().size());
    std::copy_n(pieces.left().begin(), count, next.place.begin());
    pieces.skip(count);
    SUSURRUS_RETURN_IF_ERROR(reader.push(next.place.first(count)));
  }
  return ok_status();
}

inline uint64_t model_outcome(const FuzzInput& input, Way way) {
  DigestSink sink(input.choice(0));
  DetectingReader reader(sink, DetectingReader::Wanted::model, open_converted_kind);
  if (input.choice(1)) reader.set_file_byte_count(input.file().size());
  Status status = push_all(reader, input.file(), input.seed(), way);
  if (status.has_value()) status = reader.finish();
  if (!status.has_value()) {
    sink.digest.add(status.error());
    FUZZ_CHECK(reader.push({}).error().code == ErrorCode::disabled_by_previous_error);
  }
  return sink.digest.value();
}

/// A model in one file.
inline void check_model_file(const FuzzInput& input) {
  const uint64_t whole = model_outcome(input, Way::whole);
  FUZZ_CHECK(model_outcome(input, Way::pieces) == whole);
  FUZZ_CHECK(model_outcome(input, Way::pieces_in_place) == whole);

  InspectSink inspected;
  DetectingReader reader(inspected, DetectingReader::Wanted::model, open_converted_kind);
  (void)reader.push(input.file());
  (void)reader.finish();
}

/// Half of what is tried has a checksum that fits, else nothing would come past it. `fix` puts it at the end of a file of at least
/// `least` bytes, whose length it keeps.
template <typename Fix>
size_t mutate_with_checksum(uint8_t* data, size_t size, size_t max_size, unsigned seed,
                            size_t least, Fix&& fix) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 2 != 0 || size < least + FuzzInput::kChoiceBytes) return size;
  std::vector<uint8_t> file(data, data + size - FuzzInput::kChoiceBytes);
  fix(file);
  std::copy(file.begin(), file.end(), data);
  return size;
}

}  // namespace susurrus::fuzz
