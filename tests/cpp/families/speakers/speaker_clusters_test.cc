// Clusters of vectors that are drawn, beside what their definition says.
#include "families/speakers/speaker_clusters.h"

#include <cmath>
#include <vector>

#include "families/speakers/voice_groups.h"
#include "families/speakers/window_speakers.h"
#include "harness.h"

namespace susurrus::testing::speaker_clusters_test {
namespace {

constexpr size_t kSize = SpeakerNetworks::kVectorSize;

class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  /// From -1 to 1.
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 33) / (uint64_t{1} << 30) - 1;
  }

 private:
  uint64_t state_;
};

using Vector = std::vector<double>;

/// Vectors of length 1: a direction for each speaker, and that much noise.
std::vector<Vector> drawn(size_t count, size_t speakers, double noise, uint64_t seed) {
  Numbers numbers(seed);
  std::vector<Vector> vectors(count, Vector(kSize));
  for (size_t i = 0; i < count; ++i) {
    double square = 0;
    for (double& value : vectors[i]) value = noise * numbers.next() / std::sqrt(kSize);
    vectors[i][i % speakers] += 1;
    for (double value : vectors[i]) square += value * value;
    for (double& value : vectors[i]) value /= std::sqrt(square);
  }
  return vectors;
}

VoiceGroups groups_of(const std::vector<Vector>& vectors,
                      size_t most_items = VoiceGroups::kMostItems) {
  VoiceGroups groups;
  groups.begin(vectors.size(), most_items);
  for (const Vector& vector : vectors) {
    EXPECT_TRUE(groups.add(std::vector<float>(vector.begin(), vector.end())).has_value());
  }
  return groups;
}

AverageLinkage tree_of(const VoiceGroups& groups, size_t* steps = nullptr) {
  AverageLinkage tree;
  EXPECT_TRUE(tree.begin(groups.means(), groups.counts()).has_value());
  while (!*tree.step()) {
    if (steps != nullptr) ++*steps;
  }
  return tree;
}

double cosine(const Vector& a, const Vector& b) {
  double product = 0;
  for (size_t i = 0; i < kSize; ++i) product += a[i] * b[i];
  return product;
}

/// Distances at which clusters are joined: always the two that are nearest, by the mean of all distances between their vectors.
std::vector<double> defined_distances(const std::vector<Vector>& vectors) {
  std::vector<std::vector<size_t>> clusters;
  for (size_t i = 0; i < vectors.size(); ++i) clusters.push_back({i});
  std::vector<double> distances;
  while (clusters.size() > 1) {
    double least = 9;
    size_t a = 0;
    size_t b = 0;
    for (size_t i = 0; i < clusters.size(); ++i) {
      for (size_t j = i + 1; j < clusters.size(); ++j) {
        double sum = 0;
        for (size_t x : clusters[i]) {
          for (size_t y : clusters[j]) sum += 1 - cosine(vectors[x], vectors[y]);
        }
        sum /= static_cast<double>(clusters[i].size() * clusters[j].size());
        if (sum >= least) continue;
        least = sum;
        a = i;
        b = j;
      }
    }
    distances.push_back(least);
    clusters[a].insert(clusters[a].end(), clusters[b].begin(), clusters[b].end());
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(b));
  }
  return distances;
}

std::vector<uint32_t> labels_of(const AverageLinkage& tree, size_t joins, size_t clusters) {
  GrowingList<uint32_t> labels;
  EXPECT_EQ(*tree.label(joins, labels), clusters);
  return {labels.all().begin(), labels.all().end()};
}

size_t speakers_of(const std::vector<Vector>& vectors, SpeakerLimits limits, size_t at_once = 1,
                   size_t most_items = VoiceGroups::kMostItems) {
  const VoiceGroups groups = groups_of(vectors, most_items);
  const AverageLinkage tree = tree_of(groups);
  SpeakerClusters clusters;
  EXPECT_TRUE(clusters.begin(tree, groups.means(), groups.counts(), at_once, limits).has_value());
  while (!*clusters.step()) continue;
  for (double value : clusters.centres()) EXPECT_TRUE(std::isfinite(value));
  return clusters.speaker_count();
}

/// The largest total of any way to give `rows` different columns; rows may get none where columns are too few.
double best_total(const std::vector<double>& values, size_t rows, size_t columns) {
  double best = -1e9;
  std::vector<size_t> ways(rows);
  for (;;) {
    double total = 0;
    size_t given = 0;
    bool differ = true;
    for (size_t row = 0; row < rows; ++row) {
      if (ways[row] == columns) continue;  // none
      ++given;
      total += values[row * columns + ways[row]];
      for (size_t other = 0; other < row; ++other) differ &= ways[other] != ways[row];
    }
    if (differ && given == std::min(rows, columns)) best = std::max(best, total);
    size_t row = 0;
    while (row < rows && ++ways[row] > columns) ways[row++] = 0;
    if (row == rows) return best;
  }
}

}  // namespace

SUSURRUS_TEST(the_tree_is_that_of_average_linkage) {
  for (const size_t count : {1, 2, 3, 10, 40}) {
    for (const double noise : {0.5, 1.0, 4.0}) {
      const auto vectors = drawn(count, 3, noise, count);
      const VoiceGroups groups = groups_of(vectors);
      const AverageLinkage tree = tree_of(groups);
      const auto wanted = defined_distances(vectors);
      ASSERT_EQ(tree.joins().size(), wanted.size());
      for (size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(tree.joins()[i].distance, wanted[i], 1e-5);
        EXPECT_EQ(tree.joins_within(wanted[i] + 1e-5) > i, true);
      }
      if (count > 1) EXPECT_EQ(tree.joins()[count - 2].vectors, count);
    }
  }
}

SUSURRUS_TEST(clusters_are_numbered_along_the_tree) {
  // 0 and 2 are near, 1 and 3 nearer.
  std::vector<Vector> vectors(4, Vector(kSize));
  vectors[0][0] = vectors[1][1] = 1;
  vectors[2][0] = vectors[3][1] = 0.8;
  vectors[2][2] = 0.6;
  vectors[3][1] = 0.96;
  vectors[3][3] = 0.28;
  const VoiceGroups groups = groups_of(vectors);
  const AverageLinkage tree = tree_of(groups);
  EXPECT_TRUE(labels_of(tree, 3, 1) == std::vector<uint32_t>({0, 0, 0, 0}));
  // The join that came first is the left branch.
  EXPECT_TRUE(labels_of(tree, 2, 2) == std::vector<uint32_t>({1, 0, 1, 0}));
  EXPECT_TRUE(labels_of(tree, 1, 3) == std::vector<uint32_t>({1, 0, 2, 0}));
  EXPECT_TRUE(labels_of(tree, 0, 4) == std::vector<uint32_t>({2, 0, 3, 1}));
}

SUSURRUS_TEST(equal_vectors_end_the_chain_too) {
  const std::vector<Vector> vectors(50, drawn(1, 1, 1, 1)[0]);
  EXPECT_EQ(speakers_of(vectors, {}), size_t{1});
  EXPECT_EQ(speakers_of(vectors, {4, 4}), size_t{4});
}

SUSURRUS_TEST(many_vectors_are_clustered_in_many_steps) {
  const auto vectors = drawn(1200, 3, 1, 5);
  size_t steps = 0;
  const VoiceGroups groups = groups_of(vectors);
  const AverageLinkage tree = tree_of(groups, &steps);
  EXPECT_TRUE(steps > 40);
  EXPECT_EQ(tree.joins().size(), size_t{1199});
}

SUSURRUS_TEST(as_many_speakers_as_there_are_directions) {
  for (const size_t speakers : {1, 2, 5, 9}) {
    const auto vectors = drawn(60, speakers, 1.0, speakers);
    EXPECT_EQ(speakers_of(vectors, {}), speakers);
    EXPECT_EQ(speakers_of(vectors, {}, 1, 15), speakers);
  }
}

SUSURRUS_TEST(limits_of_speakers_are_kept) {
  const auto vectors = drawn(60, 4, 1.0, 3);
  for (uint32_t wanted = 1; wanted <= 20; ++wanted) {
    EXPECT_EQ(speakers_of(vectors, {wanted, wanted}), wanted);
    EXPECT_EQ(speakers_of(vectors, {wanted, 0}), std::max(wanted, 4u));
    EXPECT_EQ(speakers_of(vectors, {0, wanted}), std::min(wanted, 4u));
  }
  // No more than there are vectors.
  EXPECT_EQ(speakers_of(vectors, {70, 70}), size_t{60});
  EXPECT_EQ(speakers_of(drawn(1, 1, 0, 1), {2, 2}), size_t{1});
}

SUSURRUS_TEST(small_clusters_are_dissolved_but_not_where_they_speak_at_once) {
  auto vectors = drawn(40, 1, 0.5, 1);
  for (size_t i : {5, 6}) {
    std::ranges::fill(vectors[i], 0.0);
    vectors[i][100] = 1;
  }
  EXPECT_EQ(speakers_of(vectors, {}), size_t{1});
  EXPECT_EQ(speakers_of(vectors, {}, 2), size_t{2});
  EXPECT_EQ(speakers_of(vectors, {}, 3), size_t{2});
  EXPECT_EQ(speakers_of(vectors, {0, 1}, 2), size_t{1});
  // Two of 24 are enough: a tenth is 2.4.
  vectors.resize(24);
  EXPECT_EQ(speakers_of(vectors, {}), size_t{2});
  // And of 25 too: 2.5 is rounded to the even number.
  vectors.push_back(vectors[0]);
  EXPECT_EQ(speakers_of(vectors, {}), size_t{2});
  vectors.push_back(vectors[0]);
  EXPECT_EQ(speakers_of(vectors, {}), size_t{1});
}

SUSURRUS_TEST(voices_get_speakers_with_the_largest_total) {
  Numbers numbers(7);
  for (size_t rows = 1; rows <= 3; ++rows) {
    for (size_t columns = 1; columns <= 7; ++columns) {
      for (int round = 0; round < 50; ++round) {
        std::vector<double> values(rows * columns);
        for (double& value : values) value = numbers.next();
        std::vector<uint32_t> chosen(rows);
        assign_best(values, columns, chosen);
        double total = 0;
        for (size_t row = 0; row < rows; ++row) {
          ASSERT_TRUE(chosen[row] < columns);
          total += values[row * columns + chosen[row]];
          for (size_t other = 0; other < row && rows <= columns; ++other) {
            EXPECT_TRUE(chosen[other] != chosen[row]);
          }
        }
        if (rows <= columns) EXPECT_NEAR(total, best_total(values, rows, columns), 1e-12);
      }
    }
  }
  // Two speakers for three voices: the one left over has the speaker who is most like him.
  std::vector<uint32_t> chosen(3);
  assign_best(std::vector<double>{0.9, 0.1, 0.8, 0.7, 0.5, 0.4}, 2, chosen);
  EXPECT_TRUE(chosen == std::vector<uint32_t>({0, 1, 0}));
  // The lower number of equals.
  assign_best(std::vector<double>{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 3, chosen);
  EXPECT_TRUE(chosen == std::vector<uint32_t>({0, 1, 2}));
}

}  // namespace susurrus::testing::speaker_clusters_test
