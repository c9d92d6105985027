// .april files, with the ONNX networks in them.
#include "container/april/april_describer.h"
#include "rewritten_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  fuzz::check_rewritten_file<AprilDescriber>(fuzz::FuzzInput(data, size));
  return 0;
}
