#include "session/networks/model_rate.h"

namespace susurrus {

Result<ModelRate> ModelRate::make(uint32_t rate) {
  ModelRate made(rate);
  if (rate == kSampleRate) return made;
  SUSURRUS_ASSIGN_OR_RETURN(made.resampler_, Resampler::create(kSampleRate, rate));
  const size_t room = made.resampler_->output_bound(kMostSamples);
  SUSURRUS_ASSIGN_OR_RETURN(made.output_,
                            AlignedBuffer::allocate(room * sizeof(float), "resampler"));
  return made;
}

std::span<const float> ModelRate::push(std::span<const float> samples) {
  if (!resampler_) return samples;
  float* output = output_.floats().data();
  return {output, resampler_->push(samples, output)};
}

Result<std::span<const float>> ModelRate::finish() {
  if (!resampler_) return std::span<const float>();
  float* output = output_.floats().data();
  const size_t count = resampler_->finish(output);
  SUSURRUS_ASSIGN_OR_RETURN(resampler_, Resampler::create(kSampleRate, rate_));
  return std::span<const float>(output, count);
}

}  // namespace susurrus
