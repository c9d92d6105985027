// The JSON metadata of APR2 files, vocabulary and filterbank among them.
#include "base/json_document.h"
#include "container/apr2/apr2_metadata.h"
#include "fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace susurrus;
  const fuzz::FuzzInput input(data, size);
  auto document = JsonDocument::parse(as_text(input.file()), JsonOrigin{64});
  if (!document.has_value()) {
    const Error& error = document.error();
    FUZZ_CHECK(error.offset == kNoOffset || error.offset <= 64 + input.file().size());
    return 0;
  }
  auto metadata = read_apr2_metadata(*document, input.choice(0) ? 2 : 1, 64);
  if (!metadata.has_value()) return 0;
  const VocabularyBytes& vocabulary = metadata->model.vocabulary;
  size_t byte_count = 0;
  for (uint32_t id = 0; id < vocabulary.token_count(); ++id)
    byte_count += vocabulary.token(id).size();
  FUZZ_CHECK(byte_count <= 4 * input.file().size());
  return 0;
}
