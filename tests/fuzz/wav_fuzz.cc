// WAV files: the same samples however the file is cut.
#include "audio/wav_reader.h"
#include "fuzz_input.h"

namespace susurrus::fuzz {
namespace {

Status read_piece(WavReader& reader, ByteSpan piece, Digest& digest) {
  float samples[64];
  while (!piece.empty()) {
    Result<size_t> count = reader.read(piece, samples);
    if (!count.has_value()) return count.error();
    FUZZ_CHECK(*count <= std::size(samples));
    digest.add({reinterpret_cast<const uint8_t*>(samples), *count * sizeof(float)});
  }
  return ok_status();
}

uint64_t outcome(const FuzzInput& input, bool is_cut) {
  WavReader reader;
  Digest digest;
  Status status = ok_status();
  if (!is_cut) status = read_piece(reader, input.file(), digest);
  Pieces pieces(input.file(), input.seed());
  while (is_cut && status.has_value() && !pieces.is_empty()) {
    status = read_piece(reader, pieces.next(), digest);
  }
  if (status.has_value()) status = reader.finish();
  if (!status.has_value()) digest.add(status.error());
  digest.add_number(reader.has_format() ? reader.format().sample_rate : 0);
  digest.add_number(status.has_value() && reader.is_truncated());
  return digest.value();
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const susurrus::fuzz::FuzzInput input(data, size);
  FUZZ_CHECK(susurrus::fuzz::outcome(input, true) == susurrus::fuzz::outcome(input, false));
  return 0;
}
