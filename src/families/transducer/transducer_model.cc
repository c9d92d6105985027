#include "families/transducer/transducer_model.h"

#include "graph/onnx/onnx_graph.h"

namespace susurrus {
namespace {

Status check_april_type(const AprilModel& model) {
  if (model.model_type != kAprilLstmTransducer) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
        .with_subject("model_type")
        .with_expected(kAprilLstmTransducer)
        .with_got(model.model_type);
  }
  return ok_status();
}

}  // namespace

Error in_network(AprilNetwork network, const Error& error) {
  const std::string_view name = kAprilNetworkNames[static_cast<size_t>(network)];
  const std::string_view subject = error.subject.view();
  if (subject == name || subject.starts_with(std::string(name) + ".")) return error;
  Error placed = error;
  placed.subject = name;
  if (!error.subject.empty()) {
    placed.subject.append(": ");
    placed.subject.append(error.subject.view());
  }
  return placed;
}

TransducerModel::TransducerModel(AprilModel model)
    : model_(std::move(model)),
      vocabulary_(std::move(model_.tokens), static_cast<uint32_t>(model_.params.blank_token_id)) {}

Result<std::unique_ptr<TransducerModel>> TransducerModel::make(
    AprilModel model, const std::array<ByteSpan, kAprilNetworks>& networks,
    const WeightOptions& weights) {
  SUSURRUS_RETURN_IF_ERROR(check_april_type(model));
  std::array<Graph, kAprilNetworks> graphs;
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    auto graph = graph_from_onnx(kAprilNetworkNames[i].data(), networks[i],
                                 model.network_ranges[i].offset, {}, weights);
    if (!graph) return in_network(static_cast<AprilNetwork>(i), graph.error());
    graphs[i] = std::move(*graph);
  }
  return make(std::move(model), std::move(graphs));
}

Result<std::unique_ptr<TransducerModel>> TransducerModel::make(
    AprilModel model, std::array<Graph, kAprilNetworks> graphs) {
  SUSURRUS_RETURN_IF_ERROR(check_april_type(model));
  std::unique_ptr<TransducerModel> made(new TransducerModel(std::move(model)));
  const AprilModel& april = made->model_;
  made->graphs_ = std::move(graphs);
  std::vector<std::string> warnings;  // The reader has already reported these.
  SUSURRUS_RETURN_IF_ERROR(check_april_networks(april, warnings));
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    const Graph& graph = made->graphs_[i];
    if (graph.inputs.size() != april.networks[i].inputs.size() ||
        graph.outputs.size() != april.networks[i].outputs.size()) {
      return make_error(ErrorCode::malformed, ErrorReason::model)
          .at(april.network_ranges[i].offset)
          .with_subject(kAprilNetworkNames[i])
          .with_expected("inputs that are no initialisers");
    }
    made->bindings_[i] = bind_april_network(i, april.networks[i]);
  }
  return made;
}

size_t TransducerModel::context_size() const {
  return static_cast<size_t>(declared(AprilNetwork::decoder).inputs.front().dims[1]);
}

std::vector<Shape> TransducerModel::input_shapes(AprilNetwork network) const {
  std::vector<Shape> shapes;
  for (const OnnxValue& input : declared(network).inputs) {
    Shape& shape = shapes.emplace_back();
    for (const int64_t dim : input.dims) shape.append(static_cast<uint64_t>(dim));
  }
  return shapes;
}

uint64_t TransducerModel::weight_byte_count() const {
  uint64_t sum = 0;
  for (const Graph& graph : graphs_) sum += constant_byte_count(graph);
  return sum;
}

}  // namespace susurrus
