// TenniS modules: the graph and its rules, packed tensors.
#include "container/tennis/tennis_describer.h"
#include "rewritten_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  fuzz::check_rewritten_file<TennisDescriber>(fuzz::FuzzInput(data, size));
  return 0;
}
