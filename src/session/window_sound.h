#pragma once
#include <cstdint>

#include "session/mel_frames.h"
#include "session/quiet_frames.h"
#include "session/results.h"

namespace susurrus {

/// Whether the window has next to no frames that are not quiet. The reference invents text for such
/// a window, so it is not decoded. All functions here take the window that `frames` is about.
bool is_quiet(const QuietFrames& frames, WindowPlace window);

/// The mel frame to listen from: the window's end if it is quiet, a little before the first sound after a long silence, else
/// the window's beginning.
uint64_t first_sound(const QuietFrames& frames, WindowPlace window);

/// Whether enough sounds from mel frame `text_end` to the window's end for somebody to have gone on speaking there.
bool sounds_on(const QuietFrames& frames, WindowPlace window, uint64_t text_end);

/// The middle of the pause within 2.5 s of mel frame `near`, or `near` where nobody pauses. A longer pause counts as a nearer one.
uint64_t pause_near(const QuietFrames& frames, WindowPlace window, uint64_t near);

/// Something sounds while the segment lasts, or shortly before or after. True of segments after the window.
bool is_heard(const QuietFrames& frames, WindowPlace window, const Segment& segment);

}  // namespace susurrus
