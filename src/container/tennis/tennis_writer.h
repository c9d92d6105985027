#pragma once
#include <string>
#include <vector>

#include "container/tennis/tennis_reader.h"
#include "container/tennis/tennis_sink.h"
#include "stream/byte_sink.h"

namespace susurrus {

/// Writes a TenniS module from the calls of a TennisSink, forwards only. Connected to a TennisReader, it writes the same bytes
/// again, without those after the graph.
///
/// Nothing is written that TennisReader would reject: every byte passes through one first. Errors: wrong_state for parts out
/// of order or missing, invalid_argument for what breaks the format's rules (with the reader's reason, offset and subject),
/// limit_exceeded, and those of the sink.
class TennisWriter : public TennisSink {
 public:
  /// `sink` outlives the writer.
  explicit TennisWriter(ByteSink& sink);

  Status on_header(const TennisHeader& header) override;
  Status on_module(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
                   uint32_t node_count) override;
  Status on_node(uint32_t parameter_count) override;
  Status on_parameter(std::string_view name, uint32_t field_count) override;
  /// Dtype and shape count; byte_count and file_offset follow from what is written.
  Status on_tensor(const TennisTensor& tensor) override;
  Status on_tensor_bytes(ByteSpan bytes) override;
  Status on_node_end(std::span<const uint32_t> arguments) override;
  /// Keeps the reader's warnings for the caller.
  void on_warning(std::string_view text) override { warnings_.emplace_back(text); }

  /// After the last node.
  Status finish();

  uint64_t byte_count() const { return check_.received(); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// The sink of the checking reader: the writer knows the parts already.
  class Nowhere : public TennisSink {
   public:
    Status on_header(const TennisHeader&) override { return ok_status(); }
    Status on_module(std::span<const uint32_t>, std::span<const uint32_t>, uint32_t) override {
      return ok_status();
    }
    Status on_node(uint32_t) override { return ok_status(); }
    Status on_parameter(std::string_view, uint32_t) override { return ok_status(); }
    Status on_tensor(const TennisTensor&) override { return ok_status(); }
    Status on_tensor_bytes(ByteSpan) override { return ok_status(); }
    Status on_node_end(std::span<const uint32_t>) override { return ok_status(); }
    void on_warning(std::string_view) override {}
  };
  enum class Stage : uint8_t { header, module, nodes, parameters, done };

  bool is_between_parameters() const {
    return stage_ == Stage::parameters && fields_left_ == 0 && bytes_left_ == 0;
  }
  Status write(ByteSpan bytes);
  Status write_number(uint32_t number);
  Status write_list(std::span<const uint32_t> list);

  ByteSink& sink_;
  Nowhere nowhere_;
  TennisReader check_;
  std::vector<std::string> warnings_;
  bool failed_ = false;
  Stage stage_ = Stage::header;
  uint32_t nodes_left_ = 0;
  uint32_t parameters_left_ = 0;
  uint32_t fields_left_ = 0;
  uint64_t bytes_left_ = 0;
};

}  // namespace susurrus
