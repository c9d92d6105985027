// ARPA texts: the same language model, or the same error, however the text is cut.
#include "families/acoustic/arpa_reader.h"

#include <bit>
#include <cmath>

#include "fuzz_input.h"

namespace susurrus::fuzz {
namespace {

void add_scores(const ArpaModel& model, uint32_t seed, Digest& digest) {
  digest.add_number(model.order());
  ArpaModel::Context context = model.begin();
  for (int i = 0; i < 64; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const float score = model.score(context, (seed >> 24) % 8, context);
    FUZZ_CHECK(std::isfinite(score) && context.size < ArpaModel::kMostOrder);
    digest.add_number(std::bit_cast<uint32_t>(score));
  }
  FUZZ_CHECK(std::isfinite(model.end_score(context)));
}

uint64_t outcome(const FuzzInput& input, bool is_cut) {
  ArpaReader reader;
  reader.set_byte_count(input.file().size());
  Digest digest;
  Status status = ok_status();
  if (!is_cut) status = reader.push(input.file());
  Pieces pieces(input.file(), input.seed());
  while (is_cut && status.has_value() && !pieces.is_empty()) status = reader.push(pieces.next());
  if (!status.has_value()) {
    digest.add(status.error());
    return digest.value();
  }
  const auto model = reader.finish();
  if (model.has_value()) {
    add_scores(*model, input.seed(), digest);
  } else {
    digest.add(model.error());
  }
  return digest.value();
}

}  // namespace
}  // namespace susurrus::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const susurrus::fuzz::FuzzInput input(data, size);
  FUZZ_CHECK(susurrus::fuzz::outcome(input, true) == susurrus::fuzz::outcome(input, false));
  return 0;
}
