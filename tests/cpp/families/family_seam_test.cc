// Every family of models goes through one way of loading and one interface: a family that exists here alone, and Whisper.
#include "base/json_document.h"
#include "container/recording_sink.h"
#include "families/dummy_family.h"
#include "families/whisper/whisper_family.h"
#include "session/recording_run.h"
#include "session/whisper_model.h"
#include "whisper/random_model.h"

namespace susurrus::testing::family_seam_test {
namespace {

constexpr size_t kWindow = 4;

Bytes floats(std::initializer_list<float> values) {
  Bytes bytes;
  for (float value : values) append_number(bytes, value);
  return bytes;
}

/// Three templates of four samples: rising, falling, silence.
Apr2Builder dummy_file() {
  Apr2Builder builder;
  builder.metadata = R"({"apr_version":"2.0.0","model_type":"dummy",)"
                     R"("architecture":{"n_class":3,"n_window":4,"kind":"none"}})";
  BuiltTensor weight;
  weight.name = "net.templates.weight";
  weight.dims = {3, kWindow};
  weight.stored = floats({0, 1, 2, 3, 3, 2, 1, 0, 0, 0, 0, 0});
  BuiltTensor bias;
  bias.name = "templates.bias";
  bias.dims = {3};
  bias.stored = floats({0, 0, 0.5f});
  BuiltTensor other;
  other.name = "optimizer.state";
  other.dims = {1};
  other.stored = floats({1});
  builder.tensors = {weight, bias, other};
  return builder;
}

struct Heard {
  std::vector<std::string> events;
  std::string text;
  std::optional<Error> error;
};

/// Drives an engine of any family as the bindings do; with `is_stream` the length comes at the end.
Heard hear(Engine& engine, const std::string& options, const std::vector<float>& samples,
           bool is_stream = false) {
  Heard heard;
  auto document = JsonDocument::parse(options, JsonOrigin{});
  std::optional<uint64_t> count;
  if (!is_stream) count = samples.size();
  auto begun = engine.begin(document->root(), count, JsonValue());
  if (!begun) {
    heard.error = begun.error();
    return heard;
  }
  Recognition& work = **begun;
  for (size_t steps = 0; EXPECT_LT(steps, 100'000u); ++steps) {
    auto state = work.step();
    if (!EXPECT_TRUE(state.has_value()) || *state == StepResult::done) break;
    if (*state == StepResult::segment_ready || *state == StepResult::rejected_ready) {
      heard.events.push_back(work.take_event());
    } else if (*state == StepResult::need_audio) {
      const AudioRequest request = work.audio_request();
      if (request.end > samples.size()) {
        work.end_audio(samples.size());
      } else {
        std::ranges::copy(std::span(samples).subspan(request.begin, request.end - request.begin),
                          work.audio_window().begin());
      }
    }
  }
  EXPECT_EQ(work.progress(), 1.0);
  heard.text = work.text();
  return heard;
}

std::unique_ptr<Engine> dummy_engine(WeightStore& store) {
  if (!EXPECT_TRUE(read_file(store, dummy_file().build(), true, 7).has_value())) return nullptr;
  store.set_verified();
  auto engine = create_engine(store, default_kernels(), dummy_engines());
  return EXPECT_TRUE(engine.has_value()) ? std::move(engine).value() : nullptr;
}

Status load_dummy(const Apr2Builder& builder) {
  WeightStore store(dummy_alone());
  return read_file(store, builder.build());
}

const std::vector<float> kSamples = {0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1};

}  // namespace

SUSURRUS_TEST(family_dummy_is_loaded_and_run_like_any_other) {
  WeightStore store(dummy_alone());
  const auto engine = dummy_engine(store);
  ASSERT_TRUE(engine != nullptr);
  EXPECT_EQ(std::string_view(engine->family_name()), "dummy");
  EXPECT_TRUE(WhisperModel::of(engine.get()) == nullptr);
  EXPECT_GE(engine->memory_plan().weight_bytes, 15 * sizeof(float));
  JsonWriter facts;
  facts.begin_object();
  engine->write_facts(facts);
  EXPECT_EQ(facts.end_object().text(), R"({"classCount":3})");

  const Heard heard = hear(*engine, "{}", kSamples);
  ASSERT_EQ(heard.events.size(), 4u);
  EXPECT_EQ(heard.events[0], R"({"text":"class 0"})");
  EXPECT_EQ(heard.events[3], R"({"text":"class 1"})");
  EXPECT_EQ(heard.text, "class 0class 1class 2class 1");
  EXPECT_EQ(hear(*engine, R"({"label":"#"})", kSamples).text, "#0#1#2#1");
  const Heard stream = hear(*engine, R"({"label":"#"})", kSamples, true);
  EXPECT_EQ(stream.text, "#0#1#2#1");
  const Heard refused = hear(*engine, R"({"label":7})", kSamples);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->subject.view(), "label");
}

SUSURRUS_TEST(family_whisper_runs_behind_the_same_interface) {
  RandomModel random = random_model(kOddDimensions, 5);
  random.store.set_verified();
  auto engine = create_engine(random.store, default_kernels());
  ASSERT_TRUE(engine.has_value());
  EXPECT_EQ(std::string_view((*engine)->family_name()), "whisper");
  ASSERT_TRUE(WhisperModel::of(engine->get()) != nullptr);
  EXPECT_TRUE(WhisperModel::of(engine->get())->dimensions() == kOddDimensions);
  const std::string options = R"({"language":"en","timestamps":"none","temperature":[0],)"
                              R"("compressionRatioThreshold":null,"logprobThreshold":null,)"
                              R"("noSpeechThreshold":null})";
  const std::vector<float> samples = noise(3 * 160 * kOddDimensions.n_audio_ctx, 6);
  const Heard heard = hear(**engine, options, samples);
  ASSERT_FALSE(heard.error.has_value());
  ASSERT_TRUE(heard.events.size() >= 2);
  for (const std::string& event : heard.events) {
    const auto segment = JsonDocument::parse(event, JsonOrigin{});
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(segment->root()["language"].text().value_or(""), "en");
    EXPECT_TRUE(segment->root()["tokens"].is_array());
  }
  const Heard refused = hear(**engine, R"({"language":"tlh"})", samples);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->subject.view(), "language");
}

SUSURRUS_TEST(family_of_a_file_must_be_one_that_is_run) {
  WeightStore whisper(loadable_families());
  const Status unknown = read_file(whisper, dummy_file().build());
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::unsupported_feature);
  EXPECT_EQ(unknown.error().subject.view(), "model_type");
  EXPECT_EQ(unknown.error().expected.view(), "whisper");
  EXPECT_EQ(unknown.error().got.view(), "dummy");

  const ModelFamily* both[] = {&kWhisperFamily, &kDummyFamily};
  WeightStore either(both);
  ASSERT_TRUE(read_file(either, dummy_file().build()).has_value());
  EXPECT_TRUE(either.family() == &kDummyFamily);
  // An engine of another family than those asked is not made.
  const auto engine = create_engine(either, default_kernels());
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code, ErrorCode::unsupported_feature);
}

SUSURRUS_TEST(family_tensors_are_checked_by_the_list_it_gives) {
  Apr2Builder missing = dummy_file();
  missing.tensors.erase(missing.tensors.begin() + 1);
  const Status without = load_dummy(missing);
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().code, ErrorCode::missing_tensor);
  EXPECT_EQ(without.error().subject.view(), "templates.bias");

  Apr2Builder misshapen = dummy_file();
  misshapen.tensors[1].dims = {2};
  misshapen.tensors[1].stored = floats({0, 0});
  const Status wrong = load_dummy(misshapen);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::shape_mismatch);
  EXPECT_EQ(wrong.error().expected.view(), "[3]");

  Apr2Builder unsized = dummy_file();
  unsized.metadata = R"({"apr_version":"2.0.0","model_type":"dummy","architecture":{"n_class":3}})";
  const Status incomplete = load_dummy(unsized);
  ASSERT_FALSE(incomplete.has_value());
  EXPECT_EQ(incomplete.error().subject.view(), "architecture");
}

SUSURRUS_TEST(family_weights_are_found_by_canonical_names_and_others_are_skipped) {
  WeightStore store(dummy_alone());
  ASSERT_TRUE(read_file(store, dummy_file().build()).has_value());
  const TensorView* weight = store.find("templates.weight");
  ASSERT_TRUE(weight != nullptr);
  EXPECT_EQ(weight->f32()[4], 3.0f);
  EXPECT_TRUE(store.find("net.templates.weight") == nullptr);
  EXPECT_TRUE(store.find("optimizer.state") == nullptr);
}

}  // namespace susurrus::testing::family_seam_test
