#include "families/speakers/window_speakers.h"

namespace susurrus {
namespace {

constexpr size_t kSize = SpeakerNetworks::kVectorSize;
/// A piece's weight is its seconds, but a whole voice has a weight too.
constexpr double kLeastWeight = 0.1;

size_t largest_of(std::span<const double> values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

/// A row's largest columns, the largest first. Some best assignment uses no other: two more rows cannot take more than two of them.
struct Candidates {
  Candidates(std::span<const double> row) {
    for (uint32_t column = 0; column < row.size(); ++column) {
      size_t place = count;
      while (place > 0 && row[column] > row[columns[place - 1]]) --place;
      if (place == kWindowVoices) continue;
      count = std::min(count + 1, kWindowVoices);
      for (size_t i = count - 1; i > place; --i) columns[i] = columns[i - 1];
      columns[place] = column;
    }
  }

  std::array<uint32_t, kWindowVoices> columns;
  size_t count = 0;
};

}  // namespace

void measure_likeness(std::span<const float> vector, std::span<const double> centres,
                      std::span<double> alike) {
  for (size_t speaker = 0; speaker < alike.size(); ++speaker) {
    const double* const centre = centres.data() + speaker * kSize;
    double product = 0;
    for (size_t i = 0; i < kSize; ++i) product += double{vector[i]} * centre[i];
    alike[speaker] = product;
  }
}

void assign_best(std::span<const double> values, size_t columns, std::span<uint32_t> chosen) {
  const size_t rows = chosen.size();
  SUSURRUS_CHECK(rows <= kWindowVoices && values.size() == rows * columns);
  const size_t wanted = std::min(rows, columns);
  constexpr uint32_t kNone = ~0u;
  std::array<uint32_t, kWindowVoices> tried;
  double best = 0;
  bool has_best = false;
  const auto row_of = [&](size_t row) { return values.subspan(row * columns, columns); };
  for (size_t row = 0; row < rows; ++row) {
    chosen[row] = static_cast<uint32_t>(largest_of(row_of(row)));
  }
  const std::array<uint32_t, kWindowVoices> largest = [&] {
    std::array<uint32_t, kWindowVoices> kept{};
    std::ranges::copy(chosen, kept.begin());
    return kept;
  }();
  const auto try_rows = [&](const auto& self, size_t row, size_t assigned, double total) -> void {
    if (row == rows) {
      if (assigned < wanted || (has_best && total <= best)) return;
      has_best = true;
      best = total;
      for (size_t i = 0; i < rows; ++i) chosen[i] = tried[i] == kNone ? largest[i] : tried[i];
      return;
    }
    const Candidates candidates(row_of(row));
    for (size_t i = 0; i < candidates.count; ++i) {
      const uint32_t column = candidates.columns[i];
      if (std::find(tried.begin(), tried.begin() + row, column) != tried.begin() + row) continue;
      tried[row] = column;
      self(self, row + 1, assigned + 1, total + row_of(row)[column]);
    }
    tried[row] = kNone;
    self(self, row + 1, assigned, total);
  };
  try_rows(try_rows, 0, 0, 0);
}

Status WindowSpeakers::find(const HeardVoices& heard, size_t window,
                            std::span<const VoicePiece> pieces, std::span<const double> centres) {
  const size_t speakers = centres.size() / kSize;
  SUSURRUS_CHECK(speakers < kNobody);
  for (Line& line : speakers_) line.fill(kNobody);
  SUSURRUS_RETURN_IF_ERROR(alike_.fill(speakers, 0));
  SUSURRUS_RETURN_IF_ERROR(whole_.fill(kWindowVoices * speakers, 0));
  const std::span<double> alike = alike_.all();
  // One voice behind the other; speakers_ takes the pieces' own meanwhile.
  std::array<size_t, kWindowVoices> known;
  size_t known_count = 0;
  for (size_t voice = 0; voice < kWindowVoices; ++voice) {
    const std::span<double> whole = whole_.all().subspan(known_count * speakers, speakers);
    double weights = 0;
    for (const VoicePiece& piece : pieces) {
      if (piece.voice != voice || piece.vector == VoicePiece::kNoVector) continue;
      measure_likeness(heard.vector(piece), centres, alike);
      const double weight = std::max(piece.seconds(), kLeastWeight);
      for (size_t i = 0; i < speakers; ++i) whole[i] += alike[i] * weight;
      weights += weight;
      if (piece.is_whole()) continue;
      const auto own = static_cast<uint16_t>(largest_of(alike));
      std::fill(speakers_[voice].begin() + piece.first, speakers_[voice].begin() + piece.end, own);
    }
    if (weights == 0) continue;
    for (double& value : whole) value /= weights;
    known[known_count++] = voice;
  }
  std::array<uint32_t, kWindowVoices> chosen{};
  assign_best(whole_.all().first(known_count * speakers), speakers,
              std::span(chosen).first(known_count));
  const WindowClasses classes = heard.classes_of(window);
  for (size_t i = 0; i < known_count; ++i) {
    Line& line = speakers_[known[i]];
    for (size_t frame = 0; frame < line.size(); ++frame) {
      if (!speaks(classes[frame], known[i])) {
        line[frame] = kNobody;
      } else if (line[frame] == kNobody) {
        line[frame] = static_cast<uint16_t>(chosen[i]);
      }
    }
  }
  return ok_status();
}

}  // namespace susurrus
