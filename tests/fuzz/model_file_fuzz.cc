// Model files of every format: whatever the bytes, they are read or refused, and cutting them changes nothing.
#include <algorithm>

#include "container/apr2_builder.h"
#include "container/detecting_reader.h"
#include "container/inspection.h"
#include "fuzz_input.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace susurrus::fuzz {
namespace {

/// Takes part of the tensors, into memory of their own, and everything that is said about a file into a digest.
class DigestSink : public ModelSink {
 public:
  explicit DigestSink(bool wants_text) : wants_text_(wants_text) {}

  Status on_manifest(ModelManifest& manifest) override {
    digest.add(std::string_view(manifest.format));
    digest.add_number(manifest.flags);
    digest.add(manifest.metadata_text);
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

Status push_all(DetectingReader& reader, const FuzzInput& input, Way way) {
  if (way == Way::whole) return reader.push(input.file());
  Pieces pieces(input.file(), input.seed());
  while (!pieces.is_empty()) {
    const NextBytes next = way == Way::pieces_in_place ? reader.next_bytes() : NextBytes();
    if (next.place.empty()) {
      SUSURRUS_TRY(reader.push(pieces.next()));
      continue;
    }
    const size_t count = std::min(next.place.size(), pieces.left().size());
    std::copy_n(pieces.left().begin(), count, next.place.begin());
    pieces.skip(count);
    SUSURRUS_TRY(reader.push(next.place.first(count)));
  }
  return ok_status();
}

uint64_t outcome(const FuzzInput& input, Way way) {
  DigestSink sink(input.choice(0));
  DetectingReader reader(sink);
  if (input.choice(1)) reader.set_file_byte_count(input.file().size());
  Status status = push_all(reader, input, way);
  if (status.has_value()) status = reader.finish();
  if (!status.has_value()) {
    sink.digest.add(status.error());
    FUZZ_CHECK(reader.push({}).error().code == ErrorCode::disabled_by_previous_error);
  }
  return sink.digest.value();
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus::fuzz;
  const FuzzInput input(data, size);
  const uint64_t whole = outcome(input, Way::whole);
  FUZZ_CHECK(outcome(input, Way::pieces) == whole);
  FUZZ_CHECK(outcome(input, Way::pieces_in_place) == whole);

  susurrus::InspectSink inspected;
  susurrus::DetectingReader reader(inspected);
  (void)reader.push(input.file());
  (void)reader.finish();
  return 0;
}

/// Half of what is tried has a footer that fits, else nothing would come past the checksum.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace susurrus;
  size = LLVMFuzzerMutate(data, size, max_size);
  constexpr size_t kFooterAndChoices = 16 + fuzz::FuzzInput::kChoiceBytes;
  if (seed % 2 != 0 || size < kFooterAndChoices) return size;
  testing::Bytes file(data, data + size - fuzz::FuzzInput::kChoiceBytes);
  testing::fix_crc(file);
  std::copy(file.begin(), file.end(), data);
  return size;
}
