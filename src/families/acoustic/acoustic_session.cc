#include "families/acoustic/acoustic_session.h"

#include <algorithm>
#include <cmath>

namespace susurrus {
namespace {

constexpr double kMostChunkSeconds = 3600;
/// What a token of a frame costs, and a hypothesis of a beam: in multiplications, roughly.
constexpr uint64_t kTokenCost = 16;
constexpr uint64_t kHypothesisCost = 4096;

size_t round_down(size_t value, size_t step) { return value - value % step; }

/// A lexicon's words with the frames of their letters. `labels` are the words that each frame completes.
std::vector<DecodedWord> words_of(const BeamVocabulary& vocabulary,
                                  std::span<const uint32_t> tokens,
                                  std::span<const uint32_t> labels) {
  std::vector<DecodedWord> words;
  bool has_begun = false;
  DecodedWord word;
  for (uint32_t t = 0; t < tokens.size(); ++t) {
    const bool is_silent =
        tokens[t] == vocabulary.silence() || tokens[t] == vocabulary.tokens().blank();
    const bool is_complete = labels[t] != BeamResult::kNoWord;
    if (!is_silent || (is_complete && !has_begun)) {
      if (!has_begun) word.first_frame = t;
      word.last_frame = t;
      has_begun = true;
    }
    if (!is_complete) continue;
    word.text = vocabulary.word_text(labels[t]);
    words.push_back(word);
    has_begun = false;
  }
  return words;
}

}  // namespace

Result<std::unique_ptr<AcousticSession>> AcousticSession::make(const AcousticModel& model,
                                                               const AcousticOptions& options) {
  if (!(options.chunk_seconds > 0 && options.chunk_seconds <= kMostChunkSeconds)) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::option)
        .with_subject("chunkSeconds")
        .with_expected("more than 0, at most 3600");
  }
  return std::unique_ptr<AcousticSession>(new AcousticSession(model, options));
}

AcousticSession::AcousticSession(const AcousticModel& model, const AcousticOptions& options)
    : model_(&model), stream_(model.features()), path_(model.tokens().size(), model.transitions()) {
  if (options.vocabulary != nullptr) search_.emplace(*options.vocabulary, options.beam);
  if (!model.is_network_limited()) return;
  const Bw2lTiming& timing = model.timing();
  const double outputs = std::ceil(options.chunk_seconds / model.seconds_per_frame());
  const double frames = timing.last - timing.first + 1 + std::max(1.0, outputs) * timing.stride;
  // A window needs a frame, however much the layers crop.
  window_frames_ = static_cast<size_t>(std::max(1.0, frames));
}

void AcousticSession::feed(std::span<const float> samples) {
  SUSURRUS_CHECK(stage_ == Stage::features && !stream_.is_finished());
  stream_.feed(samples);
}

void AcousticSession::finish() { stream_.finish(); }

Result<AcousticStep> AcousticSession::step(uint64_t cost) {
  if (has_failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("recognition");
  }
  has_failed_ = true;  // until it is known better
  emissions_ = {};
  AcousticStep result = AcousticStep::working;
  switch (stage_) {
    case Stage::features: {
      if (!stream_.step(cost)) break;
      SUSURRUS_ASSIGN_OR_RETURN(const bool has_begun, begin_window());
      if (!has_begun) result = AcousticStep::need_samples;
      break;
    }
    case Stage::network: {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, run_->step(cost));
      if (is_done) SUSURRUS_RETURN_IF_ERROR(end_run());
      break;
    }
    case Stage::decoding: {
      decode(cost);
      if (!undecoded_.empty()) break;
      end_window();
      emissions_ = window_emissions_;
      if (!emissions_.empty()) result = AcousticStep::emissions_ready;
      break;
    }
    case Stage::done: result = AcousticStep::done; break;
  }
  has_failed_ = false;
  return result;
}

Result<bool> AcousticSession::begin_window() {
  const size_t ready = stream_.ready_count();
  const bool is_all = stream_.is_finished();
  if (is_all && ready == 0) {
    return make_error(ErrorCode::shape_mismatch, ErrorReason::bad_audio)
        .with_subject("recording")
        .with_expected(std::to_string(model_->features().frame_size()) + " samples or more");
  }
  if (window_frames_ == 0) {
    if (!is_all) return false;
    is_last_window_ = true;
    SUSURRUS_RETURN_IF_ERROR(begin_run(0, ready));
    return true;
  }
  const Bw2lTiming& timing = model_->timing();
  const auto stride = static_cast<size_t>(timing.stride);
  const double wanted = static_cast<double>(next_frame_) * timing.stride + timing.first;
  size_t first = round_down(static_cast<size_t>(std::max(0.0, wanted)), stride);
  if (first + window_frames_ < ready || (!is_all && first + window_frames_ == ready)) {
    SUSURRUS_RETURN_IF_ERROR(begin_run(first, first + window_frames_));
    return true;
  }
  if (!is_all) return false;
  // Never shorter than another window: the layers may need as much.
  first = std::min(first, round_down(ready - std::min(ready, window_frames_), stride));
  is_last_window_ = true;
  SUSURRUS_RETURN_IF_ERROR(begin_run(first, ready));
  return true;
}

Status AcousticSession::begin_run(size_t first, size_t last) {
  stream_.normalised(first, last, window_);
  const Shape& declared = *model_->graph().values[model_->graph().inputs[0]].shape;
  const Shape shape{1, declared[1], declared[2], last - first};
  if (!run_ || !(run_->plan().input_shapes[0] == shape)) {
    run_.reset();
    auto plan = make_plan(model_->graph(), {&shape, 1});
    if (!plan && plan.error().code == ErrorCode::shape_mismatch && first == 0 && is_last_window_) {
      Error error = plan.error();
      error.reason = ErrorReason::bad_audio;
      error.expected = "a longer recording";
      error.got.assign(std::to_string(last) + " frames of features");
      return error;
    }
    if (!plan) return plan.error();
    SUSURRUS_ASSIGN_OR_RETURN(run_, GraphRun::make(model_->graph(), std::move(*plan)));
  }
  run_->set_input(0, window_.data());
  run_->begin();
  window_first_ = first;
  window_last_ = last;
  stage_ = Stage::network;
  return ok_status();
}

Status AcousticSession::end_run() {
  const Bw2lTiming& timing = model_->timing();
  const size_t token_count = model_->tokens().size();
  const std::span<const float> all = run_->output(0).as<const float>();
  const size_t shift = window_frames_ == 0 ? 0 : window_first_ / static_cast<size_t>(timing.stride);
  size_t end = shift + all.size() / token_count;
  if (!is_last_window_) {
    // Frames that see nothing after the window.
    const double seen = static_cast<double>(window_last_) - 1 - timing.last;
    const double count = std::floor(seen / timing.stride) + 1;
    end = std::min(end, static_cast<size_t>(std::max(0.0, count)));
  }
  first_frame_ = next_frame_;
  window_emissions_ = {};
  if (end > next_frame_) {
    window_emissions_ =
        all.subspan((next_frame_ - shift) * token_count, (end - next_frame_) * token_count);
    next_frame_ = end;
  }
  const auto wrong =
      std::ranges::find_if(window_emissions_, [](float value) { return !std::isfinite(value); });
  if (wrong != window_emissions_.end()) {
    const auto place = static_cast<size_t>(wrong - window_emissions_.begin());
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .with_subject("emissions[" + std::to_string(first_frame_ + place / token_count) + "]")
        .with_expected("finite numbers");
  }
  undecoded_ = window_emissions_;
  stage_ = Stage::decoding;
  return ok_status();
}

void AcousticSession::decode(uint64_t cost) {
  const size_t token_count = model_->tokens().size();
  uint64_t frame_cost = kTokenCost * token_count;
  if (search_) {
    frame_cost += kHypothesisCost * search_->options().beam_size;
  } else if (!model_->transitions().empty()) {
    frame_cost += uint64_t{token_count} * token_count;
  }
  const uint64_t left = undecoded_.size() / token_count;
  const auto frames = static_cast<size_t>(std::min(left, 1 + cost / frame_cost));
  const auto next = undecoded_.first(frames * token_count);
  undecoded_ = undecoded_.subspan(next.size());
  if (search_) {
    search_->push(next);
  } else {
    path_.push(next);
  }
}

void AcousticSession::end_window() {
  if (is_last_window_) {
    if (search_) search_->finish();
    stage_ = Stage::done;
    return;
  }
  stage_ = Stage::features;
  const Bw2lTiming& timing = model_->timing();
  const double needed = static_cast<double>(next_frame_) * timing.stride + timing.first;
  // The last window may go back by as much as a window has.
  const size_t kept = stream_.ready_count() - std::min(stream_.ready_count(), window_frames_);
  const size_t first = std::min(static_cast<size_t>(std::max(0.0, needed)), kept);
  stream_.drop_before(round_down(first, static_cast<size_t>(timing.stride)));
}

AcousticResult AcousticSession::result() const {
  const AcousticTokens& names = model_->tokens();
  AcousticPath path;
  AcousticResult result;
  if (search_) {
    BeamResult best = search_->result();
    path = {std::move(best.tokens), std::move(best.log_probabilities), search_->final_count()};
    if (search_->vocabulary().lexicon() != nullptr) {
      const auto words = words_of(search_->vocabulary(), path.tokens, best.words);
      result = result_with_words(names, path, words, model_->seconds_per_frame());
    } else {
      result = spelt_result(names, path, model_->seconds_per_frame());
    }
  } else {
    path_.best(path.tokens, path.log_probabilities);
    path.final_frames = path_.final_count();
    result = spelt_result(names, path, model_->seconds_per_frame());
  }
  if (stage_ == Stage::done) result.final_word_count = result.words.size();
  return result;
}

double AcousticSession::seconds_done() const {
  return static_cast<double>(next_frame_) * model_->seconds_per_frame();
}

uint64_t AcousticSession::byte_count() const {
  return stream_.byte_count() + window_.capacity() * sizeof(float) +

         (run_ ? run_->byte_count() : 0) + (search_ ? search_->byte_count() : 0);
}

}  // namespace susurrus
