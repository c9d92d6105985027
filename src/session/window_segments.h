#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "session/mel_frames.h"
#include "session/results.h"
#include "text/tokenizer.h"

namespace susurrus {

struct WindowSegments {
  std::vector<Segment> segments;  // neither ids, language, decision nor attempts yet
  /// What was cut off the end of the window's text, where the window is not decoded again from there.
  std::optional<Segment> rejected;
  /// Where the next window begins; not yet past `seek` where the last meeting is at 0.
  uint64_t next_seek = 0;
  /// The mel frame at which the text was closed, where the window counts as used up past it.
  std::optional<uint64_t> text_end;
  /// Nothing is said after the last timestamp.
  bool is_single_timestamp_ending = false;
};

/// Cuts a window's tokens into segments where two timestamps meet, and moves on to the last of those meetings; or past
/// the whole window where it ends in a single timestamp, or has no meeting (the reference's rule for seeking). A text
/// that went round in circles says nothing of what follows it: there it goes on from where the cut text was closed.
WindowSegments split_window(const WindowResult& result, WindowPlace place,
                            const Tokenizer& tokenizer);

/// The window's text as one segment with the window's times, whatever timestamps it may hold.
WindowSegments whole_window(const WindowResult& result, WindowPlace place,
                            const Tokenizer& tokenizer);

/// The text went round in circles, and nothing in what is left of it tells when: what was said after the cut is lost.
bool loses_rest(const WindowResult& result, const SpecialTokens& special);

/// More than white space.
bool has_text(const Segment& segment);
/// A letter or a digit, or bytes that are part of a character.
bool has_words(std::string_view text);
/// No text, tokens or words.
void clear_text(Segment& segment);
/// Clears segments without length or text, as the reference does; such a text is kept in `rejected`.
void clear_empty_segments(std::vector<Segment>& segments, std::vector<Segment>& rejected);

}  // namespace susurrus
