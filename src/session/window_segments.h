#pragma once
#include <span>
#include <vector>

#include "session/transcriber.h"
#include "text/tokenizer.h"

namespace susurrus {

/// A window within its recording, in mel frames (10 ms each).
struct WindowPlace {
  uint64_t seek = 0;
  /// Frames with content, up to a whole window.
  uint64_t frame_count = 0;
};

struct WindowSegments {
  std::vector<Segment> segments;  // ids not yet given
  /// Where the next window begins.
  uint64_t next_seek = 0;
};

/// Cuts a window's tokens into segments where two timestamps meet, and moves on to the last of those meetings; or past
/// the whole window where it ends in a single timestamp, or has no meeting (the reference's rule for seeking). Segments
/// without length or text are kept, emptied.
WindowSegments split_window(const WindowResult& result, WindowPlace place,
                            const Tokenizer& tokenizer);

}  // namespace susurrus
