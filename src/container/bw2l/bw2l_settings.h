#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "container/bw2l/bw2l_model.h"

namespace susurrus {

enum class Bw2lCriterion : uint8_t { ctc, asg, seq2seq, transformer };
enum class Bw2lFeature : uint8_t { raw, mfsc, mfcc, pow };
std::string_view bw2l_criterion_name(Bw2lCriterion criterion);
std::string_view bw2l_feature_name(Bw2lFeature feature);

/// What config and flags say, each with its default (bw2l.md §2.3).
struct Bw2lSettings {
  Bw2lCriterion criterion = Bw2lCriterion::ctc;
  Bw2lFeature feature = Bw2lFeature::raw;
  double samplerate = 16000;
  double frame_size_ms = 25;
  double frame_stride_ms = 10;
  double filterbanks = 40;
  uint64_t replabel = 0;
  bool has_eos_token = false;
};

/// Reads the settings of `model`, which has `token_count` tokens if it has any list of them, and checks them (bw2l.md §4,
/// 29 to 32). What is odd but harmless, and a criterion that cannot be run, go to `warnings`.
Result<Bw2lSettings> read_bw2l_settings(const Bw2lModel& model, std::optional<uint64_t> token_count,
                                        std::vector<std::string>& warnings);

// Single flags, for the engine.

/// Whether a flag is true as gflags has it; false where it is not there.
bool read_bw2l_flag(const Bw2lModel& model, const char* flag);
/// `number` keeps its default when the flag is not there. malformed, with its place: no number, or less than `least`.
Status read_bw2l_number(const Bw2lModel& model, const char* flag, double least, double& number);

}  // namespace susurrus
