#pragma once
#include <array>
#include <span>
#include <vector>

#include "base/result.h"
#include "families/transducer/transducer_vocabulary.h"

namespace susurrus {

/// A token that was found.
struct TransducerToken {
  static constexpr uint8_t kBeginsWord = 1;
  static constexpr uint8_t kEndsSentence = 2;

  uint32_t id = 0;
  uint8_t flags = 0;
  /// As the joiner gave it, no probability; 8 less while the token is only tentative.
  float logit = 0;
  uint64_t time_ms = 0;
  /// Among all tokens, the blank with them.
  float probability = 0;
};

struct TransducerEvent {
  enum class Type : uint8_t {
    /// In place of the partial before it; may have no tokens.
    partial = 1,
    /// Never changes; the next partial begins anew.
    final = 2,
    /// More than two seconds without a token. Has no tokens.
    silence = 4,
  };
  Type type = Type::partial;
  /// The stream's time when the event is made.
  uint64_t now_ms = 0;
  /// Good only during the call.
  std::span<const TransducerToken> tokens;
};

class TransducerListener {
 public:
  virtual ~TransducerListener() = default;
  virtual void on_event(const TransducerEvent& event) = 0;
};

/// The networks after the encoder.
class TransducerScorer {
 public:
  virtual ~TransducerScorer() = default;
  /// The tokens before the next one, the last of them last.
  virtual Status set_context(std::span<const int64_t> tokens) = 0;
  /// The joiner's output for the encoder's current output after that context, one number for each
  /// token; valid until the next call.
  virtual Result<std::span<const float>> logits() = 0;
};

/// april-asr's greedy search (april.md §2.4): at most three tokens for each output of the encoder, reported as they come and again
/// when they are final. Allocates only when it is made.
class TransducerSearch {
 public:
  /// All must outlive it. `context_size` is at least 2.
  TransducerSearch(const TransducerVocabulary& vocabulary, size_t context_size,
                   TransducerScorer& scorer, TransducerListener& listener);

  /// Takes the encoder's output at `now_ms`, which never falls. malformed: logits that are not finite.
  Status advance(uint64_t now_ms);
  /// Makes all tokens final and forgets the context.
  Status finish(uint64_t now_ms);

 private:
  static constexpr size_t kMostActive = 71;

  struct Candidate {
    TransducerToken token;
    float blank = 0;
    bool is_punctuation = false;
    /// The token before it in the context is the same.
    bool is_repeated = false;
  };
  /// One step; true for a token, false for a blank.
  Result<bool> step(float early);
  Status best_candidate(Candidate& best);
  void classify(Candidate& candidate) const;
  Status accept(const TransducerToken& token);
  Status refuse(const Candidate& candidate);
  void finalise_before(const TransducerToken& token);
  void finalise_all();
  void report(TransducerEvent::Type type, size_t count);
  Status report_silence();
  Status clear_context();
  std::span<const TransducerToken> active() const {
    return std::span(active_).first(active_count_);
  }

  const TransducerVocabulary* vocabulary_;
  TransducerScorer* scorer_;
  TransducerListener* listener_;
  std::vector<int64_t> context_;
  bool has_begun_ = false;
  uint64_t now_ms_ = 0;
  uint64_t last_token_ms_ = 0;
  bool is_silence_reported_ = true;
  /// Tokens that are not final yet. The slot after the last one keeps what it had: a tentative or
  /// an earlier token.
  std::array<TransducerToken, kMostActive + 1> active_ = {};
  size_t active_count_ = 0;
  size_t reported_count_ = 0;  // of the last event with tokens
};

}  // namespace susurrus
