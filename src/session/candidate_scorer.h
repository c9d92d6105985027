#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/whisper_model.h"

namespace susurrus {

/// How probable a text is, given a window.
struct CandidateScore {
  std::string text;
  std::vector<uint32_t> tokens;
  /// Sum over the text's tokens and <|endoftext|>.
  double logprob = 0;
  /// That divided by the number of tokens, <|endoftext|> counted.
  double avg_logprob = 0;
};

/// Log probabilities of given texts for the window in mel_window(), without timestamps.
class CandidateScorer {
 public:
  /// Language, task and prompt are those of `options`. invalid_argument for no candidate, or one that the text context
  /// cannot hold.
  static Result<std::unique_ptr<CandidateScorer>> create(WhisperModel& model,
                                                         const DecodeOptions& options,
                                                         std::vector<std::string> candidates);
  virtual ~CandidateScorer() = default;
  virtual Result<bool> step() = 0;
  /// In the order of the candidates.
  virtual const std::vector<CandidateScore>& scores() const = 0;
  virtual std::string_view language() const = 0;
};

}  // namespace susurrus
