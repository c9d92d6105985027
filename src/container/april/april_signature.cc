#include "container/april/april_signature.h"

#include <algorithm>

namespace susurrus {
namespace {

constexpr uint64_t kInt64 = 7;

struct Signature {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
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

Values in_order(const std::vector<OnnxValue>& values, const std::vector<std::string_view>& names,
                bool& by_name) {
  Values found;
  for (const std::string_view name : names) {
    const auto at = std::find_if(values.begin(), values.end(),
                                 [&](const OnnxValue& value) { return value.name == name; });
    if (at != values.end()) found.push_back(&*at);
  }
  if (found.size() == names.size()) return found;
  by_name = false;
  found.clear();
  for (const OnnxValue& value : values) found.push_back(&value);
  return found;
}

}  // namespace

Status check_april_networks(const AprilModel& model, std::vector<std::string>& warnings) {
  const Signature signatures[kAprilNetworks] = {
      {{"x", "h", "c"}, {"encoder_out", "next_h", "next_c"}},
      {{"context"}, {"decoder_out"}},
      {{"encoder_out", "decoder_out"}, {"logits"}},
  };
  Values inputs[kAprilNetworks];
  Values outputs[kAprilNetworks];
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    const OnnxNetwork& network = model.networks[i];
    const Signature& signature = signatures[i];
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
    bool by_name = true;
    inputs[i] = in_order(network.inputs, signature.inputs, by_name);
    outputs[i] = in_order(network.outputs, signature.outputs, by_name);
    if (!by_name) {
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
