#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "families/acoustic/acoustic_session.h"

namespace susurrus::testing {

/// A BW2L model without a file around it.
class SmallAcoustic {
 public:
  SmallAcoustic();

  SmallAcoustic& flag(const std::string& name, const std::string& value);
  /// Adds a layer with arrays of these sizes, with numbers from -1 to 1.
  SmallAcoustic& add(const std::string& line, const std::vector<size_t>& counts = {});
  SmallAcoustic& add_values(const std::string& line, const std::vector<std::vector<float>>& arrays);
  SmallAcoustic& transitions(const std::vector<float>& values);

  std::vector<std::string> tokens = {"|", "a", "b"};

  Result<std::unique_ptr<AcousticModel>> make() const;

 private:
  float draw();
  Bw2lArray store(const std::vector<float>& values);

  Bw2lModel model_;
  std::vector<uint8_t> file_;
  uint32_t state_ = 1;
};

/// From -1 to 1, with loud and quiet parts.
std::vector<float> drawn_samples(size_t count);

struct SessionRun {
  std::vector<float> emissions;
  AcousticResult result;
  /// What result() said before the end, whenever emissions were ready.
  std::vector<AcousticResult> before;
  uint64_t byte_count = 0;
  size_t step_count = 0;
};
/// A whole recording in pieces of `piece` samples, in steps of `cost`.
Result<SessionRun> run_session(const AcousticModel& model, const std::vector<float>& samples,
                               double chunk_seconds = 3600, size_t piece = 1 << 30,
                               uint64_t cost = ~uint64_t{0},
                               const BeamVocabulary* vocabulary = nullptr,
                               const BeamOptions& beam = {});

}  // namespace susurrus::testing
