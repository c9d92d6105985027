#include "session/transcriber.h"

#include <algorithm>
#include <deque>

#include "decode/seeded_random.h"
#include "session/clips.h"
#include "session/language_changes.h"
#include "session/language_choice.h"
#include "session/language_track.h"
#include "session/prompt.h"
#include "session/prompt_history.h"
#include "session/recording_mel.h"
#include "session/results_json.h"
#include "session/segment_filter.h"
#include "session/text_flaws.h"
#include "session/time_contract.h"
#include "session/window_attempts.h"
#include "session/window_segments.h"
#include "session/window_sound.h"
#include "session/word_aligner.h"
#include "session/word_edges.h"
#include "session/word_timing.h"

namespace susurrus {
namespace {

// The reference repeats a window without progress endlessly. So do we while its prompt changes, up to this limit.
constexpr uint32_t kMostRepeats = 16;
/// Frames of a rest that is too short for a word.
constexpr uint64_t kLeastRest = 20;
/// Frames of a window in which nobody says the same again and again.
constexpr uint64_t kMostBabble = 200;
/// How much more probable than other text one has to be that the model passed over before.
constexpr double kUnheardMargin = 0.25;
class WhisperTranscriber final : public Transcriber {
 public:
  WhisperTranscriber(WhisperModel& model, const TranscribeOptions& options, Clips clips,
                     std::string_view language, std::vector<uint32_t> allowed_languages,
                     std::optional<uint64_t> sample_count)
      : model_(model),
        options_(options),
        clips_(std::move(clips)),
        mel_(model, sample_count, options.normalization, options.loudness_samples,
             options.is_heard_again),
        window_frames_(options.decode.encoder_context.window_frames(model)),
        allowed_languages_(std::move(allowed_languages)),
        languages_(language, options.min_language_probability),
        // The reference knows one language for a recording.
        is_language_per_window_(language.empty() && options.is_language_per_window &&
                                !options.is_openai_compatible),
        history_(std::move(options_.decode.prompt), options.carry_initial_prompt,
                 model.dimensions().n_text_ctx),
        filter_(options_, window_frames_) {
    if (options_.is_openai_compatible) {
      options_.decode.break_loops = false;
      options_.decode.content_frames.reset();
    }
    options_.fallback.keeps_best = !options_.is_openai_compatible;
  }

  Status resume(TranscriptionState&& state) {
    const uint32_t n_vocab = model_.dimensions().n_vocab;
    if (std::ranges::any_of(state.tokens, [&](uint32_t token) { return token >= n_vocab; })) {
      return state_error("tokens", "the model's tokens");
    }
    if (state.prompt_begin > options_.decode.prompt.size() + state.tokens.size()) {
      return state_error("promptBegin", "no more than there are tokens");
    }
    for (const auto& share : state.shares) {
      if (!is_language(share.language.view()))
        return state_error("shares", "the model's languages");
    }
    const bool is_unknown = state.language.empty() && is_language_per_window_;
    if (!is_unknown && !is_language(state.language.view())) {
      return state_error("language", "one of the model's");
    }
    if (!mel_.resume(state.quiet)) return state_error("levels", "those of a recording");
    clips_.set_index(static_cast<size_t>(state.clip));
    history_.resume(state.tokens, static_cast<size_t>(state.prompt_begin));
    languages_.resume(state.language.view(), state.language_probability, std::move(state.shares));
    filter_.resume(state.last_speech_end, state.text_end);
    seek_ = state.seek;
    unheard_end_ = state.unheard_end;
    change_ = state.change;
    segment_count_ = state.segment_count;
    rejected_count_ = state.rejected_count;
    return ok_status();
  }

  Result<StepResult> step() override {
    SUSURRUS_ASSIGN_OR_RETURN(const StepResult result, advance());
    // Only there has begin_encode() been called for the window under way.
    const bool is_encoding =
        stage_ == Stage::changes || stage_ == Stage::language || stage_ == Stage::attempts;
    const bool is_stuck = result == StepResult::working && is_encoding && model_.needs_weights();
    return is_stuck ? StepResult::need_weights : result;
  }

  AudioRequest audio_request() const override { return mel_.request(); }
  std::span<float> audio_window() override { return mel_.samples(); }
  void end_audio(uint64_t sample_count) override {
    if (mel_.content_frames() == kUnknownFrames) mel_.end_audio(sample_count);
  }
  std::string take_event() override { return to_json(take_segment(), options_.word_timestamps); }
  Segment take_segment() override {
    if (ready_.empty()) return {};
    Segment segment = std::move(ready_.front());
    ready_.pop_front();
    return segment;
  }
  std::string state() const override {
    TranscriptionState state;
    state.seek = seek_;
    state.clip = clips_.index();
    state.segment_count = segment_count_;
    state.rejected_count = rejected_count_;
    state.prompt_begin = history_.prompt_begin();
    state.language = languages_.current();
    state.language_probability = languages_.current_probability();
    state.shares = languages_.shares();
    state.last_speech_end = filter_.last_speech_end();
    state.text_end = filter_.text_end();
    state.unheard_end = unheard_end_;
    state.change = change_;
    // A scan counts them again.
    if (options_.normalization == Normalization::window) state.quiet = mel_.quiet_frames().levels();
    return to_json(state);
  }
  std::string_view language() const override { return languages_.main(); }
  std::string languages() const override { return to_json(languages_); }
  std::string text() const override { return model_.tokenizer().decode(history_.text()); }
  double progress() const override { return progress_; }

 private:
  enum class Stage : uint8_t { scan, beginning, window, changes, language, attempts, words, done };

  Result<StepResult> advance() {
    if (!ready_.empty()) return ready();
    if (is_state_ready_) {
      is_state_ready_ = false;
      return StepResult::state_ready;
    }
    switch (stage_) {
      case Stage::scan: return scan();
      case Stage::beginning: return fill_beginning();
      case Stage::window: return fill_window();
      case Stage::changes: return look_for_changes();
      case Stage::language: return detect_language();
      case Stage::attempts: return attempt();
      case Stage::words: return align_words();
      case Stage::done: break;
    }
    return StepResult::done;
  }

  StepResult ready() const {
    if (ready_.empty()) return StepResult::working;
    return is_rejected(ready_.front().decision) ? StepResult::rejected_ready
                                                : StepResult::segment_ready;
  }

  Result<StepResult> scan() {
    switch (mel_.scan()) {
      case RecordingMel::Progress::need_audio: return StepResult::need_audio;
      case RecordingMel::Progress::working: break;
      case RecordingMel::Progress::done:
        stage_ = languages_.current().empty() && !is_language_per_window_ ? Stage::beginning
                                                                          : Stage::window;
    }
    return StepResult::working;
  }

  /// One language for all is that of the first window, completed with the silence that is appended to the recording. An
  /// automatic audio context has no more of it than a window has.
  Result<StepResult> fill_beginning() {
    place_ = {seek_, window_frames_};
    if (options_.decode.encoder_context.is_automatic && mel_.content_frames() > 0) {
      place_.frame_count = std::min(window_frames_, mel_.content_frames() - seek_);
    }
    if (mel_.fill_window(seek_, place_.frame_count) == RecordingMel::Progress::need_audio) {
      return StepResult::need_audio;
    }
    // Silence has no language.
    if (!options_.is_openai_compatible && is_quiet(mel_.quiet_frames(), place_) &&
        place_.end() < mel_.content_frames()) {
      seek_ = place_.end();
      return StepResult::working;
    }
    SUSURRUS_RETURN_IF_ERROR(begin_detection());
    return StepResult::working;
  }

  /// Windows are cut at the end of their content and completed with 0.0.
  Result<StepResult> fill_window() {
    const auto place = clips_.next_window(seek_, mel_.content_frames(), window_frames_);
    if (!place) {
      progress_ = 1;
      stage_ = Stage::done;
      return StepResult::done;
    }
    place_ = *place;
    seek_ = place_.seek;
    // The windows that follow are where they would be without it.
    if (is_unheard()) place_.frame_count = std::min(place_.frame_count, unheard_end_ - seek_);
    if (seek_ < change_) place_.frame_count = std::min(place_.frame_count, change_ - seek_);
    update_progress();
    const bool is_rest = seek_ > 0 && place_.frame_count < std::min(kLeastRest, window_frames_ / 2);
    if (is_rest && !options_.is_openai_compatible) {
      seek_ = place_.end();
      return StepResult::working;
    }
    if (encoded_ != place_) {
      encoded_.reset();
      if (mel_.fill_window(seek_, place_.frame_count) == RecordingMel::Progress::need_audio) {
        return StepResult::need_audio;
      }
    }
    if (!options_.is_openai_compatible) {
      const uint64_t sound = first_sound(mel_.quiet_frames(), place_);
      if (sound > seek_) {
        seek_ = sound;
        return StepResult::working;
      }
    }
    if (!is_language_per_window_) {
      SUSURRUS_RETURN_IF_ERROR(begin_attempts());
    } else if (seek_ >= change_ && unchanged_ != place_) {
      if (!encoded_) SUSURRUS_RETURN_IF_ERROR(begin_encode(model_, encoder_context()));
      changes_.emplace(model_, allowed_languages_, place_.frame_count);
      stage_ = Stage::changes;
    } else {
      SUSURRUS_RETURN_IF_ERROR(begin_detection());
    }
    return StepResult::working;
  }

  /// A window ends where another language begins.
  Result<StepResult> look_for_changes() {
    SUSURRUS_ASSIGN_OR_RETURN(bool is_done, changes_->step());
    if (!is_done) return StepResult::working;
    encoded_ = unchanged_ = place_;
    if (const auto change = changes_->find(mel_.quiet_frames(), place_)) change_ = *change;
    changes_.reset();
    stage_ = Stage::window;
    return StepResult::working;
  }

  EncoderContext encoder_context() const {
    return options_.decode.encoder_context.fitted(model_, place_.frame_count);
  }

  Status begin_detection() {
    if (!encoded_) SUSURRUS_RETURN_IF_ERROR(begin_encode(model_, encoder_context()));
    DecodeOptions options = options_.decode;
    options.encoder_context = encoder_context();
    options.content_frames = std::min(place_.frame_count, mel_.content_frames() - place_.seek);
    // Unsure windows keep the language of those before them.
    const bool is_detection_alone = options_.is_openai_compatible || is_language_per_window_;
    choice_.emplace(model_, std::move(options), allowed_languages_,
                    is_detection_alone ? kDetectionAlone : LanguageRule{});
    stage_ = Stage::language;
    return ok_status();
  }

  Result<StepResult> detect_language() {
    SUSURRUS_ASSIGN_OR_RETURN(bool is_done, choice_->step());
    if (!is_done) return StepResult::working;
    // The beginning of a long recording is a window like any other; that of a short one ends in silence, not in 0.0.
    encoded_ = place_;
    // A prompt in another language would have the model go on in that one: a translation.
    if (languages_.detected(choice_->probabilities(), model_.special_tokens())) history_.forget();
    choice_.reset();
    stage_ = Stage::window;
    if (is_language_per_window_) SUSURRUS_RETURN_IF_ERROR(begin_attempts());
    return StepResult::working;
  }

  Status begin_attempts() {
    DecodeOptions options = options_.decode;
    options.language = languages_.current();
    options.prompt = is_unprompted_ ? std::vector<uint32_t>() : history_.prompt();
    options.encoder_context = encoder_context();
    // Windows draw apart from each other, wherever the recording was entered.
    options.seed = derive_seed(options_.decode.seed, place_.seek);
    if (!options_.is_openai_compatible) options.content_frames = place_.frame_count;
    prompt_ = options.prompt;
    const auto encoding =
        encoded_ ? WindowDecoder::Encoding::done : WindowDecoder::Encoding::needed;
    SUSURRUS_ASSIGN_OR_RETURN(attempts_,
                              WindowAttempts::create(model_, options, options_.fallback, encoding));
    stage_ = Stage::attempts;
    return ok_status();
  }

  Result<StepResult> attempt() {
    SUSURRUS_ASSIGN_OR_RETURN(bool is_done, attempts_->step());
    if (!is_done) return StepResult::working;
    encoded_ = place_;
    const WindowResult& result = attempts_->result();
    const Tokenizer& tokenizer = model_.tokenizer();
    if (attempts_->is_silence()) {
      window_ = whole_window(result, place_, tokenizer);
      window_.rejected.reset();
      describe(window_.segments);
      return reject_window(Decision::dropped_no_speech);
    }
    // Without timestamps in the prompt, those in the text are an accident.
    const bool is_whole =
        !options_.is_openai_compatible && !has_timestamps(model_, options_.decode);
    window_ = is_whole ? whole_window(result, place_, tokenizer)
                       : split_window(result, place_, tokenizer);
    describe(window_.segments);
    if (window_.rejected) describe(std::span(&*window_.rejected, 1));
    if (!options_.is_openai_compatible) {
      std::optional<Decision> flaw = flaw_of(window_.segments, place_.frame_count,
                                             model_.tokenizer().decode(history_.prompt()));
      if (!flaw && is_babble()) flaw = Decision::dropped_repetition;
      if (flaw) {
        if (!prompt_.empty()) {
          // Text that is made of its prompt is another one without it.
          is_unprompted_ = true;
          SUSURRUS_RETURN_IF_ERROR(begin_attempts());
          return StepResult::working;
        }
        if (*flaw == Decision::dropped_too_fast || attempts_->is_doubtful() || is_unheard()) {
          return reject_window(*flaw);
        }
      }
      if (is_unheard() && is_noise()) return reject_window(Decision::dropped_no_speech);
    }
    if (!options_.word_timestamps) return accept();
    const std::vector<uint32_t> tokens = text_tokens(window_.segments, tokenizer.special());
    // Nothing to align.
    if (tokens.empty()) return accept();
    SUSURRUS_ASSIGN_OR_RETURN(
        aligner_, WordAligner::create(model_, languages_.current(), options_.decode.task, tokens,
                                      place_.frame_count));
    stage_ = Stage::words;
    return StepResult::working;
  }

  Result<StepResult> align_words() {
    SUSURRUS_ASSIGN_OR_RETURN(bool is_done, aligner_->step());
    if (!is_done) return StepResult::working;
    std::vector<double> timed_ends;
    for (const Segment& segment : window_.segments) timed_ends.push_back(segment.end);
    add_word_timestamps(window_.segments, aligner_->words(), model_.special_tokens(),
                        {options_.prepend_punctuations, options_.append_punctuations},
                        filter_.last_speech_end());
    if (!options_.is_openai_compatible) lengthen_last_words(window_.segments, timed_ends);
    aligner_.reset();
    return accept();
  }

  void describe(std::span<Segment> segments) const {
    for (Segment& segment : segments) {
      segment.language = languages_.current();
      if (!is_rejected(segment.decision)) segment.decision = attempts_->decision();
      segment.attempts = attempts_->attempts();
    }
  }

  Result<StepResult> accept() {
    SegmentFilter::Outcome outcome = filter_.filter(std::move(window_), place_, mel_);
    if (options_.word_timestamps && !options_.is_openai_compatible) refine_words(outcome);
    for (Segment& segment : outcome.segments) {
      segment.id = segment_count_++;
      history_.append(segment.tokens);
      if (!segment.text.empty()) languages_.add_time(segment.end - segment.start);
      ready_.push_back(std::move(segment));
    }
    for (Segment& segment : outcome.rejected) {
      const Decision reason = segment.decision;
      reject(std::move(segment), reason);
    }
    if (!outcome.is_window_dropped && (!options_.condition_on_previous_text ||
                                       attempts_->result().temperature > kPromptResetTemperature)) {
      history_.forget();
    }
    if (outcome.text_end) return end_window(after_text(*outcome.text_end));
    return end_window(outcome.next_seek);
  }

  /// What is decided by the words' times has been decided by now, so that they change no text.
  void refine_words(SegmentFilter::Outcome& outcome) {
    const size_t n_mels = model_.dimensions().n_mels;
    const auto mel = model_.mel_window().first(static_cast<size_t>(place_.frame_count) * n_mels);
    const double begin = frame_seconds(place_.seek);
    // The next window's words begin there or later.
    const double end = frame_seconds(outcome.text_end.value_or(outcome.next_seek));
    refine_word_edges(outcome.segments, {mel, n_mels, begin}, {begin, end});
  }

  /// The window under way is about what the text of an earlier one left out.
  bool is_unheard() const { return place_.seek < unheard_end_; }

  /// Where listening goes on after a text that was closed before the window's end. The reference takes a single timestamp
  /// at the end for silence to the end of the window; but the model stops at another language or speaker, too.
  uint64_t after_text(uint64_t text_end) {
    if (text_end <= place_.seek || !sounds_on(mel_.quiet_frames(), place_, text_end)) {
      return place_.end();
    }
    unheard_end_ = place_.end();
    return text_end;
  }

  /// What the model has passed over once is more often noise, or in another language, than other windows are.
  bool is_noise() const {
    const std::optional<double>& threshold = options_.fallback.logprob_threshold;
    return threshold && attempts_->result().avg_logprob < *threshold + kUnheardMargin;
  }

  /// In circles, improbable, and within two seconds: the model has nothing to go by.
  bool is_babble() const {
    const std::optional<double>& threshold = options_.fallback.logprob_threshold;
    const WindowResult& result = attempts_->result();
    return result.is_loop_broken && place_.frame_count < kMostBabble && threshold &&
           result.avg_logprob < *threshold;
  }

  Result<StepResult> reject_window(Decision reason) {
    for (Segment& segment : window_.segments) reject(std::move(segment), reason);
    if (window_.rejected) reject(std::move(*window_.rejected), Decision::dropped_repetition);
    return end_window(place_.end());
  }

  void reject(Segment&& segment, Decision reason) {
    segment.id = rejected_count_++;
    segment.decision = reason;
    ready_.push_back(std::move(segment));
  }

  Result<StepResult> end_window(uint64_t next_seek) {
    attempts_.reset();
    is_unprompted_ = false;
    if (next_seek > place_.seek) {
      repeats_ = 0;
    } else if (!options_.is_openai_compatible || history_.prompt() == prompt_ ||
               ++repeats_ > kMostRepeats) {
      next_seek = place_.end();
    }
    seek_ = next_seek;
    update_progress();
    stage_ = Stage::window;
    // A repeated window is encoded already, with the sound that followed it then.
    is_state_ready_ = repeats_ == 0;
    return ready();
  }

  bool is_language(std::string_view code) const {
    return std::ranges::any_of(model_.special_tokens().languages,
                               [&](const auto& language) { return language.code.view() == code; });
  }

  void update_progress() {
    const uint64_t total = mel_.content_frames();
    if (total == kUnknownFrames || total == 0) return;
    const double behind = static_cast<double>(seek_) / static_cast<double>(total);
    progress_ = std::clamp(behind, progress_, 1.0);
  }

  WhisperModel& model_;
  TranscribeOptions options_;
  Clips clips_;
  RecordingMel mel_;
  const uint64_t window_frames_;
  std::vector<uint32_t> allowed_languages_;
  LanguageTrack languages_;
  bool is_language_per_window_;
  PromptHistory history_;

  Stage stage_ = Stage::scan;
  double progress_ = 0;
  uint64_t seek_ = 0;         // mel frames
  uint64_t unheard_end_ = 0;  // of the last window whose text left out what sounds
  uint64_t change_ = 0;       // where the language changes: no window goes on beyond it
  WindowPlace place_;
  std::optional<WindowPlace> unchanged_;  // the window that was last looked at for changes
  std::optional<WindowPlace> encoded_;    // the window whose encoding the model holds
  std::vector<uint32_t> prompt_;          // of the window under way
  uint32_t repeats_ = 0;                  // of the same window
  bool is_unprompted_ = false;   // the window is decoded again without what was said before
  bool is_state_ready_ = false;  // once what is ready has been taken

  std::optional<LanguageChanges> changes_;
  std::optional<LanguageChoice> choice_;
  std::unique_ptr<WindowAttempts> attempts_;
  std::unique_ptr<WordAligner> aligner_;
  WindowSegments window_;
  SegmentFilter filter_;

  std::deque<Segment> ready_;
  uint32_t segment_count_ = 0;
  uint32_t rejected_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<Transcriber>> Transcriber::create(WhisperModel& model,
                                                         const TranscribeOptions& options,
                                                         std::optional<uint64_t> sample_count,
                                                         std::optional<TranscriptionState> state) {
  SUSURRUS_RETURN_IF_ERROR(check_options(options));
  SUSURRUS_RETURN_IF_ERROR(check_encoder_context(model, options.decode.encoder_context));
  const bool is_window = options.normalization == Normalization::window;
  if (options.loudness_samples > 0 && (sample_count || is_window)) {
    return option_error("loudnessSamples",
                        "0, except for a stream with the loudness of a recording");
  }
  if (!sample_count && !is_window && options.loudness_samples == 0) {
    return option_error("normalization", "window, for a stream of unknown length");
  }
  SUSURRUS_ASSIGN_OR_RETURN(FixedString<16> language, fixed_language(model, options.decode));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<uint32_t> allowed,
                            allowed_languages(model, options.decode));
  // What does not fit the model is rejected before any work.
  SUSURRUS_RETURN_IF_ERROR(WindowAttempts::create(model, options.decode, options.fallback,
                                                  WindowDecoder::Encoding::done));
  const bool goes_back = options.is_openai_compatible && sample_count;
  SUSURRUS_ASSIGN_OR_RETURN(
      Clips clips,
      Clips::create(options.clip_timestamps, goes_back ? Clips::Order::any : Clips::Order::rising));
  auto transcriber = std::make_unique<WhisperTranscriber>(
      model, options, std::move(clips), language.view(), std::move(allowed), sample_count);
  if (state) SUSURRUS_RETURN_IF_ERROR(transcriber->resume(std::move(*state)));
  return std::unique_ptr<Transcriber>(std::move(transcriber));
}

}  // namespace susurrus
