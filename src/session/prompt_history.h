#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace susurrus {

/// The tokens of a recording so far, and which of them prompt its next window.
class PromptHistory {
 public:
  /// `initial` stands in front of the first window's text; of every window's if it `is_carried`.
  PromptHistory(std::vector<uint32_t> initial, bool is_carried, uint32_t n_text_ctx);

  /// For the next window; make_prompt() keeps the end of it where it is too long.
  std::vector<uint32_t> prompt() const;

  void append(std::span<const uint32_t> tokens);
  /// What came so far prompts no more.
  void forget() { prompt_begin_ = tokens_.size(); }

  /// Where the prompt begins, among the initial prompt and all that was appended.
  size_t prompt_begin() const { return prompt_begin_; }
  /// Goes on after `text`, when nothing has been appended. `prompt_begin`: at most its length and the initial prompt's.
  void resume(std::span<const uint32_t> text, size_t prompt_begin) {
    append(text);
    prompt_begin_ = prompt_begin;
  }

  /// All that was appended.
  std::span<const uint32_t> text() const { return std::span(tokens_).subspan(initial_count_); }

 private:
  std::vector<uint32_t> tokens_;  // the initial prompt first
  size_t initial_count_;
  size_t prompt_begin_ = 0;
  bool is_carried_;
  /// The reference's most tokens of a prompt; a context of two tokens or fewer has no limit there.
  size_t most_;
};

}  // namespace susurrus
