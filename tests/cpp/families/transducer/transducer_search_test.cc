#include "families/transducer/transducer_search.h"

#include <cmath>
#include <deque>
#include <limits>

#include "families/transducer/recording_listener.h"
#include "harness.h"

namespace susurrus::testing::transducer_search_test {
namespace {

using testing::RecordingListener;

enum Token : uint32_t { kBlank, kA, kB, kStop, kComma, kSeven, kC, kEmpty };

/// Returns what a test scripts: one score for each call, then blanks that are certain.
class ScriptedScorer final : public TransducerScorer {
 public:
  struct Scores {
    uint32_t token = kBlank;
    float logit = -50;
    float blank = 0;
  };

  Status set_context(std::span<const int64_t> tokens) override {
    context.assign(tokens.begin(), tokens.end());
    return ok_status();
  }
  Result<std::span<const float>> logits() override {
    Scores next;
    if (!script.empty()) {
      next = script.front();
      script.pop_front();
    }
    logits_.assign(8, -60.0f);
    logits_[next.token] = next.logit;
    logits_[kBlank] = next.blank;
    return std::span<const float>(logits_);
  }

  std::deque<Scores> script;
  std::vector<int64_t> context;

 private:
  std::vector<float> logits_;
};

struct Bench {
  explicit Bench(size_t context_size = 2)
      : listener(vocabulary), search(vocabulary, context_size, scorer, listener) {}

  /// One output of the encoder, on which the joiner returns these.
  std::vector<std::string> at(uint64_t now_ms, std::deque<ScriptedScorer::Scores> scores = {}) {
    scorer.script = std::move(scores);
    EXPECT_TRUE(search.advance(now_ms).has_value());
    EXPECT_TRUE(scorer.script.empty());
    return listener.take();
  }
  std::vector<std::string> finish(uint64_t now_ms) {
    EXPECT_TRUE(search.finish(now_ms).has_value());
    return listener.take();
  }

  TransducerVocabulary vocabulary{{"<blk>", " a", "b", ".", ",", "7",
                                   "\xE2\x96\x81"
                                   "c",
                                   ""},
                                  kBlank};
  ScriptedScorer scorer;
  RecordingListener listener;
  TransducerSearch search;
};

void expect_events(const std::vector<std::string>& events,
                   const std::vector<std::string>& expected) {
  ASSERT_EQ(events.size(), expected.size());
  for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i], expected[i]);
}

}  // namespace

SUSURRUS_TEST(transducer_search_takes_three_tokens_at_most) {
  Bench bench;
  expect_events(bench.at(40, {{kA, 5, 0}, {kB, 5, 0}, {kC, 5, 0}}),
                {"partial: [ a] 1 @40 5.00", "partial: [ a] 1 @40 5.00 [b] 0 @40 5.00",
                 "partial: [ a] 1 @40 5.00 [b] 0 @40 5.00 [ c] 1 @40 5.00"});
  EXPECT_TRUE((bench.scorer.context == std::vector<int64_t>{kB, kC}));
}

SUSURRUS_TEST(transducer_search_prefers_the_first_token_of_an_output_to_blank) {
  Bench bench;
  // Half below blank is enough for the first, not for the second; a tie is.
  expect_events(bench.at(40, {{kA, 5.5, 6}, {kB, 5.5, 6}}),
                {"partial: [ a] 1 @40 5.50", "partial: [ a] 1 @40 5.50 [b] 0 @40 -2.50"});
  expect_events(bench.at(80, {{kB, 5, 6}, {kC, 6, 6}, {kEmpty, 0, 6}}),
                {"partial: [ a] 1 @40 5.50 [b] 0 @80 5.00",
                 "partial: [ a] 1 @40 5.50 [b] 0 @80 5.00 [ c] 1 @80 6.00"});
}

SUSURRUS_TEST(transducer_search_prefers_no_token_to_itself) {
  Bench bench;
  bench.at(40, {{kA, 5, 0}, {}});
  // The one before it is the same: no preference, and nothing tentative.
  expect_events(bench.at(80, {{kA, 5.5, 6}}), {});
  expect_events(bench.at(120, {{kA, 6, 6}, {}}), {"partial: [ a] 1 @40 5.00 [ a] 1 @120 6.00"});
}

SUSURRUS_TEST(transducer_search_lets_punctuation_through_below_blank) {
  Bench bench;
  // Not at the beginning.
  expect_events(bench.at(40, {{kStop, 3, 6}}), {"partial: [.] 2 @40 -5.00"});
  bench.at(80, {{kA, 9, 0}, {}});
  expect_events(bench.at(120, {{kComma, 3, 6}, {kComma, 3, 6}}),
                {"partial: [ a] 1 @80 9.00 [,] 0 @120 3.00"});
  expect_events(bench.at(160, {{kStop, 2.5, 6}}),
                {"partial: [ a] 1 @80 9.00 [,] 0 @120 3.00 [.] 2 @160 -5.50"});
}

SUSURRUS_TEST(transducer_search_takes_no_decimal_point_for_an_end) {
  Bench bench;
  bench.at(40, {{kSeven, 9, 0}, {}});
  expect_events(bench.at(80, {{kStop, 3, 6}}), {"partial: [7] 0 @40 9.00 [.] 0 @80 -5.00"});
  expect_events(bench.at(120, {{kStop, 6, 6}, {}}), {"partial: [7] 0 @40 9.00 [.] 0 @120 6.00"});
  // The next word shows that it was one.
  expect_events(bench.at(160, {{kC, 6, 6}, {}}),
                {"final: [7] 0 @40 9.00 [.] 2 @120 6.00", "partial: [ c] 1 @160 6.00"});
}

SUSURRUS_TEST(transducer_search_ends_a_sentence_at_the_next_word) {
  Bench bench;
  bench.at(40, {{kA, 9, 0}, {kStop, 9, 0}, {}});
  expect_events(bench.at(80, {{kB, 9, 0}, {}}),
                {"partial: [ a] 1 @40 9.00 [.] 2 @40 9.00 [b] 0 @80 9.00"});
  bench.at(120, {{kStop, 9, 0}, {}});
  expect_events(bench.at(160, {{kA, 9, 0}, {}}),
                {"final: [ a] 1 @40 9.00 [.] 2 @40 9.00 [b] 0 @80 9.00 [.] 2 @120 9.00",
                 "partial: [ a] 1 @160 9.00"});
}

SUSURRUS_TEST(transducer_search_takes_back_what_was_tentative) {
  Bench bench;
  expect_events(bench.at(40, {{kA, 2, 5.5}}), {"partial: [ a] 1 @40 -6.00"});
  // A repeated token causes no event; a different one does.
  expect_events(bench.at(80, {{kA, 2, 5.5}}), {});
  expect_events(bench.at(120, {{kB, 2, 5.5}}), {"partial: [b] 0 @120 -6.00"});
  expect_events(bench.at(160), {"partial:"});
  expect_events(bench.at(200), {});
  // The longer nothing came, the more is asked for: 1.4 - 600 / 3000 is not above 5.5 - 4.
  expect_events(bench.at(600, {{kB, 1.65f, 5.5}}), {});
  expect_events(bench.at(640, {{kB, 1.75f, 5.5}}), {"partial: [b] 0 @640 -6.25"});
}

SUSURRUS_TEST(transducer_search_reports_silence_once) {
  Bench bench;
  bench.at(40, {{kA, 9, 0}, {kB, 9, 0}, {}});
  EXPECT_EQ(bench.scorer.context[0], int64_t{kA});
  expect_events(bench.at(2200), {});
  expect_events(bench.at(2240), {"final: [ a] 1 @40 9.00 [b] 0 @40 9.00", "silence"});
  EXPECT_TRUE((bench.scorer.context == std::vector<int64_t>{kBlank, kBlank}));
  expect_events(bench.at(2280), {});
  bench.at(2320, {{kA, 9, 0}, {}});
  expect_events(bench.at(4520), {"final: [ a] 1 @2320 9.00", "silence"});
  // One token alone stays.
  EXPECT_TRUE((bench.scorer.context == std::vector<int64_t>{kBlank, kA}));
}

SUSURRUS_TEST(transducer_search_says_nothing_of_silence_before_the_first_token) {
  Bench bench;
  expect_events(bench.at(40), {});
  expect_events(bench.at(4000), {});
  expect_events(bench.finish(4040), {});
}

SUSURRUS_TEST(transducer_search_swallows_a_tentative_repeat_of_a_single_final_token) {
  Bench bench;
  bench.at(40, {{kB, 9, 0}, {kStop, 9, 0}, {kA, 9, 0}});
  // As april-asr has it: the slot still holds the token, the context does not.
  expect_events(bench.finish(80), {"final: [ a] 1 @40 9.00", "silence"});
  expect_events(bench.at(120, {{kA, 2, 5}}), {});
  expect_events(bench.at(160, {{kB, 2, 5}}), {"partial: [b] 0 @160 -6.00"});
}

SUSURRUS_TEST(transducer_search_keeps_the_last_word_back_when_there_are_too_many_tokens) {
  for (uint32_t word_at : {3u, 40u, 70u}) {
    Bench bench;
    for (uint32_t i = 0; i < 71; ++i) {
      bench.at(40 * (i + 1), {{i == word_at ? kA : i % 2 == 0 ? kB : kSeven, 9, 0}, {}});
    }
    const auto events = bench.at(3000, {{kEmpty, 9, 0}, {}});
    ASSERT_EQ(events.size(), 2);
    EXPECT_TRUE(events[0].starts_with("final:") && !events[0].contains("[ a]"));
    EXPECT_TRUE(events[1].starts_with("partial: [ a] 1 @" + std::to_string(40 * (word_at + 1))));
    EXPECT_TRUE(events[1].ends_with("[] 0 @3000 9.00"));
  }
}

SUSURRUS_TEST(transducer_search_finalises_all_when_there_is_no_word_to_keep_back) {
  for (uint32_t next : {kB, kC}) {
    Bench bench;
    for (uint32_t i = 0; i < 71; ++i) {
      bench.at(40 * (i + 1), {{i == 2 || (next == kC && i == 50) ? kA : kSeven, 9, 0}, {}});
    }
    const auto events = bench.at(3000, {{next, 9, 0}, {}});
    ASSERT_EQ(events.size(), 2);
    EXPECT_TRUE(events[0].starts_with("final: [7] 0 @40"));
    EXPECT_TRUE(events[0].ends_with("[7] 0 @2840 9.00"));
    EXPECT_EQ(events[1], next == kB ? "partial: [b] 0 @3000 9.00" : "partial: [ c] 1 @3000 9.00");
  }
}

SUSURRUS_TEST(transducer_search_shows_a_tentative_token_behind_the_most_there_can_be) {
  Bench bench;
  for (uint32_t i = 0; i < 71; ++i) bench.at(40 * (i + 1), {{i % 2 ? kB : kSeven, 9, 0}, {}});
  const auto events = bench.at(2880, {{kA, 2, 5}});
  ASSERT_EQ(events.size(), 1);
  EXPECT_TRUE(events[0].ends_with("[ a] 1 @2880 -6.00"));
}

SUSURRUS_TEST(transducer_search_looks_at_the_second_of_a_longer_context) {
  Bench bench(3);
  bench.at(40, {{kA, 9, 0}, {kB, 9, 0}, {}});
  EXPECT_TRUE((bench.scorer.context == std::vector<int64_t>{kBlank, kA, kB}));
  // What counts as the token before is " a", not "b".
  expect_events(bench.at(80, {{kA, 5.5, 6}}), {});
  expect_events(bench.at(120, {{kB, 5.5, 6}, {}}),
                {"partial: [ a] 1 @40 9.00 [b] 0 @40 9.00 [b] 0 @120 5.50"});
}

SUSURRUS_TEST(transducer_search_finishes) {
  Bench bench;
  bench.at(40, {{kA, 9, 0}, {kB, 9, 0}, {}});
  expect_events(bench.finish(80), {"final: [ a] 1 @40 9.00 [b] 0 @40 9.00", "silence"});
  EXPECT_TRUE((bench.scorer.context == std::vector<int64_t>{kBlank, kBlank}));
  expect_events(bench.finish(120), {});
}

SUSURRUS_TEST(transducer_search_stops_at_logits_that_are_no_numbers) {
  for (float wrong : {std::nanf(""), std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()}) {
    for (bool is_blank : {false, true}) {
      Bench bench;
      bench.scorer.script = {{kB, is_blank ? 0 : wrong, is_blank ? wrong : 0}};
      const Status status = bench.search.advance(1240);
      ASSERT_FALSE(status.has_value());
      EXPECT_EQ(status.error().code, ErrorCode::malformed);
      EXPECT_EQ(status.error().subject.view(), "joiner.logits");
      EXPECT_EQ(status.error().got.view(),
                is_blank ? "another for token 0 at 1240 ms" : "another for token 2 at 1240 ms");
      EXPECT_TRUE(bench.listener.events.empty());
    }
  }
}

SUSURRUS_TEST(transducer_search_runs_with_a_vocabulary_of_the_blank_alone) {
  class BlankScorer final : public TransducerScorer {
   public:
    Status set_context(std::span<const int64_t>) override { return ok_status(); }
    Result<std::span<const float>> logits() override { return std::span<const float>(&blank_, 1); }

   private:
    float blank_ = -3;
  };
  const TransducerVocabulary vocabulary({""}, 0);
  RecordingListener listener(vocabulary);
  BlankScorer scorer;
  TransducerSearch search(vocabulary, 2, scorer, listener);
  for (uint64_t now_ms = 40; now_ms < 4000; now_ms += 40) {
    EXPECT_TRUE(search.advance(now_ms).has_value());
  }
  EXPECT_TRUE(listener.events.empty());
}

}  // namespace susurrus::testing::transducer_search_test
