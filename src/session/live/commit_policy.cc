#include "session/live/commit_policy.h"

#include <algorithm>

namespace susurrus {
namespace {

/// The least sound after a word: with less, a word may be committed before its end is known.
constexpr double kLeastBehind = 0.4;  // seconds
/// The probability of a word that needs no second hypothesis.
constexpr double kSure = 0.75;
/// Sound after an improbable word that is enough: what comes later hardly changes it.
constexpr double kLongBehind = 2.4;  // seconds

/// Commits words from the first one on, while they are safe, and remembers the others.
class WordByWordPolicy : public CommitPolicy {
 public:
  size_t commit(std::span<const ProvisionalWord> words, double seconds) final {
    size_t count = 0;
    while (count < words.size() && is_safe(words, count, seconds)) ++count;
    before_.clear();
    for (const ProvisionalWord& word : words.subspan(count)) before_.push_back(word.text);
    return count;
  }
  void forget() final { before_.clear(); }

 protected:
  virtual bool is_safe(std::span<const ProvisionalWord> words, size_t index,
                       double seconds) const = 0;
  /// The hypothesis before has the same word in this place.
  bool is_agreed(std::span<const ProvisionalWord> words, size_t index) const {
    return index < before_.size() && before_[index] == words[index].text;
  }

 private:
  /// The words of the hypothesis before that were not committed.
  std::vector<std::string> before_;
};

/// AlignAtt: a word is safe when its sound is far enough from the end (Papi, Turchi, Negri:
/// AlignAtt, Interspeech 2023). The last word is not, as its next token may extend it. An
/// improbable one is safe only if the hypothesis before had it too, or if much sound has arrived
/// since.
class AttentionPolicy final : public WordByWordPolicy {
  bool is_safe(std::span<const ProvisionalWord> words, size_t index,
               double seconds) const override {
    const ProvisionalWord& word = words[index];
    const double behind = seconds - std::max(word.heard_at, word.end);
    if (index + 1 == words.size() || behind < kLeastBehind) return false;
    return word.probability >= kSure || is_agreed(words, index) || behind >= kLongBehind;
  }
};

/// LocalAgreement-2: a word is safe when two hypotheses in a row have it (Liu, Spanakis, Niehues: Low-latency sequence-to-sequence
/// speech recognition by partial hypothesis selection, Interspeech 2020; Macháček, Dabre, Bojar: Whisper-Streaming, 2023).
class AgreementPolicy final : public WordByWordPolicy {
  bool is_safe(std::span<const ProvisionalWord> words, size_t index, double) const override {
    return is_agreed(words, index);
  }
};

}  // namespace

std::unique_ptr<CommitPolicy> CommitPolicy::make(CommitPolicyKind kind) {
  if (kind == CommitPolicyKind::agreement) return std::make_unique<AgreementPolicy>();
  return std::make_unique<AttentionPolicy>();
}

}  // namespace susurrus
