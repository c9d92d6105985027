// The speaker networks against what the reference says of recordings: needs the packs and the shared folder.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/json_document.h"
#include "container/recording_sink.h"
#include "families/speakers/speaker_frames.h"
#include "families/speakers/speakers_family.h"
#include "families/speakers/trained_speaker_networks.h"
#include "flac_samples.h"
#include "harness.h"
#include "shared_files.h"

namespace susurrus::testing::speaker_networks_test {
namespace {

using Networks = SpeakerNetworks;

/// The variants of this program that run in a moment: the plain one alone does not, and sees less.
std::vector<const KernelTable*> variants() {
  std::vector<const KernelTable*> found;
  for (const Variant variant : {Variant::simd128, Variant::relaxed}) {
    if (const KernelTable* kernels = find_kernels(variant)) found.push_back(kernels);
  }
  if (found.empty()) found.push_back(&default_kernels());
  return found;
}

bool is_plain(const KernelTable& kernels) { return kernels.variant == Variant::reference; }

/// Numbers of a file of NumPy's, f32.
std::vector<float> numbers(const std::string& path) {
  const auto bytes = shared_bytes("speakers/expected/" + path);
  if (!bytes) return {};
  const size_t begin =
      10 + static_cast<uint8_t>((*bytes)[8]) + 256 * static_cast<uint8_t>((*bytes)[9]);
  std::vector<float> values((bytes->size() - begin) / sizeof(float));
  std::memcpy(values.data(), bytes->data() + begin, values.size() * sizeof(float));
  return values;
}

struct Pack {
  const char* path;
  const char* maker;
  /// What is allowed: the largest difference of a log probability, the share of equal classes, and the cosine of a vector.
  double log_probability;
  double classes;
  double cosine;
};
constexpr Pack kPacks[] = {
    {"build/speakers-f32.apr", "node scripts/speakers_model.mjs build/speakers-f32.apr --dtype f32",
     1e-3, 0.9999, 0.99999},
    {"models/speakers.apr", "node scripts/speakers_model.mjs", 2, 0.99, 0.995},
};

/// Calls `run(networks, pack, kernels)` for each pack that was made.
template <class Run>
void with_networks(const Run& run) {
  for (const Pack& pack : kPacks) {
    const auto bytes = made_bytes(pack.path, pack.maker);
    if (!bytes) continue;
    for (const KernelTable* kernels : variants()) {
      WeightStore store(speakers_alone(), kernels->packing);
      const Status status = read_file(store, Bytes(bytes->begin(), bytes->end()));
      ASSERT_TRUE(status.has_value());
      auto networks = TrainedSpeakerNetworks::create(store, *kernels);
      ASSERT_TRUE(networks.has_value());
      std::printf("  %s, %s: weights %.1f MB, memory %.1f MB\n", pack.path,
                  variant_name(kernels->variant),
                  static_cast<double>(store.weight_byte_count()) / 1e6,
                  static_cast<double>((*networks)->byte_count()) / 1e6);
      run(**networks, pack, *kernels);
    }
  }
}

void run_to_end(Networks& networks) {
  while (!networks.step()) {
  }
}

size_t class_of(const float* row) {
  return static_cast<size_t>(std::max_element(row, row + Networks::kClasses) - row);
}

/// A model of random weights, small enough that activations stay sane.
void fill(WeightStore& store, Dtype bias_dtype = Dtype::f32) {
  ModelMetadata metadata;
  metadata.model_type.assign("speakers");
  metadata.family.emplace<OtherMetadata>().architecture.emplace_back("n_speakers_version", 1);
  std::vector<TensorInfo> infos;
  for (const WantedTensor& wanted : SpeakerWeights::wanted()) {
    TensorInfo& info = infos.emplace_back();
    info.name = wanted.name;
    info.shape = wanted.shape;
    info.dtype = wanted.kind == WeightKind::values ? bias_dtype : Dtype::f32;
    info.raw_byte_count = tensor_byte_count(info.dtype, info.shape).value();
  }
  ModelManifest manifest;
  manifest.metadata = &metadata;
  manifest.tensors = infos;
  ASSERT_TRUE(store.on_manifest(manifest).has_value());
  uint32_t state = 1;
  for (const TensorInfo& info : infos) {
    auto place = store.place_tensor(info);
    ASSERT_TRUE(place.has_value());
    std::ranges::fill(*place, uint8_t{0});
    const double width =
        info.shape.rank() == 1 ? 0.5 : 1 / std::sqrt(static_cast<double>(info.shape[1]));
    for (size_t i = 0; info.dtype == Dtype::f32 && i < place->size() / sizeof(float); ++i) {
      state = state * 1664525 + 1013904223;
      const auto value =
          static_cast<float>(width * (static_cast<double>(state >> 8) / 8388608 - 1));
      std::memcpy(place->data() + i * sizeof(float), &value, sizeof value);
    }
    store.on_tensor_complete(info);
  }
}

std::vector<float> noise(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / 8388608.0f - 1;
  }
  return values;
}

std::vector<float> vector_of(Networks& networks, const std::vector<float>& features) {
  networks.begin_voice(features);
  run_to_end(networks);
  return {networks.vector().begin(), networks.vector().end()};
}

std::vector<float> probabilities_of(Networks& networks, std::vector<const float*> windows) {
  networks.begin_windows(windows);
  run_to_end(networks);
  return {networks.log_probabilities().begin(), networks.log_probabilities().end()};
}

std::vector<TensorInfo> right_tensors() {
  std::vector<TensorInfo> infos;
  for (const WantedTensor& wanted : SpeakerWeights::wanted()) {
    TensorInfo& info = infos.emplace_back();
    info.name = wanted.name;
    info.shape = wanted.shape;
    info.dtype = Dtype::f32;
  }
  return infos;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double product = 0;
  double one = 0;
  double other = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * b[i];
    one += static_cast<double>(a[i]) * a[i];
    other += static_cast<double>(b[i]) * b[i];
  }
  return product / std::sqrt(one * other);
}

}  // namespace

SUSURRUS_TEST(speaker_networks_have_exactly_their_tensors) {
  ModelMetadata metadata;
  metadata.model_type.assign("speakers");
  auto& architecture = metadata.family.emplace<OtherMetadata>().architecture;
  std::vector<TensorInfo> infos = right_tensors();
  const Status without_version = kSpeakersFamily.check(metadata, infos);
  ASSERT_FALSE(without_version.has_value());
  EXPECT_TRUE(without_version.error().code == ErrorCode::unsupported_version);
  architecture.emplace_back("n_speakers_version", 1);
  EXPECT_TRUE(kSpeakersFamily.check(metadata, infos).has_value());
  EXPECT_FALSE(kSpeakersFamily.check(metadata, {}).has_value());
  EXPECT_TRUE(kSpeakersFamily.match(metadata, infos, {}).has_value());

  infos.back().name = "another";
  const auto lacking = kSpeakersFamily.match(metadata, infos, {});
  ASSERT_FALSE(lacking.has_value());
  EXPECT_TRUE(lacking.error().code == ErrorCode::missing_tensor);

  infos = right_tensors();
  for (TensorInfo& info : infos) {
    if (info.shape.rank() == 2) info.shape = Shape({info.shape[1], info.shape[0]});
  }
  const auto turned = kSpeakersFamily.match(metadata, infos, {});
  ASSERT_FALSE(turned.has_value());
  EXPECT_TRUE(turned.error().code == ErrorCode::shape_mismatch);
}

SUSURRUS_TEST(speaker_networks_refuse_biases_of_other_types) {
  WeightStore store(speakers_alone());
  fill(store, Dtype::f16);
  const auto networks = TrainedSpeakerNetworks::create(store, default_kernels());
  ASSERT_FALSE(networks.has_value());
  EXPECT_TRUE(networks.error().code == ErrorCode::unsupported_feature);
  WeightStore empty(speakers_alone());
  const auto none = TrainedSpeakerNetworks::create(empty, default_kernels());
  ASSERT_FALSE(none.has_value());
  EXPECT_TRUE(none.error().code == ErrorCode::missing_tensor);
}

/// Windows a hop apart share what the filters give; copies of them do not.
SUSURRUS_TEST(speaker_windows_in_one_recording_are_as_their_copies) {
  WeightStore store(speakers_alone());
  fill(store);
  auto networks = TrainedSpeakerNetworks::create(store, default_kernels());
  ASSERT_TRUE(networks.has_value());
  const std::vector<float> sound = noise(Networks::kWindowSamples + 2 * kHopSamples, 5);
  const auto copy = [&](size_t first) {
    return std::vector<float>(sound.begin() + first,
                              sound.begin() + first + Networks::kWindowSamples);
  };
  const std::vector<float> one = copy(kHopSamples);
  const std::vector<float> other = copy(2 * kHopSamples);
  const float* first = sound.data();
  const std::vector<float> shared =
      probabilities_of(**networks, {first, first + kHopSamples, first + 2 * kHopSamples});
  const std::vector<float> alone = probabilities_of(**networks, {first, one.data(), other.data()});
  ASSERT_EQ(shared.size(), alone.size());
  for (size_t i = 0; i < shared.size(); ++i) EXPECT_NEAR(shared[i], alone[i], 1e-4);
}

SUSURRUS_TEST(speaker_networks_forget_what_they_heard) {
  WeightStore store(speakers_alone());
  fill(store);
  const KernelTable& kernels = default_kernels();
  auto networks = TrainedSpeakerNetworks::create(store, kernels);
  ASSERT_TRUE(networks.has_value());
  const std::vector<float> voice = noise(13 * Networks::kMelBins, 1);
  const std::vector<float> vector = vector_of(**networks, voice);
  EXPECT_TRUE(std::isfinite(vector[0]));
  EXPECT_TRUE(vector != vector_of(**networks, noise(13 * Networks::kMelBins, 2)));
  const std::vector<float> shortest = vector_of(**networks, noise(3 * Networks::kMelBins, 3));
  EXPECT_TRUE(std::ranges::all_of(shortest, [](float value) { return std::isfinite(value); }));
  const std::vector<float> nothing(40 * Networks::kMelBins, std::nanf(""));
  vector_of(**networks, nothing);
  // Left before its end.
  (*networks)->begin_voice(noise(40 * Networks::kMelBins, 4));
  for (int i = 0; i < 30; ++i) (*networks)->step();
  EXPECT_TRUE(vector == vector_of(**networks, voice));

  // Half a minute with the plain kernels.
  if (is_plain(kernels)) return;
  const std::vector<float> one = noise(Networks::kWindowSamples, 5);
  const std::vector<float> other = noise(Networks::kWindowSamples, 6);
  const std::vector<float> both = probabilities_of(**networks, {one.data(), other.data()});
  const std::vector<float> broken(Networks::kWindowSamples, std::nanf(""));
  probabilities_of(**networks, {broken.data()});
  const std::vector<float> alone = probabilities_of(**networks, {other.data()});
  double worst = 0;
  for (size_t i = 0; i < alone.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(alone[i]) - both[alone.size() + i]);
    worst = difference <= worst ? worst : difference;
  }
  EXPECT_TRUE(worst < 1e-4);
  EXPECT_TRUE(vector == vector_of(**networks, voice));
}

SUSURRUS_TEST(speaker_segmentation_is_the_references) {
  const auto list = shared_json("speakers/expected/segmentation.json");
  if (!list) return;
  with_networks([&](Networks& networks, const Pack& pack, const KernelTable& kernels) {
    double worst = 0;
    size_t equal = 0;
    size_t all = 0;
    for (const auto& [name, recording] : list->root().members()) {
      if (is_plain(kernels) && name != "3080-5032-0000") continue;
      const auto file = shared_bytes("speakers/" + std::string(*recording["file"].text()));
      const std::vector<float> expected = numbers("segmentation/" + std::string(name) + ".npy");
      if (!file || expected.empty()) return;
      std::vector<float> samples = flac_samples(*file);
      ASSERT_EQ(samples.size(), *recording["samples"].unsigned_integer());
      std::vector<size_t> starts;
      for (const JsonValue start : recording["starts"].items()) {
        starts.push_back(270 * static_cast<size_t>(*start.unsigned_integer()));
      }
      samples.resize(starts.back() + Networks::kWindowSamples);
      for (size_t first = 0; first < starts.size(); first += networks.most_windows()) {
        std::vector<const float*> windows;
        for (size_t w = first; w < std::min(starts.size(), first + networks.most_windows()); ++w) {
          windows.push_back(samples.data() + starts[w]);
        }
        networks.begin_windows(windows);
        run_to_end(networks);
        const std::span<const float> found = networks.log_probabilities();
        const size_t rows = windows.size() * Networks::kWindowFrames;
        ASSERT_EQ(found.size(), rows * Networks::kClasses);
        const float* wanted =
            expected.data() + first * Networks::kWindowFrames * Networks::kClasses;
        for (size_t i = 0; i < found.size(); ++i) {
          const double difference = std::fabs(static_cast<double>(found[i]) - wanted[i]);
          worst = difference <= worst ? worst : difference;  // a NaN is the worst
        }
        for (size_t r = 0; r < rows; ++r) {
          const size_t at = r * Networks::kClasses;
          equal += class_of(found.data() + at) == class_of(wanted + at);
        }
        all += rows;
      }
    }
    const double share = static_cast<double>(equal) / static_cast<double>(all);
    std::printf("    log probabilities within %.2g, classes equal %.2f %%\n", worst, 100 * share);
    EXPECT_TRUE(worst <= pack.log_probability);
    EXPECT_TRUE(share >= pack.classes);
  });
}

SUSURRUS_TEST(speaker_vectors_are_the_references) {
  const auto list = shared_json("speakers/expected/vectors.json");
  if (!list) return;
  const std::vector<float> expected = numbers("vectors.npy");
  with_networks([&](Networks& networks, const Pack& pack, const KernelTable& kernels) {
    double least = 1;
    size_t piece_count = 0;
    for (const JsonValue piece : list->root()["pieces"].items()) {
      const size_t at = piece_count++ * Networks::kVectorSize;
      if (is_plain(kernels) && *piece["frames"].unsigned_integer() > 150) continue;
      const std::vector<float> features =
          numbers("fbank/" + std::string(*piece["name"].text()) + ".npy");
      ASSERT_EQ(features.size(), *piece["frames"].unsigned_integer() * Networks::kMelBins);
      networks.begin_voice(features);
      run_to_end(networks);
      const double alike =
          cosine(networks.vector(), std::span(expected).subspan(at, Networks::kVectorSize));
      least = alike >= least ? least : alike;
    }
    std::printf("    cosines from %.6f\n", least);
    EXPECT_TRUE(least >= pack.cosine);
  });
}

}  // namespace susurrus::testing::speaker_networks_test
