#include "families/speakers/speaker_settling.h"

namespace susurrus {
namespace {

/// From so many seconds on a piece's vector helps to find the speakers.
constexpr double kClusteredSeconds = 1;
/// From so many seconds in all that so many speak at once, so many speakers there are.
constexpr double kTogetherSeconds = 1;
constexpr size_t kCountStepFrames = 100000;
/// Products of two vectors that a step takes.
constexpr size_t kAddStepProducts = 20000;

}  // namespace

SpeakerSettling::SpeakerSettling(const HeardVoices& heard, const Options& options)
    : heard_(&heard),
      options_(options),
      window_count_(heard.complete_windows),
      at_(heard, window_count_) {
  if (window_count_ == 0) return;
  const std::span<const VoicePiece> pieces = heard.pieces.all();
  piece_count_ = pieces.size();
  while (piece_count_ > 0 && pieces[piece_count_ - 1].window >= window_count_) --piece_count_;
  const uint64_t end =
      heard.starts[window_count_ - 1] * kFrameStep + SpeakerNetworks::kWindowSamples;
  end_seconds_ = static_cast<double>(std::min(end, heard.samples)) / SpeakerNetworks::kSampleRate;
}

Result<bool> SpeakerSettling::step() {
  switch (stage_) {
    case Stage::frames:
      count_frames();
      if (!at_.is_at_end()) break;
      count_vectors();
      break;
    case Stage::vectors: {
      SUSURRUS_RETURN_IF_ERROR(add_vectors());
      if (piece_ < piece_count_) break;
      SUSURRUS_RETURN_IF_ERROR(tree_.begin(groups_.means(), groups_.counts()));
      stage_ = Stage::linkage;
      break;
    }
    case Stage::linkage: {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_complete, tree_.step());
      if (!is_complete) break;
      size_t at_once = 1;
      for (size_t count = 2; count <= kWindowVoices; ++count) {
        uint64_t frames = 0;
        for (size_t more = count; more <= kWindowVoices; ++more) frames += frames_of_[more];
        if (frame_seconds(frames) >= kTogetherSeconds) at_once = count;
      }
      SUSURRUS_RETURN_IF_ERROR(
          clusters_.begin(tree_, groups_.means(), groups_.counts(), at_once, options_.limits));
      stage_ = Stage::clusters;
      break;
    }
    case Stage::clusters: {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, clusters_.step());
      if (!is_done) break;
      tree_ = {};
      groups_.reset();
      SUSURRUS_RETURN_IF_ERROR(
          maker_.begin(*heard_, window_count_, end_seconds_, clusters_.centres()));
      stage_ = Stage::turns;
      break;
    }
    case Stage::turns: {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_complete, maker_.step());
      if (!is_complete) break;
      turns_ = maker_.take_turns();
      SUSURRUS_RETURN_IF_ERROR(number_speakers());
      stage_ = Stage::done;
      break;
    }
    case Stage::done: break;
  }
  return stage_ == Stage::done;
}

void SpeakerSettling::count_frames() {
  for (size_t i = 0; i < kCountStepFrames && !at_.is_at_end(); ++i, at_.next()) {
    ++frames_of_[at_.at_once()];
  }
}

void SpeakerSettling::count_vectors() {
  size_t all = 0;
  size_t long_enough = 0;
  for (const VoicePiece& piece : heard_->pieces.all().first(piece_count_)) {
    if (piece.vector == VoicePiece::kNoVector) continue;
    ++all;
    long_enough += takes_part(piece);
  }
  are_all_in_ = long_enough < 2;
  groups_.begin(are_all_in_ ? all : long_enough, options_.most_items);
  stage_ = all == 0 ? Stage::done : Stage::vectors;
}

bool SpeakerSettling::takes_part(const VoicePiece& piece) const {
  return piece.vector != VoicePiece::kNoVector &&
         (are_all_in_ || piece.seconds() >= kClusteredSeconds);
}

Status SpeakerSettling::add_vectors() {
  for (size_t products = 0; piece_ < piece_count_ && products < kAddStepProducts; ++piece_) {
    const VoicePiece& piece = heard_->pieces[piece_];
    if (!takes_part(piece)) continue;
    SUSURRUS_RETURN_IF_ERROR(groups_.add(heard_->vector(piece)));
    products += groups_.are_joined() ? groups_.item_count() : 1;
  }
  return ok_status();
}

/// As they are first heard; those who have no turn are left out.
Status SpeakerSettling::number_speakers() {
  constexpr uint32_t kUnheard = ~0u;
  GrowingList<uint32_t> numbers;
  SUSURRUS_RETURN_IF_ERROR(numbers.fill(clusters_.speaker_count(), kUnheard));
  for (SpeakerTurn& turn : turns_.all()) {
    uint32_t& number = numbers[turn.speaker];
    if (number == kUnheard) {
      number = static_cast<uint32_t>(speakers_.size());
      SUSURRUS_ASSIGN_OR_RETURN(const std::span<FoundSpeaker> room, speakers_.extend(1));
      const auto centre = clusters_.centres().subspan(turn.speaker * SpeakerNetworks::kVectorSize,
                                                      SpeakerNetworks::kVectorSize);
      std::ranges::transform(centre, room[0].centre.begin(),
                             [](double value) { return static_cast<float>(value); });
      room[0].seconds = 0;
    }
    turn.speaker = number;
    speakers_[number].seconds += turn.end - turn.start;
  }
  return ok_status();
}

}  // namespace susurrus
