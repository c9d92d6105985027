#include "graph/bw2l/bw2l_network.h"

#include "container/bw2l/bw2l_architecture.h"
#include "graph/bw2l/bw2l_layers.h"
#include "graph/bw2l/residual_layers.h"

namespace susurrus {
namespace {

struct Row {
  std::string_view code;
  Bw2lCompile compile;
};

/// All but RES, whose lines follow it.
constexpr Row kLayers[] = {
    {"V", compile_view},           {"RO", compile_reorder},
    {"PD", compile_padding},       {"C", compile_convolution},
    {"C1", compile_convolution},   {"C2", compile_convolution_2d},
    {"AC", compile_convolution},   {"M", compile_pooling},
    {"A", compile_pooling},        {"TDS", compile_time_depth_separable},
    {"L", compile_linear},         {"E", compile_embedding},
    {"BN", compile_batch_norm},    {"LN", compile_layer_norm},
    {"WN", compile_weight_norm},   {"DO", compile_nothing},
    {"SAUG", compile_nothing},     {"ELU", compile_activation},
    {"R", compile_activation},     {"R6", compile_activation},
    {"LG", compile_activation},    {"HT", compile_activation},
    {"T", compile_activation},     {"PR", compile_prelu},
    {"GLU", compile_gated_linear}, {"LSM", compile_log_softmax},
    {"SH", compile_swish},         {"TR", compile_transformer},
    {"CTR", compile_conformer},    {"POSEMB", compile_positions},
    {"RNN", refuse_recurrent},     {"GRU", refuse_recurrent},
    {"LSTM", refuse_recurrent},
};

/// Checks a layer's grammar and puts it after `x`.
Result<Bw2lActivation> add_layer(Bw2lBuild& build, const Bw2lLayer& layer, Bw2lPlace place,
                                 Bw2lActivation x) {
  const auto counts = check_bw2l_layer(layer.arch);
  if (!counts) {
    Error error = counts.error();
    error.offset = place.offset;
    error.subject.assign("layers[" + std::to_string(place.layer) + "]");
    if (error.reason == ErrorReason::unsupported) error.code = ErrorCode::unsupported_operator;
    return error;
  }
  SUSURRUS_ASSIGN_OR_RETURN(const auto lines, bw2l_arch_lines(layer.arch));
  std::vector<Bw2lWeights> weights;
  for (const Bw2lArray& array : layer.arrays) weights.push_back({&layer, &array, {}});
  if (!counts->allows(weights.size())) {
    const Bw2lLine line(build, place.layer, lines[0], place.offset, weights);
    return line.wrong_size("arrays, at least", counts->least, weights.size());
  }
  return compile_bw2l_lines(build, place, lines, weights, x);
}

}  // namespace

Bw2lCompile find_bw2l_layer(std::string_view code) {
  for (const Row& row : kLayers) {
    if (row.code == code) return row.compile;
  }
  return nullptr;
}

Result<Bw2lActivation> refuse_recurrent(Bw2lLine& line, Bw2lActivation) {
  return line.unsupported("a layer other than RNN, GRU and LSTM");
}

Result<Bw2lNetwork> compile_bw2l_network(const Bw2lModel& model, ByteSpan file,
                                         const Bw2lInput& input) {
  const Bw2lSection* section = model.find("layers");
  if (section == nullptr || section->kind() != Bw2lKind::layers) {
    return make_error(ErrorCode::malformed, ErrorReason::model)
        .at(section == nullptr ? model.section_count_offset : section->file_offset)
        .with_subject("layers")
        .with_expected("a section of layers");
  }
  Bw2lBuild build;
  build.file = file;
  build.feature_count = input.feature_count;
  build.label_count = input.label_count;
  build.kernels = input.kernels;
  Bw2lActivation x;
  x.dims = {kAnyDim, input.feature_count, input.channel_count, 1};
  x.id = build.builder.add_input("features", ElementType::f32,
                                 Shape{1, input.channel_count, input.feature_count, kAnyDim});
  for (size_t i = 0; i < section->layers.size(); ++i) {
    const Bw2lLayer& layer = section->layers[i];
    const uint64_t offset =
        layer.arrays.empty() ? section->data_offset : layer.arrays.front().count_offset;
    SUSURRUS_ASSIGN_OR_RETURN(x, add_layer(build, layer, {i, offset}, x));
  }
  const bool is_emission =
      x.dims[0] != kAnyDim && x.dims[1] == kAnyDim && x.dims[2] == 1 && x.dims[3] == 1;
  if (!is_emission) {
    return make_error(ErrorCode::malformed, ErrorReason::size_mismatch)
        .at(section->data_offset)
        .with_subject("layers")
        .with_expected("an output of labels × frames × 1 × 1");
  }
  Bw2lNetwork network;
  network.output_count = x.dims[0];
  network.timing = x.timing;
  network.warnings = std::move(build.warnings);
  SUSURRUS_ASSIGN_OR_RETURN(network.graph, build.builder.finish({x.id}));
  return network;
}

}  // namespace susurrus
