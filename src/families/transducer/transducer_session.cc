#include "families/transducer/transducer_session.h"

#include <algorithm>
#include <array>

namespace susurrus {
namespace {

/// The ring's room, in segments.
constexpr size_t kRingSegments = 32;
/// How far a flush pads, in segments.
constexpr int64_t kPaddingSegments = 3;
/// Pieces of zeros in a flush.
constexpr int kZeroPieces = 2;
constexpr std::array<float, FilterbankFrontend::kPieceSamples> kZeros = {};

}  // namespace

Result<std::unique_ptr<TransducerSession>> TransducerSession::make(const TransducerModel& model,
                                                                   AprilFrontEnd front_end,
                                                                   TransducerListener& listener) {
  const AprilParams& params = model.params();
  SUSURRUS_ASSIGN_OR_RETURN(FilterbankFrontend frontend,
                            FilterbankFrontend::make(params, front_end));
  SUSURRUS_ASSIGN_OR_RETURN(
      FrameRing ring, FrameRing::make(static_cast<size_t>(params.segment_size) * kRingSegments,
                                      static_cast<size_t>(params.mel_features)));
  SUSURRUS_ASSIGN_OR_RETURN(TransducerNetworks networks, TransducerNetworks::make(model));
  return std::unique_ptr<TransducerSession>(new TransducerSession(
      model, std::move(frontend), std::move(ring), std::move(networks), listener));
}

TransducerSession::TransducerSession(const TransducerModel& model, FilterbankFrontend frontend,
                                     FrameRing ring, TransducerNetworks networks,
                                     TransducerListener& listener)
    : params_(&model.params()),
      frontend_(std::move(frontend)),
      ring_(std::move(ring)),
      networks_(std::move(networks)),
      search_(model.vocabulary(), model.context_size(), networks_, listener) {}

size_t TransducerSession::feed(std::span<const float> samples) {
  SUSURRUS_CHECK(!is_encoding_ && stage_ == Stage::none);
  is_flushed_ = false;
  const size_t count = std::min(samples.size(), FilterbankFrontend::kPieceSamples);
  take_piece(samples.first(count));
  return count;
}

void TransducerSession::take_piece(std::span<const float> samples) {
  frontend_.begin_piece(samples);
  for (;;) {
    // As april-asr has it: even a piece that just filled the ring is dropped, though its frames stay.
    if (ring_.is_full()) {
      frontend_.drop_piece();
      dropped_samples_ += samples.size();
      return;
    }
    if (!frontend_.next_frame(ring_.next_row())) break;
    ring_.push();
    sound_frames_ = static_cast<int64_t>(ring_.size());
  }
  frontend_.end_piece();
}

void TransducerSession::begin_flush() {
  SUSURRUS_CHECK(!is_encoding_ && stage_ == Stage::none);
  if (is_flushed_) return;
  is_flushed_ = true;
  stage_ = Stage::first_padding;
}

Result<bool> TransducerSession::step(uint64_t cost) {
  if (has_failed_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("stream");
  }
  has_failed_ = true;  // until it is known better
  for (;;) {
    if (is_encoding_) {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_encoded, networks_.encode(cost));
      is_encoding_ = !is_encoded;
      if (is_encoded) SUSURRUS_RETURN_IF_ERROR(search_.advance(now_ms_));
      has_failed_ = false;
      return is_encoded && stage_ == Stage::none &&
             ring_.size() < static_cast<size_t>(params_->segment_size);
    }
    if (ring_.size() >= static_cast<size_t>(params_->segment_size)) {
      begin_segment();
    } else if (stage_ == Stage::none) {
      has_failed_ = false;
      return true;
    } else {
      SUSURRUS_RETURN_IF_ERROR(flush_part());
    }
  }
}

Status TransducerSession::run() {
  for (;;) {
    SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, step(~uint64_t{0}));
    if (is_done) return ok_status();
  }
}

void TransducerSession::begin_segment() {
  const auto step = static_cast<size_t>(params_->segment_step);
  ring_.copy_oldest(networks_.segment());
  ring_.drop(step);
  sound_frames_ -= static_cast<int64_t>(step);
  now_ms_ += uint64_t{step} * static_cast<uint64_t>(params_->frame_shift_ms);
  networks_.begin_encoding();
  is_encoding_ = true;
}

Status TransducerSession::flush_part() {
  switch (stage_) {
    case Stage::none: break;
    case Stage::first_padding:
      if (!pad()) stage_ = Stage::zeros;
      break;
    case Stage::zeros:
      for (int i = 0; i < kZeroPieces; ++i) take_piece(kZeros);
      stage_ = Stage::second_padding;
      break;
    case Stage::second_padding:
      if (!pad()) stage_ = Stage::end;
      break;
    case Stage::end: stage_ = Stage::none; return search_.finish(now_ms_);
  }
  return ok_status();
}

bool TransducerSession::pad() {
  const int64_t segment_size = params_->segment_size;
  if (sound_frames_ < -kPaddingSegments * segment_size) return false;
  while (ring_.size() < static_cast<size_t>(segment_size)) {
    std::ranges::fill(ring_.next_row(), FilterbankFrontend::kSilence);
    ring_.push();
  }
  return true;
}

}  // namespace susurrus
