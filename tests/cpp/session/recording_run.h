// Whole recordings on small random models, with the promises that hold for every one of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "session/transcriber.h"

namespace susurrus::testing {

/// kOddDimensions: a window is 0.74 s.
std::unique_ptr<WhisperModel> small_model(uint64_t seed, bool is_multilingual = true);

/// Bursts of 0.1 s: steady noise would be silence to the default mode.
std::vector<float> noise(size_t count, uint64_t seed = 99);

/// Random weights find silence anywhere: thresholds are off, temperature is 0 alone.
TranscribeOptions plain_options(std::string_view language, bool timestamps = true);

struct Outcome {
  bool is_done = false;
  std::vector<Segment> segments;
  std::vector<Segment> rejected;
  std::string text;
  std::string language;
  std::string languages;
  size_t steps = 0;
  std::vector<AudioRequest> requests;
  /// Kept on the way.
  struct State {
    std::string json;
    size_t segment_count = 0;
    size_t rejected_count = 0;
  };
  std::vector<State> states;
};

enum class Feed : uint8_t {
  whole,
  /// The length is unknown; the end is announced when a request reaches past it.
  stream,
};

/// Lends only the samples asked for. Checks that work ends, never asks for more than a window, nor twice for what a
/// stream has let go, that progress never falls, and that nothing is both kept and dropped.
Outcome transcribe(WhisperModel& model, const TranscribeOptions& options,
                   const std::vector<float>& samples, Feed feed = Feed::whole);

/// Goes on from one of the states of an earlier run; its segments and rejected ones come first in the outcome.
Outcome resume(WhisperModel& model, const TranscribeOptions& options,
               const std::vector<float>& samples, Feed feed, const Outcome& earlier,
               const Outcome::State& state);

/// The contract of the default mode.
void expect_time_contract(const Outcome& outcome, double seconds);

}  // namespace susurrus::testing
