#include "session/text_flaws.h"

#include <algorithm>
#include <string>

#include "text/spoken_letters.h"

namespace susurrus {
namespace {

/// More letters cannot be said in a window: so many each second, and some that are cut at its ends.
constexpr double kMostLettersPerSecond = 30;
constexpr double kMostCutLetters = 12;

double letter_count(std::string_view text) {
  // Bytes that go on with a character do not count.
  return static_cast<double>(std::ranges::count_if(
      spoken_letters(text), [](char byte) { return (static_cast<uint8_t>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

std::optional<Decision> flaw_of(std::span<const Segment> segments, uint64_t frame_count,
                                std::string_view before) {
  double letters = 0;
  for (const Segment& segment : segments) letters += letter_count(segment.text);
  const double seconds = static_cast<double>(frame_count) / 100;
  if (letters > kMostLettersPerSecond * seconds + kMostCutLetters)
    return Decision::dropped_too_fast;
  if (letters == 0) return std::nullopt;
  const std::string said = spoken_letters(before);
  const bool is_repeated = std::ranges::all_of(segments, [&](const Segment& segment) {
    return said.contains(spoken_letters(segment.text));
  });
  if (is_repeated) return Decision::dropped_repetition;
  return std::nullopt;
}

}  // namespace susurrus
