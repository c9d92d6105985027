#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace susurrus {

/// A recognised word that may still change.
struct ProvisionalWord {
  std::string text;  // as spoken, white space included
  std::vector<uint32_t> tokens;
  /// Seconds from the beginning of the window.
  double start = 0;
  double end = 0;
  float probability = 0;
  /// Where the model listened to when it said the word's last token: seconds from the beginning of the window.
  double heard_at = 0;
  /// As callers are told: decisions are made by the aligner's times above.
  double told_start = 0;
  double told_end = 0;
};

enum class CommitPolicyKind : uint8_t { attention, agreement };

/// Decides which words of a hypothesis will not change any more.
class CommitPolicy {
 public:
  static std::unique_ptr<CommitPolicy> make(CommitPolicyKind kind);
  virtual ~CommitPolicy() = default;
  /// How many of `words`, from the first one on, can be committed; the caller then commits them.
  /// They were recognised in a window of `seconds`, after the words committed already; the window's
  /// end may cut the sound anywhere.
  virtual size_t commit(std::span<const ProvisionalWord> words, double seconds) = 0;
  /// The utterance has ended, or all of it was committed.
  virtual void forget() = 0;
};

}  // namespace susurrus
