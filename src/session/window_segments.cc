#include "session/window_segments.h"

#include "text/utf8.h"

namespace susurrus {
namespace {

double frame_seconds(uint64_t frames) {
  return static_cast<double>(frames * kHopSamples) / kSampleRate;
}
// One step of the timestamps: one encoder position, two mel frames.
constexpr uint64_t kFramesPerTimestamp = 2;
constexpr double kSecondsPerTimestamp = 0.02;

/// Indices at which a segment ends because two timestamps meet there.
std::vector<size_t> meetings(std::span<const uint32_t> tokens, const SpecialTokens& special) {
  std::vector<size_t> found;
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (special.is_timestamp(tokens[i - 1]) && special.is_timestamp(tokens[i])) found.push_back(i);
  }
  return found;
}

bool ends_in_single_timestamp(std::span<const uint32_t> tokens, const SpecialTokens& special) {
  return tokens.size() >= 2 && !special.is_timestamp(tokens[tokens.size() - 2]) &&
         special.is_timestamp(tokens.back());
}

Segment make_segment(const WindowResult& result, std::span<const uint32_t> tokens, uint64_t seek,
                     double start, double end, const Tokenizer& tokenizer) {
  std::vector<uint32_t> text_tokens;
  for (uint32_t token : tokens) {
    if (token < tokenizer.special().end_of_text) text_tokens.push_back(token);
  }
  Segment segment;
  segment.seek = seek;
  segment.start = start;
  segment.end = end;
  segment.text = tokenizer.decode(text_tokens);
  segment.tokens.assign(tokens.begin(), tokens.end());
  segment.temperature = result.temperature;
  segment.avg_logprob = result.avg_logprob;
  segment.compression_ratio = result.compression_ratio;
  segment.no_speech_prob = result.no_speech_prob;
  if (start == end || strip_white_space(segment.text).empty()) {
    segment.text.clear();
    segment.tokens.clear();
  }
  return segment;
}

}  // namespace

WindowSegments split_window(const WindowResult& result, WindowPlace place,
                            const Tokenizer& tokenizer) {
  const SpecialTokens& special = tokenizer.special();
  const std::span<const uint32_t> tokens = result.tokens;
  const double offset = frame_seconds(place.seek);
  const uint64_t window_end = place.seek + place.frame_count;
  // Without timestamps in the prompt a part may begin with a text token. The reference takes that for a timestamp all the
  // same, a negative one.
  auto seconds = [&](uint32_t token) {
    const int64_t index = int64_t{token} - int64_t{special.timestamp_begin};
    return offset + static_cast<double>(index) * kSecondsPerTimestamp;
  };

  WindowSegments split;
  split.next_seek = window_end;
  std::vector<size_t> ends = meetings(tokens, special);
  if (ends.empty()) {
    double end = offset + frame_seconds(place.frame_count);
    for (size_t i = tokens.size(); i-- > 0;) {
      if (!special.is_timestamp(tokens[i])) continue;
      if (tokens[i] != special.timestamp_begin) end = seconds(tokens[i]);
      break;
    }
    split.segments.push_back(make_segment(result, tokens, place.seek, offset, end, tokenizer));
    return split;
  }

  const bool is_single = ends_in_single_timestamp(tokens, special);
  if (is_single) ends.push_back(tokens.size());
  size_t begin = 0;
  for (size_t end : ends) {
    auto part = tokens.subspan(begin, end - begin);
    split.segments.push_back(make_segment(result, part, place.seek, seconds(part.front()),
                                          seconds(part.back()), tokenizer));
    begin = end;
  }
  if (!is_single) {
    uint64_t advance = kFramesPerTimestamp * (tokens[begin - 1] - special.timestamp_begin);
    // Never stand still.
    if (advance > 0) split.next_seek = place.seek + advance;
  }
  return split;
}

}  // namespace susurrus
