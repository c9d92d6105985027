// The stages of two recordings and their turns, as the reference has them (shared/speakers).
#include <cmath>

#include "families/speakers/numpy_file.h"
#include "families/speakers/scripted_networks.h"
#include "harness.h"

namespace susurrus::testing::expected_stages_test {
namespace {

constexpr size_t kSize = SpeakerNetworks::kVectorSize;
constexpr size_t kFrames = SpeakerNetworks::kWindowFrames;

struct Stages {
  JsonDocument stages;
  JsonDocument turns;
  std::vector<uint8_t> classes;
  std::vector<float> vectors;

  bool has_vector(size_t piece) const { return !std::isnan(vectors[piece * kSize]); }
  std::span<const float> vector(size_t piece) const {
    return std::span(vectors).subspan(piece * kSize, kSize);
  }
};

std::optional<Stages> stages_of(const std::string& name) {
  const std::string folder = "speakers/expected/";
  auto stages = shared_json(folder + "stages/" + name + ".json");
  auto turns = shared_json(folder + "turns.json");
  auto classes = shared_array<uint8_t>(folder + "stages/" + name + ".classes.npy");
  auto vectors = shared_array<float>(folder + "stages/" + name + ".vectors.npy");
  if (!stages || !turns || !classes || !vectors) return std::nullopt;
  return Stages{std::move(*stages), std::move(*turns), std::move(*classes), std::move(*vectors)};
}

/// What networks that say the expected would have been heard to say.
void hear(const Stages& expected, HeardVoices& heard) {
  for (JsonValue start : expected.stages.root()["starts"].items()) {
    EXPECT_TRUE(heard.starts.add(static_cast<uint32_t>(*start.unsigned_integer())).has_value());
  }
  const auto room = heard.classes.extend(expected.classes.size());
  std::ranges::copy(expected.classes, room.value().begin());
  const size_t count = heard.starts.size();
  for (uint32_t window = 0; window < count; ++window) {
    EXPECT_TRUE(find_pieces(window, heard.classes_of(window), heard.place(window, count).middle(),
                            heard.pieces)
                    .has_value());
  }
  for (size_t i = 0; i < heard.pieces.size() && i * kSize < expected.vectors.size(); ++i) {
    if (!expected.has_vector(i)) continue;
    EXPECT_TRUE(heard.add_vector(heard.pieces[i], expected.vector(i)).has_value());
  }
  heard.complete_windows = count;
}

void expect_pieces(const std::string& name) {
  const auto expected = stages_of(name);
  if (!expected) return;
  HeardVoices heard;
  hear(*expected, heard);
  const JsonValue pieces = expected->stages.root()["pieces"];
  ASSERT_EQ(heard.pieces.size(), pieces.size());
  const uint64_t samples =
      *expected->turns.root()["recordings"][name]["samples"].unsigned_integer();
  size_t i = 0;
  for (JsonValue wanted : pieces.items()) {
    const VoicePiece& piece = heard.pieces[i];
    const uint64_t found[] = {piece.window, piece.voice, piece.first, piece.end, piece.alone};
    size_t k = 0;
    for (JsonValue number : wanted.items()) EXPECT_EQ(found[k++], *number.unsigned_integer());
    const PieceFrames frames(piece, heard.classes_of(piece.window), heard.starts[piece.window],
                             VoiceFeatures::frame_count(samples));
    EXPECT_EQ(frames.size() > 0, expected->has_vector(i));
    ++i;
  }
}

void expect_likeness(const std::string& name) {
  const auto expected = stages_of(name);
  if (!expected) return;
  HeardVoices heard;
  hear(*expected, heard);
  VoiceGroups groups;
  groups.begin(heard.pieces.size(), VoiceGroups::kMostItems);
  for (const VoicePiece& piece : heard.pieces.all()) {
    if (piece.vector == VoicePiece::kNoVector || piece.seconds() < 1) continue;
    ASSERT_TRUE(groups.add(heard.vector(piece)).has_value());
  }
  AverageLinkage tree;
  ASSERT_TRUE(tree.begin(groups.means(), groups.counts()).has_value());
  while (!*tree.step()) continue;
  SpeakerClusters clusters;
  ASSERT_TRUE(clusters.begin(tree, groups.means(), groups.counts(), 1, {}).has_value());
  while (!*clusters.step()) continue;
  std::vector<double> alike(clusters.speaker_count());
  size_t i = 0;
  for (JsonValue row : expected->stages.root()["likeness"].items()) {
    ASSERT_EQ(alike.size(), row.size());
    const VoicePiece& piece = heard.pieces[i++];
    if (piece.vector == VoicePiece::kNoVector) continue;
    measure_likeness(heard.vector(piece), clusters.centres(), alike);
    size_t speaker = 0;
    for (JsonValue value : row.items()) EXPECT_NEAR(alike[speaker++], *value.number(), 1e-5);
  }
}

void expect_turns(const std::string& name, size_t windows, size_t piece) {
  const auto expected = stages_of(name);
  if (!expected) return;
  const JsonValue recording = expected->turns.root()["recordings"][name];
  std::vector<size_t> rows;
  for (size_t i = 0; i * kSize < expected->vectors.size(); ++i) {
    if (expected->has_vector(i)) rows.push_back(i);
  }
  ScriptedNetworks networks;
  networks.most = windows;
  networks.class_of = [&](size_t window, size_t frame) {
    return expected->classes[window * kFrames + frame];
  };
  networks.vector_of = [&](size_t voice, std::span<float> vector) {
    if (voice < rows.size()) std::ranges::copy(expected->vector(rows[voice]), vector.begin());
  };
  auto finder = SpeakerFinder::make(networks).value();
  find_speakers(*finder, *recording["samples"].unsigned_integer(), silence, piece);
  EXPECT_EQ(networks.windows * kFrames, expected->classes.size());
  EXPECT_EQ(networks.voices, rows.size());
  EXPECT_EQ(finder->speakers().size(), *recording["speakers"].unsigned_integer());
  ASSERT_EQ(finder->turns().size(), recording["turns"].size());
  const SpeakerTurn* turn = finder->turns().data();
  for (JsonValue wanted : recording["turns"].items()) {
    double numbers[3] = {};
    size_t k = 0;
    for (JsonValue number : wanted.items()) numbers[k++] = *number.number();
    EXPECT_NEAR(turn->start, numbers[0], 0.51e-4);
    EXPECT_NEAR(turn->end, numbers[1], 0.51e-4);
    EXPECT_EQ(static_cast<double>(turn->speaker), numbers[2]);
    ++turn;
  }
}

}  // namespace

SUSURRUS_TEST(pieces_are_the_expected) {
  expect_pieces("c12-2");
  expect_pieces("trn04");
}

SUSURRUS_TEST(likeness_is_the_expected) {
  expect_likeness("c12-2");
  expect_likeness("trn04");
}

SUSURRUS_TEST(turns_are_the_expected_however_samples_come) {
  expect_turns("c12-2", 1, ~size_t{0});
  expect_turns("c12-2", 8, 7777);
  expect_turns("trn04", 3, 100000);
}

}  // namespace susurrus::testing::expected_stages_test
