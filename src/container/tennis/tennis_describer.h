#pragma once
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "container/file_describer.h"
#include "container/tennis/tennis_reader.h"

namespace susurrus {

/// Whether a file begins like a TenniS module whose bytes are in the other order; TennisReader says so.
bool is_swapped_tennis(ByteSpan first_bytes);

/// Reads a TenniS module and describes it: header, inputs, outputs, and every node with its operator, its arguments and its
/// parameters. Values are given of texts and short lists of numbers, dtype, shape and place of everything.
///
/// show_all() gives long texts and lists too, but not those of constants, which are the module's tensors.
///
/// The list of nodes stays within 2 MiB more than the file, or 64 MiB with show_all(): nodes beyond that are counted, with a
/// warning, and not listed.
class TennisDescriber : public FileDescriber, private TennisSink {
 public:
  TennisDescriber() : reader_(*this) {}

  void set_file_byte_count(uint64_t byte_count) override {
    reader_.set_file_byte_count(byte_count);
  }
  void show_all() override { shows_all_ = true; }
  Status push(ByteSpan chunk) override { return reader_.push(chunk); }
  uint64_t skippable() const override { return keeps_value_ ? 0 : reader_.skippable(); }
  void skip(uint64_t byte_count) override { reader_.skip(byte_count); }
  Status finish() override;
  std::string facts() const override;

 private:
  /// What a <param> says about the tensors that it is fed with.
  struct Fed {
    uint32_t node = 0;
    std::string shape;
    std::string_view dtype;
  };
  enum class Wanted : uint8_t { nothing, op, name, fed_shape, fed_dtype };

  Status on_header(const TennisHeader& header) override;
  Status on_module(std::span<const uint32_t>, std::span<const uint32_t>, uint32_t) override {
    return ok_status();
  }
  Status on_node(uint32_t) override;
  Status on_parameter(std::string_view name, uint32_t) override;
  Status on_tensor(const TennisTensor& tensor) override;
  Status on_tensor_bytes(ByteSpan bytes) override;
  Status on_node_end(std::span<const uint32_t> arguments) override;
  void on_warning(std::string_view text) override { warnings_.emplace_back(text); }

  bool is_wanted_value() const;
  uint64_t room() const;
  void end_field();
  void close_parameter();
  void take_wanted();
  bool has_room();
  void write_fed(JsonWriter& json, const char* list, std::span<const uint32_t> nodes) const;

  TennisReader reader_;
  TennisHeader header_;
  std::vector<std::string> warnings_;
  std::vector<Fed> fed_;

  // JSON as it comes: the nodes so far, and the parameters of the current one.
  JsonWriter nodes_;
  uint32_t node_count_ = 0;
  uint32_t listed_count_ = 0;
  bool is_full_ = false;
  JsonWriter parameters_;
  bool in_parameter_ = false;

  Wanted wanted_ = Wanted::nothing;
  bool shows_all_ = false;
  bool may_be_constant_ = false;  // the parameter may be a constant's value
  TennisTensor tensor_;
  bool keeps_value_ = true;  // of the tensor
  std::string value_;
  std::string op_;
  std::string name_;
  Fed current_fed_;
};

}  // namespace susurrus
