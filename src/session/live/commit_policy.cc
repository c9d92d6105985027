#include "session/live/commit_policy.h"

#include <algorithm>

namespace susurrus {
namespace {

/// Sound behind the place that the model listened to. Less, and words are committed whose end was not heard.
constexpr double kLeastBehind = 0.4;  // seconds
/// The probability of a word that needs no second hypothesis.
constexpr double kSure = 0.7;
/// Sound behind an improbable word that is enough: what comes later hardly changes it.
constexpr double kLongBehind = 1.5;  // seconds

/// AlignAtt: a word is safe when the sound that it was heard in lies far enough from the end (Papi, Turchi, Negri: AlignAtt, Interspeech
/// 2023). Not the last one, whose next token may go on with it; and an improbable one only when the hypothesis before had it, too, or
/// when much sound has come since.
class AttentionPolicy final : public CommitPolicy {
 public:
  size_t commit(std::span<const ProvisionalWord> words, double seconds) override {
    size_t count = 0;
    while (count + 1 < words.size() && is_safe(words[count], count, seconds)) ++count;
    before_.clear();
    for (const ProvisionalWord& word : words.subspan(count)) before_.push_back(word.text);
    return count;
  }
  void forget() override { before_.clear(); }

 private:
  bool is_safe(const ProvisionalWord& word, size_t index, double seconds) const {
    const double behind = seconds - std::max(word.heard_at, word.end);
    if (behind < kLeastBehind) return false;
    const bool is_agreed = index < before_.size() && before_[index] == word.text;
    return word.probability >= kSure || is_agreed || behind >= kLongBehind;
  }

  /// The words of the hypothesis before that were not committed.
  std::vector<std::string> before_;
};

/// LocalAgreement-2: a word is safe when two hypotheses in a row have it (Liu, Spanakis, Niehues: Low-latency sequence-to-sequence
/// speech recognition by partial hypothesis selection, Interspeech 2020; Macháček, Dabre, Bojar: Whisper-Streaming, 2023).
class AgreementPolicy final : public CommitPolicy {
 public:
  size_t commit(std::span<const ProvisionalWord> words, double) override {
    size_t count = 0;
    while (count < words.size() && count < before_.size() && words[count].text == before_[count])
      ++count;
    before_.clear();
    for (const ProvisionalWord& word : words.subspan(count)) before_.push_back(word.text);
    return count;
  }
  void forget() override { before_.clear(); }

 private:
  /// The words of the hypothesis before that were not committed.
  std::vector<std::string> before_;
};

}  // namespace

std::unique_ptr<CommitPolicy> CommitPolicy::make(CommitPolicyKind kind) {
  if (kind == CommitPolicyKind::agreement) return std::make_unique<AgreementPolicy>();
  return std::make_unique<AttentionPolicy>();
}

}  // namespace susurrus
