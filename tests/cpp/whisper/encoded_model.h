// Models made of random weights, with something encoded in them.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "session/whisper_model.h"
#include "whisper/random_model.h"

namespace susurrus::testing {

/// Takes the store; null, and a failed case, where the model does not come about.
std::unique_ptr<WhisperModel> make_model(RandomModel& random, const KernelTable& kernels);

/// Random log-mel in the model's window, which is also answered.
std::vector<double> fill_mel(WhisperModel& model, uint64_t seed);

/// The whole window, or its first `positions`.
void encode(WhisperModel& model);
void encode(WhisperModel& model, size_t positions);

/// Always the same ones.
std::vector<uint32_t> random_tokens(size_t count, uint32_t n_vocab);

/// The largest difference over the largest value; not a number if there is one.
double relative_error(std::span<const float> actual, const double* exact);

}  // namespace susurrus::testing
