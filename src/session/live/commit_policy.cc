#include "session/live/commit_policy.h"

#include <algorithm>

namespace susurrus {
namespace {

/// Sound behind the place that the model listened to. Less, and words are committed whose end was not heard.
constexpr double kLeastBehind = 0.4;  // seconds

/// AlignAtt: a word is safe when the sound that it was heard in lies far enough from the end (Papi, Turchi, Negri: AlignAtt, Interspeech
/// 2023). Not the last one, whose next token may go on with it.
class AttentionPolicy final : public CommitPolicy {
 public:
  size_t commit(std::span<const ProvisionalWord> words, double seconds) override {
    size_t count = 0;
    while (count + 1 < words.size() &&
           std::max(words[count].heard_at, words[count].end) + kLeastBehind <= seconds)
      ++count;
    return count;
  }
  void forget() override {}
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
