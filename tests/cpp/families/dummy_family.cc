#include "families/dummy_family.h"

#include <algorithm>

namespace susurrus::testing {
namespace {

struct DummySizes {
  uint64_t n_class = 0;
  uint64_t n_window = 0;
};

DummySizes sizes_of(const ModelMetadata& metadata) {
  const OtherMetadata* other = metadata.other();
  if (other == nullptr) return {};
  return {other->find("n_class").value_or(0), other->find("n_window").value_or(0)};
}

Status check(const ModelMetadata& metadata, std::span<const TensorInfo> tensors) {
  const DummySizes sizes = sizes_of(metadata);
  if (sizes.n_class == 0 || sizes.n_window == 0) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_metadata)
        .with_subject("architecture")
        .with_expected("n_class and n_window");
  }
  return tensors.empty() ? Status(no_tensors()) : ok_status();
}

Result<TensorMatch> match(const ModelMetadata& metadata, std::span<const TensorInfo> tensors,
                          const TensorMatchRules& rules) {
  const auto [n_class, n_window] = sizes_of(metadata);
  std::vector<WantedTensor> wanted(2);
  wanted[0] = {
      .name = "templates.weight", .shape = {n_class, n_window}, .kind = WeightKind::matrix};
  wanted[1] = {.name = "templates.bias", .shape = {n_class}};
  return match_tensors(std::move(wanted), tensors, kDummyFamily.canonical_name, rules);
}

class DummyRecognition : public Recognition {
 public:
  DummyRecognition(const WeightStore& store, std::string label, std::optional<uint64_t> count)
      : label_(std::move(label)),
        count_(count),
        weight_(*store.find("templates.weight")),
        bias_(*store.find("templates.bias")),
        samples_(weight_.shape[1]) {}

  Result<StepResult> step() override {
    if (count_ && position_ >= *count_) return StepResult::done;
    if (std::exchange(is_waiting_, !is_waiting_)) {
      hear();
      return StepResult::segment_ready;
    }
    return StepResult::need_audio;
  }
  AudioRequest audio_request() const override {
    const uint64_t end = position_ + samples_.size();
    return {position_, count_ ? std::min(end, *count_) : end};
  }
  std::span<float> audio_window() override {
    std::ranges::fill(samples_, 0.0f);
    return std::span(samples_).first(audio_request().end - position_);
  }
  void end_audio(uint64_t sample_count) override {
    count_ = sample_count;
    is_waiting_ = false;
  }
  std::string take_event() override {
    return JsonWriter().begin_object().field("text", std::string_view(event_)).end_object().text();
  }
  std::string state() const override { return {}; }
  std::string_view language() const override { return {}; }
  std::string text() const override { return text_; }
  double progress() const override {
    return count_ ? static_cast<double>(position_) / static_cast<double>(*count_) : 0;
  }

 private:
  void hear() {
    uint64_t best = 0;
    float best_score = 0;
    for (uint64_t c = 0; c < weight_.rows(); ++c) {
      float score = bias_.f32()[c];
      const auto* row = reinterpret_cast<const float*>(weight_.row(c));
      for (size_t i = 0; i < samples_.size(); ++i) score += row[i] * samples_[i];
      if (c == 0 || score > best_score) best = c;
      if (best == c) best_score = score;
    }
    event_ = label_ + std::to_string(best);
    text_ += event_;
    position_ = audio_request().end;
  }

  std::string label_;
  std::optional<uint64_t> count_;
  TensorView weight_;
  TensorView bias_;
  std::vector<float> samples_;
  uint64_t position_ = 0;
  bool is_waiting_ = false;
  std::string event_;
  std::string text_;
};

class DummyEngine : public Engine {
 public:
  explicit DummyEngine(const WeightStore& store) : store_(store) {}
  const char* family_name() const override { return kDummyFamily.name; }
  MemoryPlan memory_plan() const override { return {.weight_bytes = store_.weight_byte_count()}; }
  void write_facts(JsonWriter& json) const override {
    json.field("classCount", sizes_of(store_.metadata()).n_class);
  }
  Result<std::unique_ptr<Recognition>> begin(JsonValue options,
                                             std::optional<uint64_t> sample_count,
                                             JsonValue) override {
    const JsonValue label = options["label"];
    if (label.exists() && !label.is_string()) {
      return make_error(ErrorCode::invalid_argument, ErrorReason::option)
          .with_subject("label")
          .with_expected("text");
    }
    return std::unique_ptr<Recognition>(std::make_unique<DummyRecognition>(
        store_, std::string(label.text().value_or("class ")), sample_count));
  }

 private:
  const WeightStore& store_;
};

Result<std::unique_ptr<Engine>> create(WeightStore& store, const KernelTable&) {
  return std::unique_ptr<Engine>(std::make_unique<DummyEngine>(store));
}

}  // namespace

const ModelFamily kDummyFamily = {
    .name = "dummy",
    .check = check,
    .check_late = [](const ModelMetadata&) { return ok_status(); },
    .match = match,
    .canonical_name =
        [](std::string_view name) {
          return std::string(name.starts_with("net.") ? name.substr(4) : name);
        },
    .convolutions_follow = nullptr};

std::span<const ModelFamily* const> dummy_alone() {
  static constexpr const ModelFamily* kFamilies[] = {&kDummyFamily};
  return kFamilies;
}

std::span<const EngineFamily> dummy_engines() {
  static constexpr EngineFamily kEngines[] = {{&kDummyFamily, create}};
  return kEngines;
}

}  // namespace susurrus::testing
