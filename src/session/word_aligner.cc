#include "session/word_aligner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "align/alignment_costs.h"
#include "base/sort.h"
#include "families/whisper/resumable_op.h"
#include "session/prompt.h"
#include "text/word_split.h"

namespace susurrus {
namespace {

using Heads = std::vector<std::pair<uint32_t, uint32_t>>;  // (layer, head)

/// The model's own, without those it does not have; where that leaves none, every head of the upper half of the layers.
Heads alignment_heads(const WhisperModel& model) {
  const WhisperDimensions& d = model.dimensions();
  Heads heads = model.metadata().alignment_heads;
  std::erase_if(heads, [&](const auto& each) {
    return each.first >= d.n_text_layer || each.second >= d.n_text_head;
  });
  if (heads.empty()) {
    for (uint32_t layer = d.n_text_layer / 2; layer < d.n_text_layer; ++layer) {
      for (uint32_t head = 0; head < d.n_text_head; ++head) heads.emplace_back(layer, head);
    }
  }
  sort_unique(heads);
  return heads;
}

std::vector<uint32_t> layers_of(const Heads& heads) {
  std::vector<uint32_t> layers;
  for (const auto& [layer, head] : heads) {
    if (layers.empty() || layers.back() != layer) layers.push_back(layer);
  }
  return layers;
}

class AttentionAligner final : public WordAligner {
 public:
  AttentionAligner(WhisperModel& model, std::string_view language,
                   std::span<const uint32_t> text_tokens, size_t frames)
      : model_(model),
        language_(language),
        text_(text_tokens.begin(), text_tokens.end()),
        frames_(frames),
        heads_(alignment_heads(model)) {
    trace_.layers = layers_of(heads_);
  }

  /// Takes memory and begins the pass over `prompt` (up to and with <|notimestamps|>), the text and <|endoftext|>.
  Status begin(std::span<const uint32_t> prompt) {
    if (text_.empty()) {
      stage_ = Stage::done;
      return ok_status();
    }
    std::vector<uint32_t> tokens(prompt.begin(), prompt.end());
    tokens.insert(tokens.end(), text_.begin(), text_.end());
    tokens.push_back(model_.special_tokens().end_of_text);
    token_count_ = tokens.size();
    // A token is predicted one row before it stands in the pass.
    first_row_ = prompt.size() - 1;
    SUSURRUS_ASSIGN_OR_RETURN(
        AlignmentCosts costs,
        AlignmentCosts::create(token_count_, frames_, first_row_, text_.size() + 1));
    costs_.emplace(std::move(costs));
    probabilities_.reserve(text_.size());
    return model_.begin_traced_decode(tokens, trace_);
  }

  Result<bool> step() override {
    switch (stage_) {
      case Stage::pass:
        if (model_.decode_step()) stage_ = Stage::begin_logits;
        break;
      case Stage::begin_logits: begin_logits(); break;
      case Stage::logits:
        if (model_.decode_step()) take_probabilities();
        break;
      case Stage::scores: score_rows(); break;
      case Stage::normalise:
        costs_->normalise(model_.kernels());
        stage_ = Stage::accumulate;
        break;
      case Stage::accumulate:
        costs_->accumulate(model_.kernels());
        stage_ = ++head_ < heads_.size() ? Stage::scores : Stage::warp;
        break;
      case Stage::warp:
        costs_->warp();
        place_words();
        stage_ = Stage::done;
        break;
      case Stage::done: break;
    }
    return stage_ == Stage::done;
  }

  std::vector<WordTiming>& words() override { return words_; }
  const AlignmentCosts* costs() const override { return costs_ ? &*costs_ : nullptr; }

 private:
  enum class Stage : uint8_t {
    pass,
    begin_logits,
    logits,
    scores,
    normalise,
    accumulate,
    warp,
    done
  };

  size_t rows_of_logits() const {
    return std::min(kTraceLogitRows, text_.size() - probabilities_.size());
  }

  void begin_logits() {
    const size_t width = model_.dimensions().n_text_state;
    const size_t row = first_row_ + probabilities_.size();
    model_.begin_logits(trace_.hidden.floats().subspan(row * width, rows_of_logits() * width),
                        rows_of_logits());
    stage_ = Stage::logits;
  }

  /// Among the tokens of text: control tokens and timestamps take no part of the probability.
  void take_probabilities() {
    const size_t text_end = model_.special_tokens().end_of_text;
    for (size_t i = 0, rows = rows_of_logits(); i < rows; ++i) {
      const std::span<float> logits = model_.logits(i);
      model_.kernels().softmax(1, text_end, logits.data(), text_end);
      probabilities_.push_back(logits[text_[probabilities_.size()]]);
    }
    stage_ = probabilities_.size() < text_.size() ? Stage::begin_logits : Stage::scores;
  }

  void score_rows() {
    const WhisperDimensions& d = model_.dimensions();
    const auto [layer, head] = heads_[head_];
    const uint64_t work_per_row =
        std::max<uint64_t>(1, uint64_t{frames_} * (d.n_text_state / d.n_text_head));
    const size_t rows = static_cast<size_t>(
        std::clamp<uint64_t>(kStepMultiplyAdds / work_per_row, 1, token_count_ - rows_scored_));
    const auto place =
        static_cast<size_t>(std::ranges::find(trace_.layers, layer) - trace_.layers.begin());
    const size_t first = place * token_count_ + rows_scored_;
    model_.cross_scores(
        layer, head, trace_.queries.floats().subspan(first * d.n_text_state, rows * d.n_text_state),
        frames_, costs_->scores().data() + rows_scored_ * frames_);
    rows_scored_ += rows;
    if (rows_scored_ < token_count_) return;
    rows_scored_ = 0;
    stage_ = Stage::normalise;
  }

  /// A word lasts from where the path enters its first token's row to where it enters the next word's.
  void place_words() {
    std::vector<double> entries;
    entries.reserve(text_.size() + 1);
    for (const WarpingStep& at : costs_->path()) {
      if (static_cast<size_t>(at.row) == entries.size()) {
        entries.push_back(at.column / kPositionsPerSecond);
      }
    }
    std::vector<uint32_t> tokens = text_;
    tokens.push_back(model_.special_tokens().end_of_text);
    std::vector<SplitWord> split = split_words(model_.tokenizer(), language_.view(), tokens);
    if (split.size() < 2) return;
    // The last one is the end of the text, or what swallowed it.
    split.pop_back();
    words_.reserve(split.size());
    size_t begin = 0;
    for (SplitWord& word : split) {
      const size_t end = begin + word.tokens.size();
      double sum = 0;
      for (size_t i = begin; i < end; ++i) sum += double{probabilities_[i]};
      words_.push_back({std::move(word.text), std::move(word.tokens), entries[begin], entries[end],
                        static_cast<float>(sum / static_cast<double>(end - begin))});
      begin = end;
    }
  }

  WhisperModel& model_;
  FixedString<16> language_;
  std::vector<uint32_t> text_;
  size_t frames_;
  Heads heads_;
  DecoderTrace trace_;
  size_t token_count_ = 0;  // of the pass
  size_t first_row_ = 0;
  std::optional<AlignmentCosts> costs_;

  Stage stage_ = Stage::pass;
  std::vector<float> probabilities_;  // of text_
  size_t head_ = 0;
  size_t rows_scored_ = 0;  // of this head
  std::vector<WordTiming> words_;
};

Status check_text(const WhisperModel& model, std::span<const uint32_t> tokens, size_t room) {
  for (uint32_t token : tokens) {
    if (token >= model.special_tokens().end_of_text) {
      return option_error("text", "tokens of text only").with_got(token);
    }
  }
  if (tokens.size() <= room) return ok_status();
  return option_error("text", "at most " + std::to_string(room) + " tokens")
      .with_got(tokens.size());
}

}  // namespace

Result<std::unique_ptr<WordAligner>> WordAligner::create(WhisperModel& model,
                                                         std::string_view language, Task task,
                                                         std::span<const uint32_t> text_tokens,
                                                         uint64_t frame_count) {
  if (!model.is_encoded()) {
    return make_error(ErrorCode::wrong_state, ErrorReason::state)
        .with_subject("align")
        .with_expected("an encoded window");
  }
  DecodeOptions options;
  options.task = task;
  options.timestamps = false;
  SUSURRUS_ASSIGN_OR_RETURN(const Prompt prompt, make_prompt(model, options, language));
  const size_t taken = prompt.tokens.size() + 1;
  const size_t context = model.dimensions().n_text_ctx;
  SUSURRUS_RETURN_IF_ERROR(check_text(model, text_tokens, context > taken ? context - taken : 0));
  // The reference knows no language in a model of English alone, and its words are spaced.
  if (!model.special_tokens().is_multilingual) language = {};
  const auto frames =
      static_cast<size_t>(std::min<uint64_t>(frame_count / 2, model.encoded_positions()));
  auto aligner = std::make_unique<AttentionAligner>(model, language, text_tokens, frames);
  SUSURRUS_RETURN_IF_ERROR(aligner->begin(prompt.tokens));
  return std::unique_ptr<WordAligner>(std::move(aligner));
}

}  // namespace susurrus
