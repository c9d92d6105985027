#include "families/transducer/transducer_session.h"

#include <algorithm>
#include <limits>

#include "audio/test_signals.h"
#include "families/transducer/recording_listener.h"
#include "families/transducer/small_transducer.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::transducer_session_test {
namespace {

using testing::RecordingListener;
using testing::SmallTransducer;

/// One stream through a model.
struct Stream {
  explicit Stream(const SmallTransducer& small)
      : model(small.make().value()),
        listener(model->vocabulary()),
        session(TransducerSession::make(*model, AprilFrontEnd::standard, listener).value()) {}

  Status work(uint64_t cost) {
    for (;;) {
      SUSURRUS_ASSIGN_OR_RETURN(const bool is_done, session->step(cost));
      if (is_done) return ok_status();
    }
  }
  void feed(std::span<const float> samples, uint64_t cost = ~uint64_t{0}) {
    do {
      samples = samples.subspan(session->feed(samples));
      EXPECT_TRUE(work(cost).has_value());
    } while (!samples.empty());
  }
  void flush(uint64_t cost = ~uint64_t{0}) {
    session->begin_flush();
    EXPECT_TRUE(work(cost).has_value());
  }

  std::unique_ptr<TransducerModel> model;
  RecordingListener listener;
  std::unique_ptr<TransducerSession> session;
};

/// Says much, and that changes with the sound.
SmallTransducer talkative() {
  SmallTransducer small(12);
  testing::Noise noise(3);
  for (float& value : small.embedding) value = 6 * noise.next();
  for (float& value : small.weights) value = noise.next();
  return small;
}

}  // namespace

SUSURRUS_TEST(transducer_session_counts_time_in_segments) {
  Stream stream(SmallTransducer(80));
  const std::vector<float> samples(16000);
  // The first segment is there with 8 shifts and a frame of 512, then one more every 4 shifts.
  stream.feed(std::span(samples).first(1791));
  EXPECT_EQ(stream.session->now_ms(), 0);
  stream.feed(std::span(samples).first(1));
  EXPECT_EQ(stream.session->now_ms(), 40);
  stream.feed(std::span(samples).first(639));
  EXPECT_EQ(stream.session->now_ms(), 40);
  stream.feed(std::span(samples).first(1));
  EXPECT_EQ(stream.session->now_ms(), 80);
  stream.feed(std::span(samples).first(16000 - 2432));
  EXPECT_EQ(stream.session->now_ms(), 23 * 40);
}

SUSURRUS_TEST(transducer_session_flushes_once_after_samples) {
  // 25 to 28 runs of the encoder, also when nothing came.
  for (size_t count : {size_t{0}, size_t{100}, size_t{1791}, size_t{1792}, size_t{9000}}) {
    Stream stream(SmallTransducer(80));
    if (count > 0) stream.feed(std::vector<float>(count));
    const uint64_t before = stream.session->now_ms();
    stream.flush();
    const uint64_t after = stream.session->now_ms();
    EXPECT_TRUE(after - before >= 1000 && after - before <= 1120);
    stream.flush();
    EXPECT_EQ(stream.session->now_ms(), after);
    // No samples are samples, too.
    stream.feed({});
    stream.flush();
    EXPECT_GT(stream.session->now_ms(), after);
  }
}

SUSURRUS_TEST(transducer_session_does_not_care_how_samples_are_cut) {
  testing::Noise noise(8);
  std::vector<float> samples = noise.samples(30000);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] *= i / 4000 % 2 == 0 ? 0.3f : 0.001f;
  std::vector<std::string> expected;
  std::vector<uint64_t> expected_times;
  struct Feeding {
    size_t piece_samples;
    uint64_t cost;
  };
  for (const auto& [piece_samples, cost] :
       {Feeding{30000, ~uint64_t{0}}, Feeding{1, ~uint64_t{0}}, Feeding{777, 1}, Feeding{3201, 100},
        Feeding{160, 5000}}) {
    Stream stream(talkative());
    for (std::span<const float> left = samples; !left.empty();) {
      const auto piece = left.first(std::min(piece_samples, left.size()));
      stream.feed(piece, cost);
      left = left.subspan(piece.size());
    }
    stream.flush(cost);
    stream.feed(std::span(samples).first(5000), cost);
    stream.flush(cost);
    if (expected.empty()) {
      expected = stream.listener.events;
      expected_times = stream.listener.times;
    }
    EXPECT_TRUE(stream.listener.events == expected);
    EXPECT_TRUE(stream.listener.times == expected_times);
  }
  EXPECT_GT(expected.size(), 20);
  EXPECT_TRUE(std::ranges::is_sorted(expected_times));
  EXPECT_TRUE(std::ranges::count(expected, "silence") == 2);
}

SUSURRUS_TEST(transducer_session_allocates_nothing_on_the_way) {
  class CountingListener final : public TransducerListener {
   public:
    void on_event(const TransducerEvent&) override { ++count; }
    int count = 0;
  };
  SmallTransducer small = talkative();
  small.edit = [](testing::AprilBuilder& file) {
    auto& nodes = file.networks[0].nodes;
    nodes[0] =
        testing::onnx_node("ReduceMean", {"turned"}, {"mean"}, {{"axes", {0}}, {"keepdims", {1}}});
    nodes.insert(nodes.begin(),
                 testing::onnx_node("Transpose", {"x"}, {"turned"}, {{"perm", {1, 0, 2}}}));
  };
  const auto model = small.make();
  ASSERT_TRUE(model.has_value());
  CountingListener listener;
  const auto session =
      TransducerSession::make(**model, AprilFrontEnd::april_asr_0_0_4, listener).value();
  testing::Noise noise(5);
  const std::vector<float> samples = noise.samples(20000);
  const uint64_t before = testing::allocation_count();
  for (std::span<const float> left = samples; !left.empty();) {
    left = left.subspan(session->feed(left));
    ASSERT_TRUE(session->run().has_value());
  }
  session->begin_flush();
  ASSERT_TRUE(session->run().has_value());
  EXPECT_EQ(testing::allocation_count() - before, 0);
  EXPECT_GT(listener.count, 20);
}

SUSURRUS_TEST(transducer_session_drops_a_piece_that_fills_the_ring) {
  SmallTransducer small(4);
  small.segment_size = 1;
  small.segment_step = 1;
  Stream stream(small);
  stream.flush();
  // 4 runs of padding; of two pieces of zeros the first has 17 frames, the second 20, of which 15 still fit; then the 32 and 4
  // runs of padding.
  EXPECT_EQ(stream.session->dropped_samples(), 3200);
  EXPECT_EQ(stream.session->now_ms(), 40 * 10);
}

SUSURRUS_TEST(transducer_session_stays_failed) {
  SmallTransducer small(4);
  small.weights[5] = std::numeric_limits<float>::quiet_NaN();
  Stream stream(small);
  stream.session->feed(std::vector<float>(1792));
  const auto first = stream.session->step(~uint64_t{0});
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().code, ErrorCode::malformed);
  EXPECT_EQ(first.error().subject.view(), "joiner.logits");
  const auto second = stream.session->step(~uint64_t{0});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::disabled_by_previous_error);
  EXPECT_TRUE(stream.listener.events.empty());
}

}  // namespace susurrus::testing::transducer_session_test
