#include "families/speakers/turn_maker.h"

#include "base/sort.h"

namespace susurrus {
namespace {

/// What a window's word counts outside its middle; within it counts 1.
constexpr double kOutsideVote = 0.01;
/// Shorter pauses of a speaker are bridged; then shorter turns are dropped.
constexpr double kBridgedSeconds = 0.25;
constexpr double kLeastSeconds = 0.2;
constexpr size_t kVoteStepFrames = 10000;
/// What a new window costs, in frames.
constexpr size_t kWindowCost = 500;

}  // namespace

Status TurnMaker::begin(const HeardVoices& heard, size_t window_count, double end_seconds,
                        std::span<const double> centres) {
  heard_ = &heard;
  centres_ = centres;
  end_seconds_ = end_seconds;
  window_count_ = window_count;
  at_ = OverlappingWindows(heard, window_count);
  entered_ = 0;
  piece_ = 0;
  speaking_count_ = 0;
  turns_.clear();
  return lines_.fill(centres.size() / SpeakerNetworks::kVectorSize, {});
}

Result<bool> TurnMaker::step() {
  for (size_t cost = 0; cost < kVoteStepFrames && !at_.is_at_end(); ++cost, at_.next()) {
    const size_t before = entered_;
    SUSURRUS_RETURN_IF_ERROR(enter_windows());
    cost += (entered_ - before) * kWindowCost;
    SUSURRUS_RETURN_IF_ERROR(hear_frame());
  }
  if (!at_.is_at_end()) return false;
  for (uint32_t speaker = 0; speaker < lines_.size(); ++speaker) {
    if (lines_[speaker].is_open) SUSURRUS_RETURN_IF_ERROR(close(speaker, seconds(at_.frame())));
    SUSURRUS_RETURN_IF_ERROR(flush(speaker));
  }
  heap_sort(turns_.all(), [](const SpeakerTurn& a, const SpeakerTurn& b) {
    if (a.start != b.start) return a.start < b.start;
    return a.end != b.end ? a.end < b.end : a.speaker < b.speaker;
  });
  return true;
}

Status TurnMaker::enter_windows() {
  for (; entered_ < at_.end(); ++entered_) {
    const size_t first = piece_;
    const std::span<const VoicePiece> pieces = heard_->pieces.all();
    while (piece_ < pieces.size() && pieces[piece_].window == entered_) ++piece_;
    const size_t slot = entered_ % OverlappingWindows::kMost;
    middles_[slot] = heard_->place(entered_, window_count_).middle();
    SUSURRUS_RETURN_IF_ERROR(
        windows_[slot].find(*heard_, entered_, pieces.subspan(first, piece_ - first), centres_));
  }
  return ok_status();
}

/// Counts the votes for each speaker that a window names in this frame; a window names him once, though two of its voices be his.
size_t TurnMaker::count_votes(std::array<Votes, kMostVoted>& votes) const {
  size_t count = 0;
  for (size_t window = at_.first(); window < at_.end(); ++window) {
    const size_t slot = window % OverlappingWindows::kMost;
    const uint32_t frame = at_.frame_within(window);
    const double weight = middles_[slot].holds(frame) ? 1 : kOutsideVote;
    std::array<uint32_t, kWindowVoices> named;
    size_t named_count = 0;
    for (size_t voice = 0; voice < kWindowVoices; ++voice) {
      const uint32_t speaker = windows_[slot].speaker(frame, voice);
      const auto named_end = named.begin() + named_count;
      if (speaker == WindowSpeakers::kNobody) continue;
      if (std::find(named.begin(), named_end, speaker) != named_end) continue;
      named[named_count++] = speaker;
      size_t i = 0;
      while (i < count && votes[i].speaker != speaker) ++i;
      if (i == count) votes[count++] = {speaker, 0};
      votes[i].votes += weight;
    }
  }
  return count;
}

Status TurnMaker::hear_frame() {
  std::array<Votes, kMostVoted> votes;
  const std::span<Votes> counted(votes.data(), count_votes(votes));
  std::array<uint32_t, kMostAtOnce> speaking;
  size_t count = std::min<size_t>(counted.size(), at_.at_once());
  for (size_t i = 0; i < count; ++i) {
    // The most votes of those that are left; of equals the lower number.
    const auto most =
        std::ranges::min_element(counted.subspan(i), [](const Votes& a, const Votes& b) {
          return a.votes != b.votes ? a.votes > b.votes : a.speaker < b.speaker;
        });
    std::swap(counted[i], *most);
    speaking[i] = counted[i].speaker;
  }
  const auto is_among = [](uint32_t speaker, const auto& list, size_t size) {
    return std::find(list.begin(), list.begin() + size, speaker) != list.begin() + size;
  };
  const double now = seconds(at_.frame());
  for (size_t i = 0; i < speaking_count_; ++i) {
    if (is_among(speaking_[i], speaking, count)) continue;
    SUSURRUS_RETURN_IF_ERROR(close(speaking_[i], now));
  }
  for (size_t i = 0; i < count; ++i) {
    Line& line = lines_[speaking[i]];
    if (line.is_open) continue;
    line.is_open = true;
    line.from = now;
  }
  speaking_ = speaking;
  speaking_count_ = count;
  return ok_status();
}

Status TurnMaker::close(uint32_t speaker, double at) {
  Line& line = lines_[speaker];
  line.is_open = false;
  if (line.has_turn && line.from - line.turn.end < kBridgedSeconds) {
    line.turn.end = at;
    return ok_status();
  }
  SUSURRUS_RETURN_IF_ERROR(flush(speaker));
  line.has_turn = true;
  line.turn = {line.from, at, speaker};
  return ok_status();
}

Status TurnMaker::flush(uint32_t speaker) {
  Line& line = lines_[speaker];
  if (!line.has_turn) return ok_status();
  line.has_turn = false;
  if (line.turn.end - line.turn.start < kLeastSeconds) return ok_status();
  return turns_.add(line.turn);
}

double TurnMaker::seconds(uint64_t frame) const {
  const auto samples = static_cast<double>(frame * kFrameStep + kFrameMiddle);
  return std::min(end_seconds_, samples / SpeakerNetworks::kSampleRate);
}

}  // namespace susurrus
