// APR1 files of all three layouts: whatever the bytes, they are read or refused, and cutting them changes nothing.
#include "container/apr1_builder.h"
#include "model_reading.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus::fuzz;
  check_model_file(FuzzInput(data, size));
  return 0;
}

/// Half of what is tried has a checksum that fits.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace susurrus;
  size = LLVMFuzzerMutate(data, size, max_size);
  constexpr size_t kChecksumAndChoices = 4 + fuzz::FuzzInput::kChoiceBytes;
  if (seed % 2 != 0 || size < kChecksumAndChoices) return size;
  testing::Bytes file(data, data + size - kChecksumAndChoices);
  testing::append_apr1_crc(file);
  std::copy(file.begin(), file.end(), data);
  return size;
}
