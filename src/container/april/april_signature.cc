#include "container/april/april_signature.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace susurrus {
namespace {

constexpr uint64_t kInt64 = 7;

using Names = std::span<const std::string_view>;
struct Signature {
  Names inputs;
  Names outputs;
};

constexpr std::string_view kEncoderInputs[] = {"x", "h", "c"};
constexpr std::string_view kEncoderOutputs[] = {"encoder_out", "next_h", "next_c"};
constexpr std::string_view kDecoderInputs[] = {"context"};
constexpr std::string_view kDecoderOutputs[] = {"decoder_out"};
constexpr std::string_view kJoinerInputs[] = {"encoder_out", "decoder_out"};
constexpr std::string_view kJoinerOutputs[] = {"logits"};
constexpr Signature kSignatures[kAprilNetworks] = {
    {kEncoderInputs, kEncoderOutputs},
    {kDecoderInputs, kDecoderOutputs},
    {kJoinerInputs, kJoinerOutputs},
};

/// Inputs or outputs of one network, in the order of the signature.
using Values = std::vector<const OnnxValue*>;

std::string to_text(const std::vector<int64_t>& dims) {
  std::string text;
  for (const int64_t dim : dims) {
    if (!text.empty()) text += 'x';
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text;
}

Error bad_shape(std::string_view network, const OnnxValue& value) {
  return make_error(ErrorCode::malformed, ErrorReason::bad_shape)
      .at(value.file_offset)
      .with_subject(std::string(network) + "." + value.name)
      .with_got(to_text(value.dims));
}

Status expect_dims(std::string_view network, const OnnxValue& value,
                   const std::vector<int64_t>& dims) {
  if (value.dims == dims) return ok_status();
  return bad_shape(network, value).with_expected(to_text(dims));
}

std::vector<size_t> places_of(Names names, const std::vector<OnnxValue>& values, bool& is_by_name) {
  std::vector<size_t> places;
  for (const std::string_view name : names) {
    const auto at = std::find_if(values.begin(), values.end(),
                                 [&](const OnnxValue& value) { return value.name == name; });
    if (at != values.end()) places.push_back(static_cast<size_t>(at - values.begin()));
  }
  if (places.size() == names.size()) return places;
  is_by_name = false;
  places.resize(names.size());
  std::iota(places.begin(), places.end(), size_t{0});
  return places;
}

Values at_places(const std::vector<OnnxValue>& values, const std::vector<size_t>& places) {
  Values found;
  for (const size_t place : places) found.push_back(&values[place]);
  return found;
}

}  // namespace

AprilBinding bind_april_network(size_t index, const OnnxNetwork& network) {
  const Signature& signature = kSignatures[index];
  AprilBinding binding;
  binding.inputs = places_of(signature.inputs, network.inputs, binding.is_by_name);
  binding.outputs = places_of(signature.outputs, network.outputs, binding.is_by_name);
  return binding;
}

Status check_april_networks(const AprilModel& model, std::vector<std::string>& warnings) {
  Values inputs[kAprilNetworks];
  Values outputs[kAprilNetworks];
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    const OnnxNetwork& network = model.networks[i];
    const Signature& signature = kSignatures[i];
    if (network.inputs.size() != signature.inputs.size() ||
        network.outputs.size() != signature.outputs.size()) {
      const auto counts = [](size_t in, size_t out) {
        return std::to_string(in) + " inputs, " + std::to_string(out) + " outputs";
      };
      return make_error(ErrorCode::malformed, ErrorReason::model)
          .at(model.network_ranges[i].offset)
          .with_subject(kAprilNetworkNames[i])
          .with_expected(counts(signature.inputs.size(), signature.outputs.size()))
          .with_got(counts(network.inputs.size(), network.outputs.size()));
    }
    const AprilBinding binding = bind_april_network(i, network);
    inputs[i] = at_places(network.inputs, binding.inputs);
    outputs[i] = at_places(network.outputs, binding.outputs);
    if (!binding.is_by_name) {
      warnings.push_back("the " + std::string(kAprilNetworkNames[i]) +
                         "'s inputs or outputs have other names and are taken by their order");
    }
    for (const Values* values : {&inputs[i], &outputs[i]}) {
      for (const OnnxValue* value : *values) {
        if (!value->is_static()) {
          return bad_shape(kAprilNetworkNames[i], *value)
              .with_expected("a size for each dimension");
        }
      }
    }
  }
  const AprilParams& params = model.params;
  SUSURRUS_RETURN_IF_ERROR(expect_dims(
      "encoder", *inputs[0][0], {params.batch_size, params.segment_size, params.mel_features}));
  SUSURRUS_RETURN_IF_ERROR(expect_dims("encoder", *outputs[0][1], inputs[0][1]->dims));
  SUSURRUS_RETURN_IF_ERROR(expect_dims("encoder", *outputs[0][2], inputs[0][2]->dims));
  const OnnxValue& context = *inputs[1][0];
  if (context.element_type != kInt64 || context.dims.size() != 2 || context.dims[0] != 1 ||
      context.dims[1] < 2) {
    return bad_shape("decoder", context)
        .with_expected("i64 1xK, K at least 2")
        .with_got(onnx_type_name(context.element_type) + (" " + to_text(context.dims)));
  }
  SUSURRUS_RETURN_IF_ERROR(expect_dims("joiner", *inputs[2][0], outputs[0][0]->dims));
  SUSURRUS_RETURN_IF_ERROR(expect_dims("joiner", *inputs[2][1], outputs[1][0]->dims));
  const OnnxValue& logits = *outputs[2][0];
  if (logits.dims.size() != 3 || logits.dims[2] != params.token_count) {
    return bad_shape("joiner", logits)
        .with_expected("three dimensions, the last " + std::to_string(params.token_count));
  }
  return ok_status();
}

}  // namespace susurrus
