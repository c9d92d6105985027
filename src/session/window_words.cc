#include "session/window_words.h"

#include <algorithm>
#include <optional>

#include "decode/phrase_tokens.h"
#include "session/language_detector.h"
#include "session/prompt.h"
#include "session/time_contract.h"
#include "session/window_segments.h"
#include "session/word_aligner.h"
#include "session/word_edges.h"
#include "session/word_timing.h"

namespace susurrus {
namespace {

class AlignedWords final : public WindowWords {
 public:
  AlignedWords(WhisperModel& model, const TranscribeOptions& options, uint64_t frame_count)
      : model_(model), options_(options), frame_count_(frame_count) {}

  /// Starts on a window that is encoded and whose language is known.
  Status begin(std::vector<Segment> segments, std::string_view language) {
    segments_ = std::move(segments);
    // An empty window, or one of less than a step of the timestamps, has no words.
    const std::vector<uint32_t> tokens = text_tokens(segments_, model_.special_tokens());
    if (tokens.empty() || frame_count_ < 2) {
      stage_ = Stage::done;
      return ok_status();
    }
    stage_ = Stage::align;
    SUSURRUS_ASSIGN_OR_RETURN(aligner_, WordAligner::create(model_, language, options_.decode.task,
                                                            tokens, frame_count_));
    return ok_status();
  }
  /// Starts on a window that is not encoded yet.
  Status encode(std::vector<Segment> segments, FixedString<16> language,
                std::vector<uint32_t> allowed_languages) {
    is_text_known_ = true;
    segments_ = std::move(segments);
    language_ = language;
    const EncoderContext& context = options_.decode.encoder_context;
    if (language.empty()) detector_.emplace(model_, std::move(allowed_languages), context);
    return begin_encode(model_, context);
  }

  Result<bool> step() override {
    if (stage_ == Stage::encode) {
      SUSURRUS_RETURN_IF_ERROR(encode());
    } else if (stage_ == Stage::align) {
      SUSURRUS_ASSIGN_OR_RETURN(bool is_done, aligner_->step());
      if (is_done) finish();
    }
    return stage_ == Stage::done;
  }
  const std::vector<Word>& words() const override { return words_; }

 private:
  enum class Stage : uint8_t { encode, align, done };

  Status encode() {
    if (detector_) {
      SUSURRUS_ASSIGN_OR_RETURN(bool is_done, detector_->step());
      if (!is_done) return ok_status();
      language_ = detector_->language();
    } else if (!model_.encode_step()) {
      return ok_status();
    }
    return begin(std::move(segments_), language_.view());
  }

  void finish() {
    const PunctuationMarks marks{options_.prepend_punctuations, options_.append_punctuations};
    if (is_text_known_ && options_.is_openai_compatible) {
      // The reference's find_alignment(), which knows no segments.
      merge_punctuations(aligner_->words(), marks);
      for (WordTiming& word : aligner_->words()) {
        if (word.word.empty()) continue;
        words_.push_back({std::move(word.word), word.start, word.end, word.probability});
      }
    } else {
      add_word_timestamps(segments_, aligner_->words(), model_.special_tokens(), marks, 0);
      if (!options_.is_openai_compatible) {
        std::vector<Segment> rejected;
        const TimeBounds bounds{0, frame_seconds(frame_count_)};
        keep_time_contract(segments_, bounds, rejected);
        const size_t n_mels = model_.dimensions().n_mels;
        const auto mel = model_.mel_window().first(static_cast<size_t>(frame_count_) * n_mels);
        refine_word_edges(segments_, {mel, n_mels, 0}, bounds);
      }
      for (Segment& segment : segments_) {
        std::ranges::move(segment.words, std::back_inserter(words_));
      }
    }
    aligner_.reset();
    stage_ = Stage::done;
  }

  WhisperModel& model_;
  const TranscribeOptions options_;
  const uint64_t frame_count_;
  FixedString<16> language_;
  std::optional<LanguageDetector> detector_;
  bool is_text_known_ = false;
  std::vector<Segment> segments_;
  std::unique_ptr<WordAligner> aligner_;
  std::vector<Word> words_;
  Stage stage_ = Stage::encode;
};

}  // namespace

Result<std::unique_ptr<WindowWords>> WindowWords::create(WhisperModel& model,
                                                         const TranscribeOptions& options,
                                                         const WindowResult& window,
                                                         uint64_t frame_count) {
  auto words = std::make_unique<AlignedWords>(model, options, frame_count);
  WindowSegments split = split_window(window, {0, frame_count}, model.tokenizer());
  SUSURRUS_RETURN_IF_ERROR(words->begin(std::move(split.segments), window.language.view()));
  return std::unique_ptr<WindowWords>(std::move(words));
}

Result<std::unique_ptr<WindowWords>> WindowWords::create(WhisperModel& model,
                                                         const TranscribeOptions& options,
                                                         std::string_view text,
                                                         uint64_t frame_count) {
  SUSURRUS_ASSIGN_OR_RETURN(FixedString<16> language, fixed_language(model, options.decode));
  SUSURRUS_ASSIGN_OR_RETURN(std::vector<uint32_t> allowed,
                            allowed_languages(model, options.decode));
  DecodeOptions prompt_options;
  prompt_options.timestamps = false;
  SUSURRUS_ASSIGN_OR_RETURN(Prompt prompt, make_prompt(model, prompt_options, language.view()));
  PhraseTokens spellings = phrase_tokens(model.tokenizer(), text);
  // As the model writes it: with a space in front where its script has spaces; in the reference everywhere.
  const bool is_bare = spellings.is_unspaced && !options.is_openai_compatible;
  Segment segment;
  segment.end = frame_seconds(frame_count);
  segment.tokens = std::move(is_bare ? spellings.bare : spellings.spaced);
  segment.text = model.tokenizer().decode(segment.tokens);
  // <|endoftext|> follows.
  const size_t room = model.dimensions().n_text_ctx - prompt.tokens.size() - 1;
  if (segment.tokens.size() > room) {
    return option_error("text", "at most " + std::to_string(room) + " tokens")
        .with_got(uint64_t{segment.tokens.size()});
  }

  auto words = std::make_unique<AlignedWords>(model, options, frame_count);
  std::vector<Segment> segments;
  segments.push_back(std::move(segment));
  SUSURRUS_RETURN_IF_ERROR(words->encode(std::move(segments), language, std::move(allowed)));
  return std::unique_ptr<WindowWords>(std::move(words));
}

}  // namespace susurrus
