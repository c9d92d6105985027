// What the detector gives its network, and what it carries on; the network is one that tells.
#include "families/detector/speech_detector.h"

#include "graph/tennis/write_tennis_graph.h"
#include "harness.h"
#include "stream/output_buffer.h"

namespace susurrus::testing::speech_detector_test {
namespace {

constexpr uint64_t kHeard = 576;

/// probability = the sum of samples [begin, end) and of the state's first element; the next state is the one before plus 1.
void write_network(OutputBuffer& file, int64_t begin, int64_t end, uint64_t heard = kHeard) {
  GraphBuilder builder;
  builder.at("node", 0);
  const ValueId x = builder.add_input("input", ElementType::f32, Shape{1, heard});
  const ValueId state = builder.add_input("state", ElementType::f32, Shape{2, 1, 128});
  OwnedTensor weights = OwnedTensor::allocate(ElementType::f32, {heard, 1}, "test").value();
  for (int64_t i = 0; i < static_cast<int64_t>(heard); ++i) {
    weights.view().f32()[i] = i >= begin && i < end ? 1 : 0;
  }
  OwnedTensor first = OwnedTensor::allocate(ElementType::f32, {256, 1}, "test").value();
  for (size_t i = 0; i < 256; ++i) first.view().f32()[i] = i == 0 ? 1 : 0;
  OwnedTensor one = OwnedTensor::allocate(ElementType::f32, {}, "test").value();
  one.view().f32()[0] = 1;
  const std::vector<int64_t> flat = {1, 256};
  const ValueId row =
      *builder.add("reshape", std::vector<ValueId>{state, *builder.add_integers("shape", flat)});
  const ValueId sums[] = {
      *builder.add("matmul",
                   std::vector<ValueId>{x, builder.add_constant("w", std::move(weights))}),
      *builder.add("matmul",
                   std::vector<ValueId>{row, builder.add_constant("first", std::move(first))})};
  const ValueId probability = *builder.add("add", sums);
  const ValueId next =
      *builder.add("add", std::vector<ValueId>{state, builder.add_constant("one", std::move(one))});
  const Graph graph = builder.finish({probability, next}).value();
  EXPECT_TRUE(write_tennis_graph(graph, TennisWeights::f32, file).has_value());
}

SpeechDetector detector_of(int64_t begin, int64_t end) {
  OutputBuffer file;
  write_network(file, begin, end);
  return SpeechDetector::make(file.bytes()).value();
}

std::vector<float> hear(SpeechDetector& detector, std::vector<float> samples) {
  std::vector<float> probabilities(SpeechDetector::frame_count(samples.size()), -1.0F);
  EXPECT_TRUE(detector.hear(samples, probabilities).has_value());
  return probabilities;
}

std::vector<float> counted(size_t count) {
  std::vector<float> samples(count);
  for (size_t i = 0; i < count; ++i) samples[i] = static_cast<float>(i);
  return samples;
}

/// The sum of all i from begin to end.
float sum(float begin, float end) { return (end - begin) * (begin + end - 1) / 2; }

}  // namespace

SUSURRUS_TEST(a_frame_is_heard_behind_64_samples_before_it) {
  SpeechDetector context = detector_of(0, 64);
  const auto before = hear(context, counted(1536));
  ASSERT_EQ(before.size(), size_t{3});
  EXPECT_EQ(before[0], 0.0F);
  EXPECT_EQ(before[1], sum(448, 512) + 1);
  EXPECT_EQ(before[2], sum(960, 1024) + 2);

  SpeechDetector frame = detector_of(64, 576);
  const auto own = hear(frame, counted(1024));
  EXPECT_EQ(own[0], sum(0, 512));
  EXPECT_EQ(own[1], sum(512, 1024) + 1);
}

SUSURRUS_TEST(frames_may_come_in_pieces_and_reset_begins_again) {
  SpeechDetector detector = detector_of(0, 576);
  const auto samples = counted(8 * 512 + 100);
  const auto whole = hear(detector, samples);
  for (size_t frames = 1; frames <= 9; ++frames) {
    detector.reset();
    std::vector<float> pieces;
    for (size_t at = 0; at < samples.size(); at += frames * 512) {
      const size_t end = std::min(samples.size(), at + frames * 512);
      const auto heard = hear(detector, {samples.begin() + at, samples.begin() + end});
      pieces.insert(pieces.end(), heard.begin(), heard.end());
    }
    EXPECT_TRUE(pieces == whole);
  }
}

SUSURRUS_TEST(the_last_frame_is_filled_up_with_silence) {
  SpeechDetector detector = detector_of(64, 576);
  const auto heard = hear(detector, counted(512 + 100));
  ASSERT_EQ(heard.size(), size_t{2});
  EXPECT_EQ(heard[1], sum(512, 612) + 1);
  EXPECT_TRUE(hear(detector, {}).empty());
}

SUSURRUS_TEST(a_module_that_is_no_detector_is_refused) {
  EXPECT_FALSE(SpeechDetector::make(as_bytes("no module")).has_value());
  OutputBuffer file;
  write_network(file, 0, 1, 577);
  EXPECT_FALSE(SpeechDetector::make(file.bytes()).has_value());

  GraphBuilder builder;
  builder.at("node", 0);
  const ValueId x = builder.add_input("x", ElementType::f32, Shape{1, kHeard});
  const ValueId y = *builder.add("relu", {&x, 1});
  const Graph graph = builder.finish({y}).value();
  OutputBuffer other;
  EXPECT_TRUE(write_tennis_graph(graph, TennisWeights::f32, other).has_value());
  const auto refused = SpeechDetector::make(other.bytes());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::malformed);
  EXPECT_TRUE(refused.error().subject.view() == "speech detector");
}

}  // namespace susurrus::testing::speech_detector_test
