#include "families/transducer/transducer_networks.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace susurrus {
namespace {

// Places in the format's order.
constexpr size_t kSegment = 0;
constexpr size_t kFirstState = 1;
constexpr size_t kEncoderOut = 0;
constexpr size_t kFirstNextState = 1;
constexpr size_t kContext = 0;
constexpr size_t kDecoderOut = 0;
constexpr size_t kJoinerEncoderOut = 0;
constexpr size_t kJoinerDecoderOut = 1;
constexpr size_t kLogits = 0;

uint64_t byte_count_of(ElementType type, const Shape& shape) {
  // Counted when the plan was made.
  return *shape.element_count() * element_byte_count(type);
}

Error wrong_value(AprilNetwork network, const OnnxValue& value, ErrorReason reason) {
  const std::string name(kAprilNetworkNames[static_cast<size_t>(network)]);
  return make_error(ErrorCode::malformed, reason)
      .at(value.file_offset)
      .with_subject(name + "." + value.name);
}

/// "f32 1×1×8"
FixedString<120> type_text(ElementType type, const Shape& shape) {
  FixedString<120> text(element_type_name(type));
  text.append(" ");
  text.append(shape_text(shape).view());
  return text;
}

}  // namespace

Result<TransducerNetworks> TransducerNetworks::make(const TransducerModel& model) {
  TransducerNetworks made(model);
  made.runs_.reserve(kAprilNetworks);
  using enum AprilNetwork;
  for (AprilNetwork network : {encoder, decoder, joiner}) {
    SUSURRUS_RETURN_IF_ERROR(made.add_run(network));
  }
  SUSURRUS_RETURN_IF_ERROR(made.check());
  const auto allocate = [&](AlignedBuffer& buffer, AprilNetwork network, size_t input,
                            ElementType type) -> Status {
    const uint64_t byte_count = byte_count_of(type, made.input_shape(network, input));
    SUSURRUS_ASSIGN_OR_RETURN(buffer, AlignedBuffer::allocate(byte_count, "network state"));
    std::ranges::fill(buffer.bytes(), uint8_t{0});
    return ok_status();
  };
  SUSURRUS_RETURN_IF_ERROR(allocate(made.segment_, encoder, kSegment, ElementType::f32));
  SUSURRUS_RETURN_IF_ERROR(allocate(made.context_, decoder, kContext, ElementType::i64));
  for (size_t i = 0; i < made.states_.size(); ++i) {
    State& state = made.states_[i];
    SUSURRUS_RETURN_IF_ERROR(allocate(state.before, encoder, kFirstState + i, ElementType::f32));
    SUSURRUS_RETURN_IF_ERROR(allocate(state.after, encoder, kFirstState + i, ElementType::f32));
  }
  made.set_input(encoder, kSegment, made.segment_.data());
  made.set_input(decoder, kContext, made.context_.data());
  return made;
}

Status TransducerNetworks::add_run(AprilNetwork network) {
  const Graph& graph = model_->graph(network);
  auto plan = make_plan(graph, model_->input_shapes(network));
  if (!plan) return in_network(network, plan.error());
  auto run = GraphRun::make(graph, std::move(*plan));
  if (!run) return in_network(network, run.error());
  runs_.push_back(std::move(*run));
  return ok_status();
}

Status TransducerNetworks::check() const {
  using enum AprilNetwork;
  for (size_t input = 0; input < 3; ++input) {
    SUSURRUS_RETURN_IF_ERROR(check_input_type(encoder, input, ElementType::f32));
  }
  SUSURRUS_RETURN_IF_ERROR(check_input_type(decoder, kContext, ElementType::i64));
  SUSURRUS_RETURN_IF_ERROR(check_input_type(joiner, kJoinerEncoderOut, ElementType::f32));
  SUSURRUS_RETURN_IF_ERROR(check_input_type(joiner, kJoinerDecoderOut, ElementType::f32));
  for (size_t i = 0; i < states_.size(); ++i) {
    SUSURRUS_RETURN_IF_ERROR(check_output(encoder, kFirstNextState + i, ElementType::f32,
                                          input_shape(encoder, kFirstState + i)));
  }
  SUSURRUS_RETURN_IF_ERROR(
      check_output(encoder, kEncoderOut, ElementType::f32, input_shape(joiner, kJoinerEncoderOut)));
  SUSURRUS_RETURN_IF_ERROR(
      check_output(decoder, kDecoderOut, ElementType::f32, input_shape(joiner, kJoinerDecoderOut)));
  return check_output(joiner, kLogits, ElementType::f32, {1, 1, model_->vocabulary().size()});
}

Status TransducerNetworks::check_input_type(AprilNetwork network, size_t input,
                                            ElementType type) const {
  const size_t place = model_->binding(network).inputs[input];
  const Graph& graph = model_->graph(network);
  const ElementType found = graph.values[graph.inputs[place]].type;
  if (found == type) return ok_status();
  return wrong_value(network, model_->declared(network).inputs[place],
                     ErrorReason::unsupported_dtype)
      .with_expected(element_type_name(type))
      .with_got(element_type_name(found));
}

Status TransducerNetworks::check_output(AprilNetwork network, size_t output, ElementType type,
                                        const Shape& shape) const {
  const Tensor found = this->output(network, output);
  if (found.type == type && found.shape == shape) return ok_status();
  const size_t place = model_->binding(network).outputs[output];
  return wrong_value(network, model_->declared(network).outputs[place], ErrorReason::bad_shape)
      .with_expected(type_text(type, shape).view())
      .with_got(type_text(found.type, found.shape).view());
}

Shape TransducerNetworks::input_shape(AprilNetwork network, size_t input) const {
  return run(network).plan().input_shapes[model_->binding(network).inputs[input]];
}

void TransducerNetworks::set_input(AprilNetwork network, size_t input, const void* data) {
  run(network).set_input(model_->binding(network).inputs[input], data);
}

Tensor TransducerNetworks::output(AprilNetwork network, size_t output) const {
  return run(network).output(model_->binding(network).outputs[output]);
}

void TransducerNetworks::begin_encoding() {
  for (size_t i = 0; i < states_.size(); ++i) {
    set_input(AprilNetwork::encoder, kFirstState + i, states_[i].before.data());
  }
  run(AprilNetwork::encoder).begin();
}

Result<bool> TransducerNetworks::encode(uint64_t cost) {
  auto is_done = run(AprilNetwork::encoder).step(cost);
  if (!is_done) return in_network(AprilNetwork::encoder, is_done.error());
  if (!*is_done) return false;
  // Read before any of them changes: an output may be an input as it is.
  for (size_t i = 0; i < states_.size(); ++i) {
    const Tensor next = output(AprilNetwork::encoder, kFirstNextState + i);
    if (next.count() == 0) continue;
    std::memcpy(states_[i].after.data(), next.data, next.byte_count());
  }
  for (State& state : states_) std::swap(state.before, state.after);
  return true;
}

Status TransducerNetworks::set_context(std::span<const int64_t> tokens) {
  SUSURRUS_CHECK(tokens.size_bytes() == context_.byte_count());
  std::memcpy(context_.data(), tokens.data(), tokens.size_bytes());
  Status status = run(AprilNetwork::decoder).run();
  if (!status) return in_network(AprilNetwork::decoder, status.error());
  return ok_status();
}

Result<std::span<const float>> TransducerNetworks::logits() {
  using enum AprilNetwork;
  set_input(joiner, kJoinerEncoderOut, output(encoder, kEncoderOut).data);
  set_input(joiner, kJoinerDecoderOut, output(decoder, kDecoderOut).data);
  Status status = run(joiner).run();
  if (!status) return in_network(joiner, status.error());
  return std::span<const float>(output(joiner, kLogits).as<float>());
}

uint64_t TransducerNetworks::byte_count() const {
  uint64_t sum = segment_.byte_count() + context_.byte_count();
  for (const State& state : states_) sum += state.before.byte_count() + state.after.byte_count();
  for (const GraphRun& run : runs_) sum += run.byte_count();
  return sum;
}

}  // namespace susurrus
