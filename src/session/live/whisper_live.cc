#include "session/live/whisper_live.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "session/live/sentence_end.h"
#include "session/prompt.h"
#include "session/window_segments.h"
#include "session/window_sound.h"
#include "session/word_aligner.h"
#include "session/word_edges.h"

namespace susurrus {
namespace {

/// A window that is longer loses sound whose words are committed.
constexpr size_t kLongFrames = 1000;
/// Seconds of committed sound to keep in the window: new words depend on those before them.
constexpr double kKeptSeconds = 3;
/// Sound after the last recognised word for which the model gives no text, although there is
/// speech.
constexpr double kUnheardSeconds = 2;
/// The last word ends at most this many seconds after the place that the model attended to for it.
constexpr double kLongestTail = 0.5;
/// The window moves by at least this many frames.
constexpr size_t kLeastMove = 50;
/// Frames kept of a window without any recognised word.
constexpr size_t kUnheardFrames = 200;
/// A full window moves on: words that end this long before its end are committed against the
/// policy.
constexpr double kMoveOnSeconds = 0.5;
/// A shorter utterance is dropped.
constexpr size_t kLeastFrames = 10;
/// After this many bad hypotheses the next one is thorough.
constexpr size_t kMostDoubts = 2;
/// Tokens of earlier text in the prompt. More would slow every step and feed loops.
constexpr size_t kPromptTokens = 64;
/// The most words of a text without a full stop before it is closed.
constexpr size_t kMostOpenWords = 60;
/// Sound of the utterance before in front of the next one: a voice, an accent or a subject is better understood with it. At most
/// such a share of the window.
constexpr double kContextSeconds = 4;
constexpr size_t kContextShare = 4;
constexpr uint64_t kSilenceSamples = uint64_t{2} * kSampleRate;
/// The shortest word, in seconds.
constexpr double kShortestWord = 0.02;

double seconds_of(uint64_t samples) { return static_cast<double>(samples) / kSampleRate; }

}  // namespace

Result<std::unique_ptr<WhisperLive>> WhisperLive::create(WhisperModel& model,
                                                         WhisperLiveOptions options) {
  SUSURRUS_RETURN_IF_ERROR(check_options(options.transcribe));
  // What does not fit the model is rejected before any sound.
  SUSURRUS_ASSIGN_OR_RETURN(FixedString<16> language,
                            fixed_language(model, options.transcribe.decode));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<uint32_t> allowed,
                            allowed_languages(model, options.transcribe.decode));
  SUSURRUS_RETURN_IF_ERROR(make_prompt(model, options.transcribe.decode, {}));
  SUSURRUS_ASSIGN_OR_RETURN(LiveMel mel, LiveMel::create(model.log_mel(), model.window_frames()));
  return std::unique_ptr<WhisperLive>(new WhisperLive(model, std::move(options), std::move(mel),
                                                      language.view(), std::move(allowed)));
}

WhisperLive::WhisperLive(WhisperModel& model, WhisperLiveOptions options, LiveMel mel,
                         std::string_view language, std::vector<uint32_t> allowed_languages)
    : model_(&model),
      options_(std::move(options)),
      policy_(CommitPolicy::make(options_.policy)),
      mel_(std::move(mel)),
      quiet_frames_(model.dimensions().n_mels, model.window_frames()),
      allowed_languages_(std::move(allowed_languages)),
      language_(language,
                options_.transcribe.is_language_per_window ? LiveLanguage::Scope::utterance
                                                           : LiveLanguage::Scope::stream,
                options_.transcribe.min_language_probability),
      prompt_(options_.transcribe.decode.prompt) {
  mel_.begin();
}

size_t WhisperLive::step_frames() const {
  return static_cast<size_t>(std::lround(options_.step_seconds * 100));
}

double WhisperLive::now() const { return seconds_of(fed_samples_); }

double WhisperLive::window_begin() const {
  const double before = static_cast<double>(mel_.context_frames()) / 100;
  return seconds_of(utterance_begin_) + static_cast<double>(mel_.first_frame()) / 100 - before;
}

Result<size_t> WhisperLive::feed(std::span<const float> samples) {
  const size_t count = std::min({samples.size(), mel_.room(), size_t{kSampleRate}});
  mel_.push(samples.first(count));
  fed_samples_ += count;
  expected_ -= std::min<uint64_t>(expected_, count);
  silence_samples_ = 0;
  is_silence_told_ = false;
  return count;
}

void WhisperLive::skip(uint64_t sample_count) {
  silence_samples_ += sample_count;
  if (is_silence_told_ || silence_samples_ < kSilenceSamples) return;
  is_silence_told_ = true;
  LiveEvent& event = events_.emplace_back();
  event.type = LiveEvent::Type::silence;
  event.time = now();
  event.segment.id = id_;
}

void WhisperLive::flush() {
  if (!is_flushing_) mel_.finish();
  is_flushing_ = true;
}

Result<bool> WhisperLive::step() {
  if (choice_) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, choice_->step());
    if (is_done) SUSURRUS_RETURN_IF_ERROR(take_language());
    return false;
  }
  if (check_) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, check_->step());
    if (is_done) SUSURRUS_RETURN_IF_ERROR(take_check());
    return false;
  }
  if (hypothesis_) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, hypothesis_->step());
    if (is_done) SUSURRUS_RETURN_IF_ERROR(take_hypothesis());
    return false;
  }
  const uint64_t frames = mel_.utterance_frames();
  if (is_flushing_) {
    if (mel_.frame_count() >= mel_.context_frames() + kLeastFrames && frames > heard_frames_) {
      SUSURRUS_RETURN_IF_ERROR(begin_window());
      return false;
    }
    end_utterance();
    return true;
  }
  const bool is_full = mel_.room() == 0;
  if (!is_full && (expected_ > 0 || frames < heard_frames_ + step_frames())) return true;
  SUSURRUS_RETURN_IF_ERROR(begin_window());
  return false;
}

Status WhisperLive::begin_window() {
  heard_frames_ = mel_.utterance_frames();
  if (is_window_quiet()) {
    provisional_.clear();
    if (!is_flushing_) {
      tell(false);
      slide();
    }
    return ok_status();
  }
  const bool is_multilingual = model_->special_tokens().is_multilingual;
  const double seconds = utterance_seconds();
  const bool is_open = is_multilingual && language_.wants_detection(seconds, is_flushing_);
  const bool is_alone = is_open && chooses_alone();
  const size_t first = is_alone ? mel_.context_frames() : 0;
  mel_.copy_to(model_->mel_window(), first);
  if (!is_open && !(is_multilingual && language_.wants_check(window_seconds() - committed_end())))
    return begin_hypothesis(false);
  DecodeOptions options = LiveHypothesis::decode_options(*model_, options_.transcribe.decode,
                                                         mel_.frame_count() - first);
  SUSURRUS_RETURN_IF_ERROR(begin_encode(*model_, options.encoder_context));
  if (is_open) {
    choice_.emplace(*model_, std::move(options), allowed_languages_,
                    language_.rule(is_alone ? seconds : window_seconds()));
  } else {
    const auto behind = static_cast<size_t>(committed_end() * kPositionsPerSecond);
    check_.emplace(*model_, allowed_languages_, options.encoder_context, behind);
  }
  return ok_status();
}

Status WhisperLive::take_check() {
  const bool is_left = language_.is_left(check_->probabilities(), model_->special_tokens());
  check_.reset();
  if (!is_left) return begin_hypothesis(true);
  leave_window();
  provisional_.clear();
  return begin_window();
}

double WhisperLive::window_seconds() const { return static_cast<double>(mel_.frame_count()) / 100; }

double WhisperLive::utterance_seconds() const {
  return static_cast<double>(mel_.frame_count() - mel_.context_frames()) / 100;
}

double WhisperLive::committed_end() const {
  return std::max(0.0, last_end_.aligned - window_begin());
}

/// The model makes up text for steady sound, as offline. Each window is judged by itself, since speakers may be quieter than those
/// before them.
bool WhisperLive::is_window_quiet() {
  quiet_frames_.set_levels({});
  const size_t context = mel_.context_frames();
  quiet_frames_.set_window(0, mel_.frames().subspan(context * model_->dimensions().n_mels));
  return is_quiet(quiet_frames_, {.seek = 0, .frame_count = mel_.frame_count() - context});
}

Status WhisperLive::take_language() {
  const bool is_changed = language_.detected(choice_->probabilities(), choice_->is_by_text(),
                                             utterance_seconds(), model_->special_tokens());
  choice_.reset();
  const bool has_context = mel_.context_frames() > 0;
  bool is_encoded = !has_context || !chooses_alone();
  if (is_changed) {
    // Words of another language would have the model go on in that one.
    const bool is_begun = has_committed();
    leave_context();
    provisional_.clear();
    if (is_begun) leave_window();
    prompt_.clear();
    if (is_begun) return mel_.frame_count() >= kLeastFrames ? begin_window() : ok_status();
    is_encoded = !has_context || chooses_alone();
  }
  if (!is_encoded) mel_.copy_to(model_->mel_window(), 0);
  return begin_hypothesis(is_encoded);
}

Status WhisperLive::begin_hypothesis(bool is_encoded) {
  const std::span<const uint32_t> prompt =
      is_unprompted_ ? options_.transcribe.decode.prompt : prompt_;
  SUSURRUS_ASSIGN_OR_RETURN(
      hypothesis_,
      LiveHypothesis::create(*model_, options_.transcribe,
                             {.frame_count = mel_.frame_count(),
                              .committed = committed_tokens_,
                              .committed_end = committed_end(),
                              .prompt = prompt.last(std::min(prompt.size(), kPromptTokens)),
                              .language = language_.current(),
                              .is_encoded = is_encoded,
                              .is_thorough = is_flushing_ || doubts_ >= kMostDoubts}));
  return ok_status();
}

Status WhisperLive::take_hypothesis() {
  const std::unique_ptr<LiveHypothesis> hypothesis = std::move(hypothesis_);
  std::vector<ProvisionalWord>& words = hypothesis->words();
  // Music and noise become dots and notes.
  if (std::ranges::none_of(words, [](const auto& word) { return has_words(word.text); }))
    words.clear();
  if (!has_committed() && !is_unprompted_ && said_before_.repeated(words) > 0) {
    // Said twice, or made of the prompt: without it the model tells.
    leave_context();
    is_unprompted_ = true;
    return begin_window();
  }
  const double seconds = window_seconds();
  doubts_ = hypothesis->is_doubtful() ? doubts_ + 1 : 0;
  // After a full stop the model may think that all is said, so the sound after it is decoded alone.
  const double said_end = committed_end();
  const double heard_end = words.empty() ? said_end : words.back().heard_at;
  const bool is_over = doubts_ == 0 && (!words.empty() || window_ < said_.size()) &&
                       seconds - heard_end >= kUnheardSeconds;
  size_t count = 0;
  if (is_flushing_ || is_over) {
    count = words.size();
  } else {
    if (doubts_ == 0) count = policy_->commit(words, seconds);
    if (mel_.room() == 0) {
      while (count < words.size() && words[count].end <= seconds - kMoveOnSeconds) ++count;
      policy_->forget();
    }
  }
  if (is_over && !words.empty())
    words.back().end = std::min(words.back().end, heard_end + kLongestTail);
  place_edges(words);
  if (count > 0) language_.settle();
  commit(words, count);
  // Doubtful text does not take the place of what is shown.
  if (doubts_ == 0 || is_flushing_) {
    provisional_ = std::move(words);
    provisional_.erase(provisional_.begin(), provisional_.begin() + static_cast<ptrdiff_t>(count));
  }
  if (hypothesis->is_no_prompt()) prompt_.clear();
  if (is_over) {
    const uint64_t first = mel_.first_frame();
    leave_window();
    const size_t moved = static_cast<size_t>(mel_.first_frame() - first);
    // The window must move, whatever the words' times.
    if (moved < kLeastMove) drop_sound(std::min(kLeastMove - moved, mel_.frame_count()));
    heard_frames_ = 0;
  }
  if (!is_flushing_) {
    tell(false);
    slide();
  }
  return ok_status();
}

void WhisperLive::leave_window() {
  leave_behind(said_.size());
  policy_->forget();
}

void WhisperLive::leave_context() {
  leave_behind(window_ + context_words_);
  drop_sound(mel_.context_frames());
}

size_t WhisperLive::next_context() const {
  size_t first = said_.size();
  // A caller may want each utterance to stand alone.
  if (!options_.transcribe.condition_on_previous_text) return first;
  const double window = static_cast<double>(model_->window_frames()) / 100;
  const double seconds = std::min(kContextSeconds, window / kContextShare);
  const double from = window_begin() + window_seconds() - seconds;
  const auto begin = [&](size_t i) {
    return i == window_ ? window_begin() : said_[i - 1].aligned_end;
  };
  while (first > window_ && begin(first - 1) >= from) --first;
  return first;
}

void WhisperLive::place_edges(std::span<ProvisionalWord> words) const {
  const double begin = std::max(0.0, last_end_.told - window_begin());
  Segment row;
  double after = begin;
  for (const ProvisionalWord& word : words) {
    const double start = std::max(word.start, after);
    after = std::max(word.end, start);
    row.words.push_back({word.text, start, after, word.probability});
  }
  if (!options_.transcribe.is_openai_compatible) {
    const size_t n_mels = model_->dimensions().n_mels;
    const auto mel = model_->mel_window().first(mel_.frame_count() * n_mels);
    refine_word_edges({&row, 1}, {mel, n_mels, 0}, {begin, window_seconds()});
  }
  for (size_t i = 0; i < words.size(); ++i) {
    words[i].told_start = row.words[i].start;
    words[i].told_end = row.words[i].end;
  }
}

void WhisperLive::commit(std::vector<ProvisionalWord>& words, size_t count) {
  for (ProvisionalWord& word : std::span(words).first(count)) {
    SaidWord said = timed(std::move(word), last_end_);
    last_end_ = {said.aligned_end, said.word.end};
    committed_tokens_.insert(committed_tokens_.end(), said.tokens.begin(), said.tokens.end());
    said_.push_back(std::move(said));
  }
}

WhisperLive::SaidWord WhisperLive::timed(ProvisionalWord&& word, const WordEnd& after) const {
  const double begin = window_begin();
  const double aligned_start = std::max(begin + word.start, after.aligned);
  const double aligned_end = std::max(begin + word.end, aligned_start + kShortestWord);
  const double start = std::max(begin + word.told_start, after.told);
  const double end = std::max(begin + word.told_end, start + kShortestWord);
  return {
      {std::move(word.text), start, end, word.probability}, std::move(word.tokens), aligned_end};
}

void WhisperLive::slide() {
  const size_t frames = mel_.frame_count();
  const bool is_full = mel_.room() == 0;
  if (frames <= kLongFrames && !is_full) return;
  // At the end of a sentence if there is one, else between words.
  size_t end = window_;
  size_t sentence = window_;
  const double kept = is_full ? 0 : kKeptSeconds;
  for (size_t i = window_; i < said_.size() && said_[i].aligned_end + kept <= last_end_.aligned;
       ++i) {
    end = i + 1;
    if (ends_sentence(said_[i].word.word)) sentence = i + 1;
  }
  leave_behind(sentence > window_ ? sentence : end);
  // Without speech nothing is committed, yet there must always be room for new sound.
  const bool is_unheard = said_.size() == window_ && provisional_.empty();
  if ((is_unheard && mel_.frame_count() > kLongFrames) || mel_.room() == 0) {
    drop_sound(mel_.frame_count() - std::min(kUnheardFrames, mel_.frame_count() / 2));
  }
}

void WhisperLive::leave_behind(size_t end) {
  if (end == window_) return;
  const double cut = (said_[end - 1].aligned_end - window_begin()) * 100;
  for (size_t i = window_; i < end; ++i) {
    const std::vector<uint32_t>& tokens = said_[i].tokens;
    if (i >= window_ + context_words_) said_before_.add(said_[i].word.word);
    if (options_.transcribe.condition_on_previous_text)
      prompt_.insert(prompt_.end(), tokens.begin(), tokens.end());
    committed_tokens_.erase(committed_tokens_.begin(),
                            committed_tokens_.begin() + static_cast<ptrdiff_t>(tokens.size()));
  }
  if (end > window_ + context_words_) language_.end_window();
  context_words_ -= std::min(context_words_, end - window_);
  window_ = end;
  is_unprompted_ = false;
  drop_sound(std::min(mel_.frame_count(), static_cast<size_t>(std::max(0.0, std::floor(cut)))));
}

void WhisperLive::drop_sound(size_t frames) {
  mel_.drop(frames);
  const double shift = static_cast<double>(frames) / 100;
  for (ProvisionalWord& word : provisional_) {
    word.start -= shift;
    word.end -= shift;
    word.heard_at -= shift;
    word.told_start -= shift;
    word.told_end -= shift;
  }
  forget_old();
}

void WhisperLive::forget_old() {
  const size_t old = std::min(open_, window_);
  said_.erase(said_.begin(), said_.begin() + static_cast<ptrdiff_t>(old));
  open_ -= old;
  window_ -= old;
  if (prompt_.size() > kPromptTokens)
    prompt_.erase(prompt_.begin(), prompt_.end() - static_cast<ptrdiff_t>(kPromptTokens));
}

void WhisperLive::end_utterance() {
  commit(provisional_, provisional_.size());
  provisional_.clear();
  tell(true);
  for (const SaidWord& said : std::span(said_).subspan(window_ + context_words_))
    said_before_.add(said.word.word);
  open_ = said_.size();
  context_words_ = open_ - window_;
  leave_behind(next_context());
  forget_old();
  policy_->forget();
  doubts_ = 0;
  heard_frames_ = 0;
  is_unprompted_ = false;
  language_.end_utterance();
  mel_.begin(said_.empty() ? 0 : mel_.frame_count());
  utterance_begin_ = fed_samples_;
  is_flushing_ = false;
}

void WhisperLive::tell(bool is_last) {
  const std::span<const SaidWord> said = said_;
  for (size_t i = open_; i < said.size(); ++i) {
    const bool has_next = i + 1 < said.size() || !provisional_.empty();
    const bool is_end = (ends_sentence(said[i].word.word) && has_next) ||
                        i + 1 - open_ == kMostOpenWords || (is_last && i + 1 == said.size());
    if (!is_end) continue;
    tell_words(LiveEvent::Type::final, said.subspan(open_, i + 1 - open_), i + 1 - open_);
    open_ = i + 1;
  }
  if (is_last && !told_.empty()) {
    // What was shown is taken back: nothing of it was said.
    tell_words(LiveEvent::Type::final, {}, 0);
  }
  if (is_last) return;
  std::vector<SaidWord> shown(said.begin() + static_cast<ptrdiff_t>(open_), said.end());
  const size_t committed = shown.size();
  WordEnd end = last_end_;
  for (const ProvisionalWord& word : provisional_) {
    shown.push_back(timed(ProvisionalWord(word), end));
    end = {shown.back().aligned_end, shown.back().word.end};
  }
  tell_words(LiveEvent::Type::partial, shown, committed);
}

void WhisperLive::tell_language() {
  const std::string_view language = language_.current();
  const bool is_known = told_language_.view() == language && is_told_sure_ == language_.is_sure();
  if (is_known || language_.probability() == 0) return;
  told_language_ = language;
  is_told_sure_ = language_.is_sure();
  LiveEvent& event = events_.emplace_back();
  event.type = LiveEvent::Type::language;
  event.time = now();
  event.probability = language_.probability();
  event.segment.id = id_;
  event.segment.language = language;
}

void WhisperLive::tell_words(LiveEvent::Type type, std::span<const SaidWord> said,
                             size_t committed) {
  std::string text;
  for (const SaidWord& each : said) text += each.word.word;
  const bool is_final = type == LiveEvent::Type::final;
  if (!is_final && text == told_ && committed == told_committed_) return;
  if (committed > 0) tell_language();
  LiveEvent& event = events_.emplace_back();
  event.type = type;
  event.time = now();
  event.committed = committed;
  Segment& segment = event.segment;
  segment.id = id_;
  segment.language = language_.current();
  segment.start = said.empty() ? event.time : said.front().word.start;
  segment.end = said.empty() ? event.time : said.back().word.end;
  double log_sum = 0;
  for (const SaidWord& each : said) {
    segment.words.push_back(each.word);
    const float score = std::log(std::max(1e-30f, each.word.probability));
    log_sum += double{score};
    for (const uint32_t& token : each.tokens) {
      const bool is_first = &token == &each.tokens.front();
      const bool is_end = &token == &each.tokens.back() && ends_sentence(each.word.word);
      event.tokens.push_back({token, model_->tokenizer().decode(std::span(&token, 1)),
                              each.word.start, score, is_first, is_end});
    }
  }
  segment.avg_logprob =
      said.empty() ? 0 : static_cast<float>(log_sum / static_cast<double>(said.size()));
  told_ = is_final ? std::string() : text;
  told_committed_ = is_final ? 0 : committed;
  segment.text = std::move(text);
  if (is_final) ++id_;
}

}  // namespace susurrus
