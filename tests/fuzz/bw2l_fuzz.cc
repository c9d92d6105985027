// BW2L files: sections of every type, settings, layers.
#include "container/bw2l/bw2l_describer.h"
#include "rewritten_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  fuzz::check_rewritten_file<Bw2lDescriber>(fuzz::FuzzInput(data, size));
  return 0;
}
