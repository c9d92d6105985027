// The trained BW2L digits: emissions as its reference has them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "audio/wav_reader.h"
#include "container/bw2l/bw2l_reader.h"
#include "families/acoustic/small_acoustic.h"
#include "harness.h"
#include "shared_files.h"

namespace susurrus::testing::digits_emissions_test {
namespace {

ByteSpan bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Result<std::unique_ptr<AcousticModel>> read_model(const std::string& file) {
  Bw2lReader reader;
  SUSURRUS_RETURN_IF_ERROR(reader.push(bytes_of(file)));
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  return AcousticModel::make(reader.model(), reader.settings(), reader.tokens(), bytes_of(file));
}

Result<std::vector<float>> read_samples(const std::string& file) {
  WavReader reader;
  ByteSpan rest = bytes_of(file);
  std::vector<float> samples(file.size());
  size_t count = 0;
  while (!rest.empty()) {
    SUSURRUS_ASSIGN_OR_RETURN(const size_t more,
                              reader.read(rest, std::span(samples).subspan(count)));
    count += more;
  }
  samples.resize(count);
  return samples;
}

/// `wanted`: [frame, token, emission] of some.
double largest_difference(const std::vector<float>& emissions, size_t tokens, JsonValue wanted) {
  double largest = 0;
  for (JsonValue one : wanted.items()) {
    std::vector<double> numbers;
    for (JsonValue number : one.items()) numbers.push_back(*number.number());
    const auto at = static_cast<size_t>(numbers[0]) * tokens + static_cast<size_t>(numbers[1]);
    if (at >= emissions.size()) return HUGE_VAL;
    largest = std::max(largest, std::fabs(static_cast<double>(emissions[at]) - numbers[2]));
  }
  return largest;
}

/// The first recordings: all that builds with sanitizers have the time for.
void expect_emissions(const std::string& name, double tolerance) {
  constexpr size_t kMostRecordings = 6;
  const std::string folder = "bw2l-digits/";
  const auto expected = shared_json(folder + "eval/expected.json");
  const auto file = shared_bytes(folder + name);
  if (!expected || !file) return;
  const auto model = read_model(*file);
  ASSERT_TRUE(model.has_value());
  size_t count = 0;
  for (JsonValue recording : expected->root()["recordings"].items()) {
    if (count++ == kMostRecordings) break;
    const std::string path(*recording["file"].text());
    const auto sound = shared_bytes(folder + "eval/" + path);
    if (!sound) return;
    const auto samples = read_samples(*sound);
    ASSERT_TRUE(samples.has_value());
    const auto run = run_session(**model, *samples);
    ASSERT_TRUE(run.has_value());
    const size_t tokens = (*model)->tokens().size();
    EXPECT_EQ(run->emissions.size(), *recording[name]["frames"].unsigned_integer() * tokens);
    const JsonValue wanted = recording[name]["emissions"];
    EXPECT_GT(wanted.size(), 10u);
    const double difference = largest_difference(run->emissions, tokens, wanted);
    if (!EXPECT_LT(difference, tolerance)) std::printf("    %s: %g\n", path.c_str(), difference);
  }
  EXPECT_GT(count, 0u);
}

}  // namespace

SUSURRUS_TEST(emissions_of_the_bw2l_digits_are_the_reference_s) {
  expect_emissions("digits.b2l", 1e-4);
}

// Its matrices stay int8, and so what they are multiplied with is made integers, too: of 16 bits, or 8 in relaxed kernels.
SUSURRUS_TEST(emissions_of_the_bw2l_digits_in_int8_are_the_reference_s) {
  expect_emissions("digits-i8.b2l", 5e-4);
}

}  // namespace susurrus::testing::digits_emissions_test
