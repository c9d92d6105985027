// Checkpoints of every format: ggml, GGUF, SafeTensors, CTranslate2. Weights that are left out and weights that are read and
// thrown away are the same.
#include "container/checkpoint_reader.h"
#include "fuzz_input.h"

namespace susurrus::fuzz {
namespace {

/// What a caller does with bytes that do not matter.
enum class Skips { never, always, partly };

Status read(CheckpointReader& reader, const FuzzInput& input, Skips skips) {
  const ByteSpan file = input.file();
  Pieces pieces(file, input.seed());
  for (uint32_t round = input.seed(); !pieces.is_empty() && !reader.is_complete(); ++round) {
    uint64_t count = skips == Skips::never ? 0 : reader.skippable();
    FUZZ_CHECK(count <= pieces.left().size());
    if (skips == Skips::partly) count = round % 3 == 0 ? 0 : count / (1 + round % 3);
    reader.skip(count);
    pieces.skip(static_cast<size_t>(count));
    if (skips == Skips::never) {
      SUSURRUS_RETURN_IF_ERROR(reader.push(pieces.left()));
      pieces.skip(pieces.left().size());
    } else {
      SUSURRUS_RETURN_IF_ERROR(reader.push(pieces.next()));
    }
  }
  return reader.finish();
}

void add(Digest& digest, const Checkpoint& checkpoint, size_t file_byte_count) {
  digest.add(std::string_view(checkpoint.format));
  digest.add_number(checkpoint.dimensions.has_value() ? checkpoint.dimensions->n_audio_state : 0);
  digest.add_number(checkpoint.has_byte_level_text);
  digest.add(std::as_const(checkpoint.mel_filterbank).bytes());
  for (uint32_t id = 0; id < checkpoint.vocabulary.token_count(); ++id)
    digest.add(as_text(checkpoint.vocabulary.token(id)));
  for (const std::string& warning : checkpoint.warnings) digest.add(std::string_view(warning));
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    const TensorInfo& info = tensor.info;
    FUZZ_CHECK(info.stored_byte_count <= file_byte_count);
    FUZZ_CHECK(info.file_offset <= file_byte_count - info.stored_byte_count);
    digest.add(std::string_view(info.name));
    digest.add_number(info.file_offset);
    digest.add_number(info.stored_byte_count);
    digest.add_number(tensor.row_divisors.size());
  }
}

uint64_t outcome(const FuzzInput& input, Skips skips) {
  const ByteSpan file = input.file();
  Digest digest;
  auto opened = open_checkpoint(file.first(std::min<size_t>(file.size(), 64)), file.size());
  if (!opened.has_value()) {
    digest.add(opened.error());
    return digest.value();
  }
  CheckpointReader& reader = **opened;
  const Status status = read(reader, input, skips);
  if (!status.has_value()) {
    digest.add(status.error());
    FUZZ_CHECK(reader.push({}).error().code == ErrorCode::disabled_by_previous_error);
  } else {
    add(digest, reader.checkpoint(), file.size());
  }
  return digest.value();
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  using namespace susurrus::fuzz;
  // The filterbank of a ggml file is 64 kB, into which no reader looks: inputs leave it out.
  std::vector<uint8_t> bytes(data, data + size);
  constexpr size_t kGgmlHeaderBytes = 56;
  if (size > kGgmlHeaderBytes && FuzzInput(data, size).choice(3) &&
      as_text(ByteSpan(bytes).first(4)) == "lmgg") {
    bytes.insert(bytes.begin() + kGgmlHeaderBytes, size_t{80} * 201 * sizeof(float), 0);
  }
  const FuzzInput input(bytes.data(), bytes.size());
  const uint64_t whole = outcome(input, Skips::never);
  FUZZ_CHECK(outcome(input, Skips::always) == whole);
  FUZZ_CHECK(outcome(input, Skips::partly) == whole);
  return 0;
}
