#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/decode_options.h"
#include "session/whisper_model.h"

namespace susurrus {

class AlignmentCosts;

/// Positions of the encoder's output, to which cross-attention attends.
inline constexpr double kPositionsPerSecond = 50;

/// A word of a window's text with the times at which it is spoken, in seconds from the window's beginning.
struct WordTiming {
  std::string word;
  std::vector<uint32_t> tokens;
  double start = 0;
  double end = 0;
  float probability = 0;
};

/// When each word of a known text is spoken: one traced pass over the text, the cross-attention of the alignment heads,
/// and dynamic time warping over their mean (the reference's find_alignment). The window must be encoded.
class WordAligner {
 public:
  /// `text_tokens`: without timestamps and control tokens. `frame_count`: mel frames of the window with content.
  /// Takes the memory it needs here.
  static Result<std::unique_ptr<WordAligner>> create(WhisperModel& model, std::string_view language,
                                                     Task task,
                                                     std::span<const uint32_t> text_tokens,
                                                     uint64_t frame_count);
  virtual ~WordAligner() = default;
  /// One bounded piece of work; true when done.
  virtual Result<bool> step() = 0;
  /// Not yet joined with punctuation; empty where there are fewer than two words, counting the end of the text.
  virtual std::vector<WordTiming>& words() = 0;
  /// What words were placed by: the costs of each token of the text and of its end, and the path through them. Null where
  /// there is no text; complete when done.
  virtual const AlignmentCosts* costs() const = 0;
};

}  // namespace susurrus
