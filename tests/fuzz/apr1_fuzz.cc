// APR1 files of all three layouts: whatever the bytes, they are read or rejected, and cutting them changes nothing.
#include "container/apr1_builder.h"
#include "model_reading.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus::fuzz;
  check_model_file(FuzzInput(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace susurrus;
  return fuzz::mutate_with_checksum(data, size, max_size, seed, 4, [](testing::Bytes& file) {
    file.resize(file.size() - 4);
    testing::append_apr1_crc(file);
  });
}
