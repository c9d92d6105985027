#include "families/detector/speech_detector.h"

#include <algorithm>

#include "graph/tennis/tennis_module.h"

namespace susurrus {
namespace {

constexpr uint64_t kHeard = SpeechDetector::kContextSamples + SpeechDetector::kFrameSamples;

Error not_a_detector(std::string_view expected) {
  return make_error(ErrorCode::malformed, ErrorReason::model)
      .with_subject("speech detector")
      .with_expected(expected);
}

}  // namespace

Result<SpeechDetector> SpeechDetector::make(ByteSpan bytes) {
  const Shape shapes[] = {{1, kHeard}, {2, 1, kStateCount / 2}};
  SUSURRUS_ASSIGN_OR_RETURN(const TennisModule module, TennisModule::read(bytes));
  if (module.inputs().size() != 2) return not_a_detector("two inputs: samples and state");
  const TennisFed fed[] = {{{}, ElementType::f32, shapes[0]}, {{}, ElementType::f32, shapes[1]}};
  SUSURRUS_ASSIGN_OR_RETURN(Graph graph, module.graph(fed));
  SUSURRUS_ASSIGN_OR_RETURN(Plan plan, make_plan(graph, shapes));
  const auto gives = [&](size_t index, const Shape& shape) {
    if (index >= graph.outputs.size()) return false;
    const ValuePlace& place = plan.places[graph.outputs[index]];
    return place.type == ElementType::f32 && place.shape == shape;
  };
  if (graph.outputs.size() != 2 || !gives(0, {1, 1}) || !gives(1, shapes[1])) {
    return not_a_detector("two outputs: a probability and the next state");
  }
  std::unique_ptr<Network> network(new (std::nothrow) Network(std::move(graph)));
  if (network == nullptr) {
    return make_error(ErrorCode::out_of_memory, ErrorReason::memory).with_subject("detector");
  }
  SUSURRUS_ASSIGN_OR_RETURN(GraphRun run, GraphRun::make(network->graph, std::move(plan)));
  run.set_input(0, network->samples.data());
  run.set_input(1, network->state.data());
  return SpeechDetector(std::move(network), std::move(run));
}

void SpeechDetector::reset() {
  network_->samples.fill(0);
  network_->state.fill(0);
}

Status SpeechDetector::hear(std::span<const float> samples, std::span<float> probabilities) {
  SUSURRUS_CHECK(probabilities.size() >= frame_count(samples.size()));
  auto& heard = network_->samples;
  for (size_t frame = 0; !samples.empty(); ++frame) {
    std::copy(heard.end() - kContextSamples, heard.end(), heard.begin());
    const size_t count = std::min(samples.size(), kFrameSamples);
    const auto end = std::copy_n(samples.data(), count, heard.begin() + kContextSamples);
    std::fill(end, heard.end(), 0.0F);
    samples = samples.subspan(count);
    SUSURRUS_RETURN_IF_ERROR(run_.run());
    probabilities[frame] = run_.output(0).f32()[0];
    std::copy_n(run_.output(1).f32(), kStateCount, network_->state.data());
  }
  return ok_status();
}

}  // namespace susurrus
