// A TennisSink that keeps everything, and helpers that push a module in pieces.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "container/tennis/tennis_reader.h"
#include "container/tennis_builder.h"

namespace susurrus::testing {

class TennisRecording : public TennisSink {
 public:
  struct Field {
    TennisDtype dtype;
    Shape shape;
    uint64_t file_offset;
    Bytes data;
    bool operator==(const Field&) const = default;
  };
  struct Parameter {
    std::string name;
    std::vector<Field> fields;
    bool operator==(const Parameter&) const = default;
  };
  struct Node {
    std::vector<Parameter> parameters;
    std::vector<uint32_t> arguments;
    bool operator==(const Node&) const = default;
  };

  Status on_header(const TennisHeader& seen) override {
    header = seen;
    return ok_status();
  }
  Status on_module(std::span<const uint32_t> in, std::span<const uint32_t> out,
                   uint32_t count) override {
    inputs.assign(in.begin(), in.end());
    outputs.assign(out.begin(), out.end());
    node_count = count;
    return ok_status();
  }
  Status on_node(uint32_t) override {
    nodes.emplace_back();
    return ok_status();
  }
  Status on_parameter(std::string_view name, uint32_t) override {
    nodes.back().parameters.push_back({std::string(name), {}});
    return ok_status();
  }
  Status on_tensor(const TennisTensor& tensor) override {
    fields().push_back({tensor.dtype, tensor.shape, tensor.file_offset, {}});
    return ok_status();
  }
  Status on_tensor_bytes(ByteSpan bytes) override {
    Bytes& data = fields().back().data;
    data.insert(data.end(), bytes.begin(), bytes.end());
    return ok_status();
  }
  Status on_node_end(std::span<const uint32_t> arguments) override {
    nodes.back().arguments.assign(arguments.begin(), arguments.end());
    return ok_status();
  }
  void on_warning(std::string_view text) override { warnings.emplace_back(text); }

  bool operator==(const TennisRecording& other) const {
    return header == other.header && inputs == other.inputs && outputs == other.outputs &&
           node_count == other.node_count && nodes == other.nodes && warnings == other.warnings;
  }

  TennisHeader header;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  uint32_t node_count = 0;
  std::vector<Node> nodes;
  std::vector<std::string> warnings;

 private:
  std::vector<Field>& fields() { return nodes.back().parameters.back().fields; }
};

/// Pushes `file` in chunks that `next_size` gives, each from memory of its own, so that ASan sees a read past one.
inline Status read_module(TennisSink& sink, const Bytes& file, bool tell_length,
                          const std::function<size_t()>& next_size) {
  TennisReader reader(sink);
  if (tell_length) reader.set_file_byte_count(file.size());
  for (size_t position = 0; position < file.size();) {
    const size_t count = std::min(std::max<size_t>(next_size(), 1), file.size() - position);
    const Bytes chunk(file.begin() + position, file.begin() + position + count);
    SUSURRUS_RETURN_IF_ERROR(reader.push(chunk));
    position += count;
  }
  return reader.finish();
}

inline Status read_module(TennisSink& sink, const Bytes& file, bool tell_length = true,
                          size_t chunk_size = ~size_t{0}) {
  return read_module(sink, file, tell_length, [=] { return chunk_size; });
}

}  // namespace susurrus::testing
