// Beam search against the reference's rules written down plainly.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "decode/beam.h"
#include "harness.h"
#include "session/allocation_count.h"

namespace susurrus::testing::beam_test {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();
constexpr uint32_t kEnd = 19;
constexpr size_t kVocabulary = 24;
using Tokens = std::vector<uint32_t>;

/// Logits that depend on all that was chosen so far.
class Table {
 public:
  explicit Table(uint32_t seed) : state_(seed * 2654435761u + 1) {
    for (float& value : values_) value = 6 * uniform() - 3;
    const float end_bias = 4 * uniform() - 2;
    for (size_t row = 0; row < kRows; ++row) values_[row * kVocabulary + kEnd] += end_bias;
  }
  std::span<const float> row(std::span<const uint32_t> tokens) const {
    size_t hash = 7 * tokens.size();
    for (size_t i = 0; i < tokens.size(); ++i) hash += (i + 1) * tokens[i];
    return std::span(values_).subspan(hash % kRows * kVocabulary, kVocabulary);
  }
  float uniform() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(state_ >> 8) / 16777216.0f;
  }

 private:
  static constexpr size_t kRows = 16;
  uint32_t state_;
  std::vector<float> values_ = std::vector<float>(kRows * kVocabulary);
};

struct Path {
  Tokens tokens;
  float sum = 0;
};

/// Sequences by their tokens, in the order in which each came first; a later value replaces an earlier one.
void put(std::vector<Path>& paths, const Path& path) {
  for (Path& one : paths) {
    if (one.tokens == path.tokens) {
      one.sum = path.sum;
      return;
    }
  }
  paths.push_back(path);
}

LogSoftmax log_softmax_of(std::span<const float> row) {
  return {default_kernels(), row, *std::ranges::max_element(row)};
}

void sort_by_sum(std::vector<Path>& paths) {
  std::stable_sort(paths.begin(), paths.end(),
                   [](const Path& a, const Path& b) { return a.sum > b.sum; });
}

/// As the reference does it: beam_size equal sequences at first, <|endoftext|> as part of a finished one.
std::vector<Path> plain_beam_search(const Table& table, size_t max_tokens, size_t beam_size,
                                    size_t max_candidates) {
  std::vector<Path> beams(beam_size);
  std::vector<Path> finished;
  for (size_t step = 0; step < max_tokens && finished.size() < max_candidates; ++step) {
    std::vector<Path> scores;
    for (const Path& beam : beams) {
      const auto row = table.row(beam.tokens);
      const LogSoftmax log_softmax = log_softmax_of(row);
      std::vector<Path> next;
      for (uint32_t token = 0; token < kVocabulary; ++token) {
        next.push_back({beam.tokens, log_softmax(row[token])});
        next.back().tokens.push_back(token);
      }
      sort_by_sum(next);
      next.resize(beam_size + 1);
      for (Path& one : next) {
        one.sum += beam.sum;
        put(scores, one);
      }
    }
    sort_by_sum(scores);
    beams.clear();
    for (const Path& one : scores) {
      if (one.tokens.back() != kEnd) {
        beams.push_back(one);
        if (beams.size() == beam_size) break;
      } else if (finished.size() < max_candidates) {
        finished.push_back(one);
      }
    }
  }
  // An ascending order read backwards: of equals the last comes first.
  std::reverse(beams.begin(), beams.end());
  sort_by_sum(beams);
  for (Path& one : beams) {
    if (finished.size() >= beam_size) break;
    one.tokens.push_back(kEnd);
    finished.push_back(one);
  }
  for (Path& one : finished) one.tokens.pop_back();
  return finished;
}

/// Runs to the end; false where sources, last tokens and sequences do not fit together.
bool run(BeamSearch& search, const Table& table) {
  std::vector<Tokens> paths(1);
  while (true) {
    std::vector<std::span<const float>> rows;
    for (size_t i = 0; i < search.sequence_count(); ++i)
      rows.push_back(table.row(search.tokens(i)));
    if (search.choose(rows)) return true;
    std::vector<Tokens> longer;
    for (size_t i = 0; i < search.sequence_count(); ++i) {
      longer.push_back(paths[search.sources()[i]]);
      longer.back().push_back(search.last_tokens()[i]);
      if (!std::ranges::equal(longer.back(), search.tokens(i))) return false;
    }
    paths = std::move(longer);
  }
}

}  // namespace

SUSURRUS_TEST(beam_search_finds_what_the_reference_finds) {
  for (uint32_t seed = 0; seed < 80 && !current_case_failed(); ++seed) {
    Table table(seed);
    const auto beam_size = static_cast<uint32_t>(1 + table.uniform() * 6);
    const auto max_tokens = static_cast<size_t>(1 + table.uniform() * 12);
    const double patience = 0.5 + table.uniform() * 1.5;
    const size_t max_candidates = std::max<size_t>(beam_candidate_count(beam_size, patience), 1);
    BeamSearch search(default_kernels(), kEnd, max_tokens, beam_size, max_candidates);
    EXPECT_TRUE(run(search, table));
    const auto found = search.finish();
    const auto expected = plain_beam_search(table, max_tokens, beam_size, max_candidates);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(found[i].tokens == expected[i].tokens);
      EXPECT_EQ(found[i].sum_logprob, static_cast<double>(expected[i].sum));
      // The tokens' own log probabilities went along.
      ASSERT_EQ(found[i].token_logprobs.size(), found[i].tokens.size());
      float sum = 0;
      for (size_t t = 0; t < found[i].tokens.size(); ++t) {
        const auto row = table.row(std::span(found[i].tokens).first(t));
        EXPECT_EQ(found[i].token_logprobs[t], log_softmax_of(row)(row[found[i].tokens[t]]));
        sum += found[i].token_logprobs[t];
      }
      if (found[i].tokens.size() < max_tokens && found[i].sum_logprob != sum) {
        const auto row = table.row(found[i].tokens);
        EXPECT_EQ(found[i].sum_logprob, static_cast<double>(sum + log_softmax_of(row)(row[kEnd])));
      }
    }
  }
}

SUSURRUS_TEST(of_a_closed_vocabulary_beams_find_the_most_probable_text) {
  size_t long_ones = 0;
  for (uint32_t seed = 0; seed < 80 && !current_case_failed(); ++seed) {
    Table table(seed);
    std::vector<Tokens> texts(6);
    for (size_t i = 0; i < texts.size(); ++i) {
      // They begin alike, and some end where others go on.
      if (i > 0) texts[i].assign(texts[i - 1].begin(), texts[i - 1].begin() + (i % 2));
      const auto length = texts[i].size() + 1 + static_cast<size_t>(table.uniform() * 6);
      while (texts[i].size() < length) {
        texts[i].push_back(static_cast<uint32_t>(table.uniform() * kEnd));
      }
    }
    const auto row_of = [&](std::span<const uint32_t> tokens) {
      std::vector<float> row(kVocabulary, kForbidden);
      for (const Tokens& text : texts) {
        if (text.size() < tokens.size()) continue;
        if (!std::ranges::equal(tokens, std::span(text).first(tokens.size()))) continue;
        const uint32_t next = text.size() > tokens.size() ? text[tokens.size()] : kEnd;
        row[next] = table.row(tokens)[next];
      }
      return row;
    };
    const Tokens* best = nullptr;
    float best_sum = 0;
    for (const Tokens& text : texts) {
      float sum = 0;
      for (size_t i = 0; i <= text.size(); ++i) {
        const auto row = row_of(std::span(text).first(i));
        sum += log_softmax_of(row)(row[i < text.size() ? text[i] : kEnd]);
      }
      const auto row = row_of(text);
      // More was said.
      if (row[kEnd] < *std::ranges::max_element(row) || (best && sum <= best_sum)) continue;
      best = &text;
      best_sum = sum;
    }
    long_ones += best->size() > 3 ? 1 : 0;

    BeamSearch search(default_kernels(), kEnd, 12, 6, BeamSearch::ClosedVocabulary{});
    std::vector<std::vector<float>> rows;
    do {
      rows.clear();
      for (size_t i = 0; i < search.sequence_count(); ++i) rows.push_back(row_of(search.tokens(i)));
    } while (!search.choose(std::vector<std::span<const float>>(rows.begin(), rows.end())));
    const auto candidates = search.finish();
    ASSERT_EQ(candidates.size(), 1u);
    EXPECT_TRUE(candidates[0].tokens == *best);
    EXPECT_EQ(candidates[0].token_logprobs.size(), best->size());
    EXPECT_NEAR(candidates[0].sum_logprob, best_sum, 1e-4);
  }
  EXPECT_GT(long_ones, 10u);
}

SUSURRUS_TEST(a_closed_vocabulary_that_has_no_end_gives_what_is_under_way) {
  BeamSearch search(default_kernels(), kEnd, 2, 3, BeamSearch::ClosedVocabulary{});
  std::vector<float> logits(kVocabulary, kForbidden);
  logits[4] = 0;
  std::vector<std::span<const float>> rows(1, logits);
  EXPECT_FALSE(search.choose(rows));
  EXPECT_TRUE(search.choose(rows));
  const auto candidates = search.finish();
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_TRUE(candidates[0].tokens == (Tokens{4, 4}));
  EXPECT_EQ(candidates[0].sum_logprob, 0.0);

  BeamSearch blocked(default_kernels(), kEnd, 2, 3, BeamSearch::ClosedVocabulary{});
  logits[4] = kForbidden;
  EXPECT_TRUE(blocked.choose(rows));
  ASSERT_EQ(blocked.finish().size(), 1u);
}

SUSURRUS_TEST(candidates_wanted_are_rounded_as_python_rounds) {
  EXPECT_EQ(beam_candidate_count(5, std::nullopt), 5u);
  EXPECT_EQ(beam_candidate_count(5, 0.0), 5u);
  EXPECT_EQ(beam_candidate_count(5, 0.5), 2u);
  EXPECT_EQ(beam_candidate_count(3, 0.5), 2u);
  EXPECT_EQ(beam_candidate_count(5, 1.5), 8u);
  EXPECT_EQ(beam_candidate_count(3, 1.5), 4u);
  EXPECT_EQ(beam_candidate_count(1, 0.5), 0u);
}

SUSURRUS_TEST(beams_without_probability_are_dropped) {
  // Two tokens are allowed for three beams, then only the end.
  BeamSearch search(default_kernels(), kEnd, 5, 3, 3);
  std::vector<float> logits(kVocabulary, kForbidden);
  logits[4] = 1;
  logits[2] = 0;
  std::vector<std::span<const float>> rows(3, logits);
  EXPECT_FALSE(search.choose(rows));
  ASSERT_EQ(search.sequence_count(), 2u);
  EXPECT_EQ(search.last_tokens()[0], 4u);
  EXPECT_EQ(search.last_tokens()[1], 2u);
  std::fill(logits.begin(), logits.end(), kForbidden);
  logits[kEnd] = 0;
  EXPECT_TRUE(search.choose(rows));
  const auto candidates = search.finish();
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_TRUE(candidates[0].tokens == Tokens{4});
  EXPECT_TRUE(candidates[1].tokens == Tokens{2});
}

SUSURRUS_TEST(beam_search_ends_with_what_it_has_where_everything_is_forbidden) {
  std::vector<float> logits(kVocabulary, kForbidden);
  std::vector<std::span<const float>> rows(2, logits);
  BeamSearch blocked(default_kernels(), kEnd, 5, 2, 2);
  EXPECT_TRUE(blocked.choose(rows));
  const auto nothing = blocked.finish();
  ASSERT_EQ(nothing.size(), 1u);
  EXPECT_TRUE(nothing[0].tokens.empty());

  BeamSearch search(default_kernels(), kEnd, 5, 2, 2);
  logits[3] = 0;
  EXPECT_FALSE(search.choose(rows));
  logits[3] = kForbidden;
  EXPECT_TRUE(search.choose(rows));
  const auto candidates = search.finish();
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_TRUE(candidates[0].tokens == Tokens{3});
  EXPECT_EQ(candidates[0].sum_logprob, 0.0);
}

SUSURRUS_TEST(beam_search_allocates_nothing_while_it_chooses) {
  const Table table(3);
  BeamSearch search(default_kernels(), kEnd, 100, 5, 500);
  std::vector<std::span<const float>> rows(5);
  const uint64_t before = allocation_count();
  do {
    for (size_t i = 0; i < search.sequence_count(); ++i) rows[i] = table.row(search.tokens(i));
  } while (!search.choose(rows));
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace susurrus::testing::beam_test
