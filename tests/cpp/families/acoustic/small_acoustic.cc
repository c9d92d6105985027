#include "families/acoustic/small_acoustic.h"

#include <algorithm>
#include <cmath>

#include "base/append.h"

namespace susurrus::testing {

SmallAcoustic::SmallAcoustic() {
  for (const auto& [name, type] : {std::pair("flags", "keyval"), {"layers", "layers"}}) {
    Bw2lSection& section = model_.sections.emplace_back();
    section.name = name;
    section.type = type;
  }
}

SmallAcoustic& SmallAcoustic::flag(const std::string& name, const std::string& value) {
  model_.sections[0].pairs.push_back({name, value, 0});
  return *this;
}

float SmallAcoustic::draw() {
  state_ = state_ * 1664525 + 1013904223;
  return static_cast<float>(state_ >> 8) / (1 << 23) - 1;
}

Bw2lArray SmallAcoustic::store(const std::vector<float>& values) {
  const Bw2lArray array{Bw2lDtype::fp32, values.size(), 0, file_.size()};
  for (const float value : values) append(file_, value);
  return array;
}

SmallAcoustic& SmallAcoustic::add(const std::string& line, const std::vector<size_t>& counts) {
  std::vector<std::vector<float>> arrays;
  for (const size_t count : counts) {
    std::vector<float>& values = arrays.emplace_back(count);
    for (float& value : values) value = draw();
  }
  return add_values(line, arrays);
}

SmallAcoustic& SmallAcoustic::add_values(const std::string& line,
                                         const std::vector<std::vector<float>>& arrays) {
  Bw2lLayer& layer = model_.sections[1].layers.emplace_back();
  layer.arch = line;
  for (const std::vector<float>& values : arrays) layer.arrays.push_back(store(values));
  return *this;
}

SmallAcoustic& SmallAcoustic::transitions(const std::vector<float>& values) {
  Bw2lSection& section = model_.sections.emplace_back();
  section.name = "transitions";
  section.type = "array";
  section.array = store(values);
  return *this;
}

Result<std::unique_ptr<AcousticModel>> SmallAcoustic::make() const {
  std::vector<std::string> warnings;
  SUSURRUS_ASSIGN_OR_RETURN(const Bw2lSettings settings,
                            read_bw2l_settings(model_, tokens.size(), warnings));
  return AcousticModel::make(model_, settings, tokens, file_);
}

std::vector<float> drawn_samples(size_t count) {
  std::vector<float> samples(count);
  uint32_t state = 7;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    const double loudness = 0.5 + 0.45 * std::sin(static_cast<double>(i) / 900);
    samples[i] = static_cast<float>(loudness * (static_cast<double>(state >> 8) / (1 << 23) - 1));
  }
  return samples;
}

Result<SessionRun> run_session(const AcousticModel& model, const std::vector<float>& samples,
                               double chunk_seconds, size_t piece, uint64_t cost,
                               const BeamVocabulary* vocabulary, const BeamOptions& beam) {
  SUSURRUS_ASSIGN_OR_RETURN(const auto session,
                            AcousticSession::make(model, {chunk_seconds, vocabulary, beam}));
  SessionRun run;
  const size_t channels = model.channel_count();
  const size_t count = samples.size() / channels;
  for (size_t at = 0;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const AcousticStep step, session->step(cost));
    ++run.step_count;
    if (step == AcousticStep::done) break;
    if (step == AcousticStep::emissions_ready) {
      const auto frames = session->emissions();
      SUSURRUS_CHECK(session->first_frame() * model.tokens().size() == run.emissions.size());
      run.emissions.insert(run.emissions.end(), frames.begin(), frames.end());
      run.before.push_back(session->result());
    }
    if (step != AcousticStep::need_samples) continue;
    if (at == count) {
      session->finish();
      continue;
    }
    const size_t end = std::min(count, at + piece);
    std::vector<float> part;
    for (size_t channel = 0; channel < channels; ++channel) {
      for (size_t i = at; i < end; ++i) part.push_back(samples[channel * count + i]);
    }
    session->feed(part);
    at = end;
  }
  run.result = session->result();
  run.byte_count = session->byte_count();
  return run;
}

}  // namespace susurrus::testing
