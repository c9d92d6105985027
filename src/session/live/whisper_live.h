#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "session/language_choice.h"
#include "session/language_detector.h"
#include "session/live/commit_policy.h"
#include "session/live/live_hypothesis.h"
#include "session/live/live_language.h"
#include "session/live/live_mel.h"
#include "session/live/live_options.h"
#include "session/live/said_before.h"
#include "session/live_recognition.h"
#include "session/quiet_frames.h"
#include "session/whisper_model.h"

namespace susurrus {

/// Live Whisper: a window over the last seconds of an utterance. Committed words stand; the sound
/// after them is decoded again whenever a step of new sound has arrived. An utterance ends with
/// flush(); for silence the caller calls skip(). The end of an utterance, with its words, is the context in which the next one is heard.
///
/// A pure function of the samples fed and how they are divided.
class WhisperLive final : public LiveRecognition {
 public:
  /// The model must outlive it, and does nothing else while step() has work. out_of_memory as an error.
  static Result<std::unique_ptr<WhisperLive>> create(WhisperModel& model,
                                                     WhisperLiveOptions options);

  void expect(uint64_t sample_count) override { expected_ = sample_count; }
  Result<size_t> feed(std::span<const float> samples) override;
  void skip(uint64_t sample_count) override;
  void flush() override;
  Result<bool> step() override;
  std::vector<LiveEvent> take_events() override { return std::exchange(events_, {}); }
  uint64_t byte_count() const override { return mel_.byte_count(); }

 private:
  /// A word that is committed, with the times that callers are told.
  struct SaidWord {
    Word word;
    std::vector<uint32_t> tokens;
    double aligned_end = 0;
  };
  /// Where a word ends, in seconds of the stream: by the aligner, for all decisions, and as told.
  struct WordEnd {
    double aligned = 0;
    double told = 0;
  };

  WhisperLive(WhisperModel& model, WhisperLiveOptions options, LiveMel mel,
              std::string_view language, std::vector<uint32_t> allowed_languages);

  /// The text of the window as it is now, first its language where that is open, or where sound after the committed words may be in
  /// another one. Nothing where nothing sounds.
  Status begin_window();
  bool is_window_quiet();
  Status begin_hypothesis(bool is_encoded);
  /// Goes on with the window in its language.
  Status take_language();
  /// What follows the committed words may be in another language, and is then heard alone.
  Status take_check();
  Status take_hypothesis();
  /// Sets the times that callers are told to where the sound of the window has the words' edges.
  void place_edges(std::span<ProvisionalWord> words) const;
  void commit(std::vector<ProvisionalWord>& words, size_t count);
  /// Drops sound whose words are committed, when the window has become long.
  void slide();
  /// The committed words before said_[end], with their sound.
  void leave_behind(size_t end);
  /// All of the window is over, though the utterance goes on.
  void leave_window();
  /// What follows is heard without the end of the utterance before.
  void leave_context();
  /// The first of the words that are the next utterance's context.
  size_t next_context() const;
  void drop_sound(size_t frames);
  /// Words that are neither in the window nor in an open event.
  void forget_old();
  void end_utterance();
  /// Events of what has changed: finals for sentences that are complete, a partial for the rest.
  void tell(bool is_last);
  void tell_words(LiveEvent::Type type, std::span<const SaidWord> said, size_t committed);
  void tell_language();
  /// With the times of the stream, not before `after`.
  SaidWord timed(ProvisionalWord&& word, const WordEnd& after) const;
  /// Seconds of the stream at the window's beginning.
  double window_begin() const;
  double window_seconds() const;
  /// Seconds of the window without its context.
  double utterance_seconds() const;
  /// Whether the window has committed words of the utterance itself.
  bool has_committed() const { return window_ + context_words_ < said_.size(); }
  /// Whether a language is chosen by the sound without its context, which may be in another one.
  bool chooses_alone() const { return options_.transcribe.is_language_per_window; }
  /// Seconds of the window at the end of the last committed word.
  double committed_end() const;
  double now() const;
  size_t step_frames() const;

  WhisperModel* model_;
  WhisperLiveOptions options_;
  std::unique_ptr<CommitPolicy> policy_;
  LiveMel mel_;
  QuietFrames quiet_frames_;

  uint64_t fed_samples_ = 0;
  uint64_t utterance_begin_ = 0;  // samples
  uint64_t expected_ = 0;         // samples that follow at once
  uint64_t silence_samples_ = 0;  // skipped since the last speech
  bool is_silence_told_ = true;
  bool is_flushing_ = false;

  std::vector<uint32_t> allowed_languages_;
  std::optional<LanguageChoice> choice_;
  std::optional<LanguageDetector> check_;
  std::unique_ptr<LiveHypothesis> hypothesis_;
  uint64_t heard_frames_ = 0;  // of the utterance, by the last hypothesis
  /// Bad hypotheses in a row.
  size_t doubts_ = 0;
  LiveLanguage language_;
  /// As the last event has it.
  FixedString<16> told_language_;
  bool is_told_sure_ = false;
  /// Committed words: those of the event that is open, from open_ on, and those in the window, from window_ on.
  std::vector<SaidWord> said_;
  size_t open_ = 0;
  size_t window_ = 0;
  /// How many of those in the window, the first ones, belong to the utterance before.
  size_t context_words_ = 0;
  std::vector<uint32_t> committed_tokens_;  // of those in the window
  std::vector<ProvisionalWord> provisional_;
  WordEnd last_end_;  // of the last committed word
  std::vector<uint32_t> prompt_;
  /// The words in it, and those of the window before.
  SaidBefore said_before_;
  /// The model has repeated its prompt, which is left out until the window is over.
  bool is_unprompted_ = false;
  std::string told_;  // by the last partial
  size_t told_committed_ = 0;
  uint32_t id_ = 0;
  std::vector<LiveEvent> events_;
};

}  // namespace susurrus
