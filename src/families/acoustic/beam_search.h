#pragma once
#include <vector>

#include "families/acoustic/beam_options.h"
#include "families/acoustic/beam_vocabulary.h"
#include "families/acoustic/word_histories.h"

namespace susurrus {

/// What a beam search has made of the frames so far.
struct BeamResult {
  static constexpr uint32_t kNoWord = ~uint32_t{0};

  double score = 0;
  /// Emissions and ASG's transitions alone, and the language model before its weight.
  double emission_score = 0;
  double language_score = 0;
  // One entry for each frame:
  std::vector<uint32_t> tokens;
  /// The word that the frame's token completes; kNoWord.
  std::vector<uint32_t> words;
  /// The token's part of log softmax(emissions).
  std::vector<float> log_probabilities;
};

/// Beam search through emissions that come in pieces, with CTC or ASG: over the words of a lexicon or over free tokens (bw2l.md §2.4).
/// Results are those of PyPI's flashlight-text 0.0.7, its peculiarities included. Of hypotheses with one score that comes first which
/// was made first: from the better one before, with the earlier token in the lexicon or in the list of tokens, a longer word before a
/// complete one, and those before silence or a repeated token, and those before the blank. flashlight leaves that to its sorting.
class AcousticBeamSearch {
 public:
  /// The vocabulary outlives it.
  AcousticBeamSearch(const BeamVocabulary& vocabulary, const BeamOptions& options);

  const BeamVocabulary& vocabulary() const { return *vocabulary_; }
  const BeamOptions& options() const { return options_; }

  /// The next frames: [frames][tokens], finite numbers.
  void push(std::span<const float> emissions);
  /// No frame follows: the language model has its say on the end, and complete words go before others.
  void finish();

  /// Hypotheses, the best one first.
  size_t count() const { return beam_.size(); }
  BeamResult result(size_t index = 0) const;
  /// Frames that are the same in all hypotheses.
  size_t final_count() const;
  uint64_t byte_count() const;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// Hypotheses that are equal in history, node, token and is_blank are one.
  struct Hypothesis {
    double score = 0;
    double emission_score = 0;
    double language_score = 0;
    uint32_t history = WordHistories::kStart;
    uint32_t node = Lexicon::kRoot;
    uint32_t token = 0;
    bool is_blank = false;
    /// Its last step; of a candidate the one before.
    uint32_t step = 0;
    /// The word that its token completes.
    uint32_t word = BeamResult::kNoWord;
  };
  /// A frame of a hypothesis.
  struct Step {
    uint32_t parent = kNone;
    uint32_t token = 0;
    uint32_t word = BeamResult::kNoWord;
    float log_probability = 0;
  };

  void advance(std::span<const float> frame);
  void choose_tokens(std::span<const float> frame);
  double emission(std::span<const float> frame, const Hypothesis& before, uint32_t token) const;
  void extend_words(std::span<const float> frame, const Hypothesis& before);
  void extend_child(const Hypothesis& before, const Lexicon::Child& child, double emission);
  void extend_tokens(std::span<const float> frame, const Hypothesis& before);
  /// A candidate after `before`; `gain` is added to its score, without the language model's part.
  void add(const Hypothesis& before, uint32_t token, double emission, double gain, double language,
           uint32_t history, uint32_t node, bool is_blank, uint32_t word = BeamResult::kNoWord);
  double silence_score(uint32_t token) const {
    return token == vocabulary_->silence() ? options_.sil_score : 0;
  }
  /// Merges candidates and keeps the best.
  void store();
  /// Forgets steps and histories that no hypothesis has.
  void tidy();

  const BeamVocabulary* vocabulary_;
  BeamOptions options_;
  WordHistories histories_;
  std::vector<Hypothesis> beam_;
  std::vector<Hypothesis> candidates_;
  std::vector<uint32_t> order_;
  double best_ = 0;
  std::vector<Step> steps_;
  std::vector<uint32_t> tokens_;  // that are tried in a frame
  std::vector<bool> is_tried_;
  bool is_first_ = true;
  size_t next_tidying_;
};

}  // namespace susurrus
