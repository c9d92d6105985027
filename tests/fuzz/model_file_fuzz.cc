// Model files of every format: whatever the bytes, they are read or refused, and cutting them changes nothing.
#include "container/apr2_builder.h"
#include "container/inspection.h"
#include "model_reading.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace susurrus::fuzz {
namespace {

uint64_t outcome(const FuzzInput& input, Way way) {
  DigestSink sink(input.choice(0));
  DetectingReader reader(sink);
  if (input.choice(1)) reader.set_file_byte_count(input.file().size());
  Status status = push_all(reader, input.file(), input.seed(), way);
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
