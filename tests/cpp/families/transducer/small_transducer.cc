#include "families/transducer/small_transducer.h"

#include "base/bytes.h"
#include "container/april/april_reader.h"

namespace susurrus::testing {

Bytes onnx_node(std::string_view op, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs,
                const std::vector<std::pair<std::string, std::vector<int64_t>>>& attributes) {
  Bytes node;
  for (const std::string& input : inputs) append_text_field(node, 1, input);
  for (const std::string& output : outputs) append_text_field(node, 2, output);
  append_text_field(node, 3, "of " + outputs.front());
  append_text_field(node, 4, op);
  for (const auto& [name, values] : attributes) {
    Bytes attribute;
    append_text_field(attribute, 1, name);
    // Numbers are field 3, type 2; lists field 8, type 7.
    const bool is_list = name == "axes" || name == "perm";
    for (const int64_t value : values) {
      append_number_field(attribute, is_list ? 8 : 3, static_cast<uint64_t>(value));
    }
    append_number_field(attribute, 20, is_list ? 7 : 2);
    append_bytes_field(node, 5, attribute);
  }
  return node;
}

Bytes onnx_weights(std::string_view name, const std::vector<int64_t>& dims,
                   const std::vector<float>& values) {
  Bytes tensor;
  for (const int64_t dim : dims) append_number_field(tensor, 1, static_cast<uint64_t>(dim));
  append_number_field(tensor, 2, 1);  // f32
  append_text_field(tensor, 8, name);
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  append_bytes_field(tensor, 9, Bytes(bytes, bytes + values.size() * sizeof(float)));
  return tensor;
}

SmallTransducer::SmallTransducer(int32_t band_count)
    : bands(band_count),
      embedding(4 * static_cast<size_t>(band_count)),
      weights(4 * static_cast<size_t>(band_count)) {}

Result<std::unique_ptr<TransducerModel>> SmallTransducer::make() const {
  AprilBuilder file;
  file.params[1] = segment_size;
  file.params[2] = segment_step;
  file.params[3] = bands;
  file.tokens = {"<blk>", " a", "b", "."};
  for (OnnxBuilder& network : file.networks) {
    network.operators.clear();
    network.initializers.clear();
  }
  const std::vector<int64_t> row = {1, 1, bands};
  OnnxBuilder& encoder = file.networks[0];
  encoder.inputs = {{"x", {1, segment_size, bands}}, {"h", row}, {"c", row}};
  encoder.outputs = {{"encoder_out", row}, {"next_h", row}, {"next_c", row}};
  encoder.tensors = {onnx_weights("one", {1}, {1})};
  encoder.nodes = {onnx_node("ReduceMean", {"x"}, {"mean"}, {{"axes", {1}}, {"keepdims", {1}}}),
                   onnx_node("Add", {"mean", "h"}, {"encoder_out"}),
                   onnx_node("Identity", {"c"}, {"next_h"}),
                   onnx_node("Add", {"h", "one"}, {"next_c"})};
  OnnxBuilder& decoder = file.networks[1];
  decoder.inputs = {{"context", {1, 2}, 7}};
  decoder.outputs = {{"decoder_out", row}};
  decoder.tensors = {onnx_weights("embedding", {4, bands}, embedding)};
  decoder.nodes = {
      onnx_node("Gather", {"embedding", "context"}, {"rows"}),
      onnx_node("ReduceMean", {"rows"}, {"decoder_out"}, {{"axes", {1}}, {"keepdims", {1}}})};
  OnnxBuilder& joiner = file.networks[2];
  joiner.inputs = {{"encoder_out", row}, {"decoder_out", row}};
  joiner.outputs = {{"logits", {1, 1, 4}}};
  joiner.tensors = {onnx_weights("weights", {bands, 4}, weights)};
  joiner.nodes = {onnx_node("Add", {"encoder_out", "decoder_out"}, {"sum"}),
                  onnx_node("MatMul", {"sum", "weights"}, {"logits"})};
  if (edit) edit(file);
  return read_transducer(file.build());
}

Result<std::unique_ptr<TransducerModel>> read_transducer(const Bytes& file) {
  AprilReader reader;
  SUSURRUS_RETURN_IF_ERROR(reader.push(file));
  SUSURRUS_RETURN_IF_ERROR(reader.finish());
  std::array<ByteSpan, kAprilNetworks> networks;
  for (size_t i = 0; i < kAprilNetworks; ++i) {
    const ByteRange range = reader.model().network_ranges[i];
    networks[i] = ByteSpan(file).subspan(static_cast<size_t>(range.offset),
                                         static_cast<size_t>(range.byte_count));
  }
  return TransducerModel::make(reader.model(), networks);
}

}  // namespace susurrus::testing
