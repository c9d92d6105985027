#include "session/window_segments.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "text/unicode_class.h"
#include "text/white_space.h"

namespace susurrus {
namespace {

// One step of the timestamps: one encoder position, two mel frames.
constexpr uint64_t kTimestampFrames = 2;
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

Segment make_segment(const WindowResult& result, std::span<const uint32_t> tokens,
                     std::span<const float> logprobs, WindowPlace place,
                     const Tokenizer& tokenizer) {
  std::vector<uint32_t> text_tokens;
  for (uint32_t token : tokens) {
    if (token < tokenizer.special().end_of_text) text_tokens.push_back(token);
  }
  Segment segment;
  segment.seek = place.seek;
  segment.start = frame_seconds(place.seek);
  segment.end = segment.start + frame_seconds(place.frame_count);
  segment.text = tokenizer.decode(text_tokens);
  segment.tokens.assign(tokens.begin(), tokens.end());
  segment.token_probabilities.reserve(tokens.size());
  for (float logprob : logprobs) segment.token_probabilities.push_back(std::exp(logprob));
  segment.temperature = result.temperature;
  segment.avg_logprob = result.avg_logprob;
  segment.compression_ratio = result.compression_ratio;
  segment.no_speech_prob = result.no_speech_prob;
  segment.encoder_context = result.encoder_context;
  return segment;
}

/// Makes a segment of the window's tokens [begin, end).
Segment make_segment(const WindowResult& result, size_t begin, size_t end, WindowPlace place,
                     const Tokenizer& tokenizer) {
  return make_segment(result, std::span(result.tokens).subspan(begin, end - begin),
                      std::span(result.token_logprobs).subspan(begin, end - begin), place,
                      tokenizer);
}

std::optional<Segment> cut_segment(const WindowResult& result, WindowPlace place,
                                   const Tokenizer& tokenizer) {
  Segment segment = make_segment(result, result.cut_tokens, result.cut_logprobs, place, tokenizer);
  if (!has_text(segment)) return std::nullopt;
  segment.decision = Decision::dropped_repetition;
  return segment;
}

/// Text that was closed, at a time after the window's beginning.
bool ends_in_time(std::span<const uint32_t> tokens, const SpecialTokens& special) {
  return !tokens.empty() && special.is_timestamp(tokens.back()) &&
         tokens.back() != special.timestamp_begin;
}

}  // namespace

bool loses_rest(const WindowResult& result, const SpecialTokens& special) {
  return result.is_loop_broken && !ends_in_time(result.tokens, special) &&
         meetings(result.tokens, special).empty();
}

WindowSegments split_window(const WindowResult& result, WindowPlace place,
                            const Tokenizer& tokenizer) {
  const SpecialTokens& special = tokenizer.special();
  const std::span<const uint32_t> tokens = result.tokens;
  const double offset = frame_seconds(place.seek);
  // Without timestamps in the prompt a part may begin with a text token. The reference takes that for a timestamp all the
  // same, a negative one.
  auto seconds = [&](uint32_t token) {
    const int64_t index = int64_t{token} - int64_t{special.timestamp_begin};
    return offset + static_cast<double>(index) * kSecondsPerTimestamp;
  };
  auto seek_to = [&](uint32_t token) {
    return place.seek + kTimestampFrames * (token - special.timestamp_begin);
  };

  WindowSegments split;
  split.next_seek = place.end();
  split.is_single_timestamp_ending =
      ends_in_single_timestamp(tokens, special) && !result.is_loop_broken;
  std::vector<size_t> ends = meetings(tokens, special);
  if (ends.empty()) {
    Segment segment = make_segment(result, 0, tokens.size(), place, tokenizer);
    auto last = std::find_if(tokens.rbegin(), tokens.rend(),
                             [&](uint32_t token) { return special.is_timestamp(token); });
    const bool is_closed = last == tokens.rbegin();
    // A text that was cut has no more than its beginning before a last timestamp that does not close it.
    if (last != tokens.rend() && *last != special.timestamp_begin &&
        (is_closed || !result.is_loop_broken)) {
      segment.end = seconds(*last);
      if (result.is_loop_broken) {
        split.next_seek = seek_to(*last);
      } else if (is_closed) {
        split.text_end = seek_to(*last);
      }
    }
    split.segments.push_back(std::move(segment));
    if (loses_rest(result, special)) split.rejected = cut_segment(result, place, tokenizer);
    return split;
  }

  if (ends_in_single_timestamp(tokens, special)) ends.push_back(tokens.size());
  size_t begin = 0;
  for (size_t end : ends) {
    Segment segment = make_segment(result, begin, end, place, tokenizer);
    segment.start = seconds(tokens[begin]);
    segment.end = seconds(tokens[end - 1]);
    split.segments.push_back(std::move(segment));
    begin = end;
  }
  const uint64_t text_end = seek_to(tokens[begin - 1]);
  if (split.is_single_timestamp_ending) {
    split.text_end = text_end;
  } else {
    split.next_seek = text_end;
  }
  return split;
}

WindowSegments whole_window(const WindowResult& result, WindowPlace place,
                            const Tokenizer& tokenizer) {
  WindowSegments window;
  window.next_seek = place.end();
  window.segments.push_back(make_segment(result, 0, result.tokens.size(), place, tokenizer));
  if (result.is_loop_broken) window.rejected = cut_segment(result, place, tokenizer);
  return window;
}

bool has_text(const Segment& segment) { return !strip_white_space(segment.text).empty(); }

bool has_words(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = next_utf8(text);
    if (step.point == kReplacementCharacter || is_letter(step.point) || is_number(step.point)) {
      return true;
    }
    text.remove_prefix(step.byte_count);
  }
  return false;
}

void clear_text(Segment& segment) {
  segment.text.clear();
  segment.tokens.clear();
  segment.token_probabilities.clear();
  segment.words.clear();
}

void clear_empty_segments(std::vector<Segment>& segments, std::vector<Segment>& rejected) {
  for (Segment& segment : segments) {
    const bool is_text = has_text(segment);
    if (segment.start != segment.end && is_text) continue;
    if (is_text) {
      rejected.push_back(segment);
      rejected.back().decision = Decision::dropped_zero_length;
    }
    clear_text(segment);
  }
}

}  // namespace susurrus
