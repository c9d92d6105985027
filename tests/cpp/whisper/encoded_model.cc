#include "whisper/encoded_model.h"

#include <algorithm>
#include <cmath>

namespace susurrus::testing {

std::unique_ptr<WhisperModel> make_model(RandomModel& random, const KernelTable& kernels) {
  auto model = WhisperModel::create(std::move(random.store), kernels);
  if (!model) {
    report_failure(__FILE__, __LINE__, std::string(model.error().subject.view()));
    return nullptr;
  }
  return std::move(model).value();
}

std::vector<double> fill_mel(WhisperModel& model, uint64_t seed) {
  Random random(seed);
  std::vector<double> mel;
  for (float& value : model.mel_window()) {
    value = random.bell();
    mel.push_back(value);
  }
  return mel;
}

void encode(WhisperModel& model) { encode(model, model.dimensions().n_audio_ctx); }

void encode(WhisperModel& model, size_t positions) {
  model.begin_encode(positions);
  while (!model.encode_step()) {
  }
}

std::vector<uint32_t> random_tokens(size_t count, uint32_t n_vocab) {
  Random random(5);
  std::vector<uint32_t> tokens;
  for (size_t i = 0; i < count; ++i) tokens.push_back(static_cast<uint32_t>(random.below(n_vocab)));
  return tokens;
}

/// The largest difference over the largest value.
double relative_error(std::span<const float> actual, const double* exact) {
  double worst = 0;
  double largest = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::fabs(actual[i] - exact[i]);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
    largest = std::max(largest, std::fabs(exact[i]));
  }
  return worst / largest;
}

}  // namespace susurrus::testing
