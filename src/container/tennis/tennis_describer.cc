#include "container/tennis/tennis_describer.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/utf8.h"
#include "container/tennis/tennis_names.h"
#include "container/tennis/tennis_values.h"

namespace susurrus {
namespace {

constexpr uint64_t kShownNumbers = 32;
constexpr uint64_t kShownTextBytes = 1024;
constexpr uint64_t kListingBytes = 2ull << 20;
constexpr uint64_t kAllListingBytes = limits::kMetadataBytes;
/// The most characters of JSON that one byte of a text or number becomes.
constexpr uint64_t kMostJsonOfByte = 8;

/// JSON escapes what is not printable; what is not UTF-8 it cannot hold.
std::string json_text(std::string_view bytes) {
  return find_invalid_utf8(bytes) ? shown_text(bytes) : std::string(bytes);
}

std::string hex(ByteSpan bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  return text;
}

/// A number, or a list of them in the order of the file.
void write_numbers(JsonWriter& json, const TennisTensor& tensor, ByteSpan bytes) {
  const uint32_t size = tennis_dtype_byte_count(tensor.dtype);
  if (tensor.shape.rank() == 0) return write_tennis_number(json, tensor.dtype, bytes.data());
  json.begin_array();
  for (size_t at = 0; at < bytes.size(); at += size) {
    write_tennis_number(json, tensor.dtype, bytes.data() + at);
  }
  json.end_array();
}

}  // namespace

bool is_swapped_tennis(ByteSpan first_bytes) {
  return first_bytes.size() >= 8 &&
         load_le<uint32_t>(first_bytes.data() + 4) == __builtin_bswap32(kTennisCode);
}

Status TennisDescriber::on_header(const TennisHeader& header) {
  header_ = header;
  nodes_.begin_array();
  return ok_status();
}

Status TennisDescriber::finish() {
  SUSURRUS_RETURN_IF_ERROR(reader_.finish());
  nodes_.end_array();
  parameters_ = JsonWriter();
  return ok_status();
}

Status TennisDescriber::on_node(uint32_t) {
  ++node_count_;
  parameters_ = JsonWriter();
  parameters_.begin_array();
  in_parameter_ = false;
  op_.clear();
  name_.clear();
  current_fed_ = Fed();
  return ok_status();
}

Status TennisDescriber::on_parameter(std::string_view name, uint32_t) {
  close_parameter();
  wanted_ = name == "#op"      ? Wanted::op
            : name == "#name"  ? Wanted::name
            : name == "#shape" ? Wanted::fed_shape
            : name == "#dtype" ? Wanted::fed_dtype
                               : Wanted::nothing;
  may_be_constant_ = name == "value" && (op_.empty() || op_ == "<const>");
  // The node has these two as fields of its own.
  if (wanted_ == Wanted::op || wanted_ == Wanted::name || !has_room()) return ok_status();
  in_parameter_ = true;
  parameters_.begin_object().field("name", std::string_view(json_text(name)));
  parameters_.key("fields").begin_array();
  return ok_status();
}

void TennisDescriber::close_parameter() {
  if (in_parameter_) parameters_.end_array().end_object();
  in_parameter_ = false;
}

/// How many more characters of JSON may be kept.
uint64_t TennisDescriber::room() const {
  const uint64_t held =
      uint64_t{nodes_.text().size()} + parameters_.text().size() + op_.size() + name_.size();
  const uint64_t limit = (shows_all_ ? kAllListingBytes : kListingBytes) + reader_.received();
  return limit - std::min(held, limit);
}

/// Once there is none, nothing more is listed.
bool TennisDescriber::has_room() {
  is_full_ = is_full_ || room() == 0;
  return !is_full_;
}

bool TennisDescriber::is_wanted_value() const {
  if (wanted_ == Wanted::op || wanted_ == Wanted::name) return true;
  const bool is_text = tensor_.dtype == TennisDtype::char8;
  if (!is_text && !is_tennis_numeric(tensor_.dtype)) return false;
  const uint64_t shown =
      is_text ? kShownTextBytes : kShownNumbers * tennis_dtype_byte_count(tensor_.dtype);
  if (tensor_.byte_count <= shown) return true;
  return shows_all_ && !may_be_constant_ && tensor_.byte_count <= room() / kMostJsonOfByte;
}

Status TennisDescriber::on_tensor(const TennisTensor& tensor) {
  tensor_ = tensor;
  value_.clear();
  keeps_value_ = is_wanted_value();
  if (tensor_.byte_count == 0 || !keeps_value_) end_field();
  return ok_status();
}

Status TennisDescriber::on_tensor_bytes(ByteSpan bytes) {
  if (!keeps_value_) return ok_status();
  value_ += as_text(bytes);
  if (value_.size() == tensor_.byte_count) end_field();
  return ok_status();
}

/// The current field, whose value is whole if it is kept.
void TennisDescriber::end_field() {
  take_wanted();
  if (!in_parameter_ || !has_room()) return;
  parameters_.begin_object()
      .field("dtype", tennis_dtype_name(tensor_.dtype))
      .field("shape", tensor_.shape.dims())
      .field("offset", tensor_.file_offset)
      .field("size", tensor_.byte_count);
  if (keeps_value_) {
    parameters_.key("value");
    if (tensor_.dtype == TennisDtype::char8) {
      parameters_.value(std::string_view(json_text(value_)));
    } else {
      write_numbers(parameters_, tensor_, as_bytes(value_));
    }
  }
  parameters_.end_object();
}

void TennisDescriber::take_wanted() {
  switch (wanted_) {
    case Wanted::op: op_ = std::exchange(value_, std::string()); break;
    case Wanted::name: name_ = std::exchange(value_, std::string()); break;
    case Wanted::fed_shape:
      if (is_tennis_numeric(tensor_.dtype) && tensor_.shape.rank() == 1 && keeps_value_) {
        JsonWriter shape;
        write_numbers(shape, tensor_, as_bytes(value_));
        current_fed_.shape = std::move(shape).text();
      }
      break;
    case Wanted::fed_dtype: {
      const double number = tennis_number(tensor_.dtype, as_bytes(value_)).value_or(-1);
      const bool is_small = number >= 0 && number < 128;
      const auto dtype = tennis_dtype_from_number(is_small ? static_cast<int8_t>(number) : -1);
      if (dtype) current_fed_.dtype = tennis_dtype_name(*dtype);
      break;
    }
    case Wanted::nothing: break;
  }
}

Status TennisDescriber::on_node_end(std::span<const uint32_t> arguments) {
  close_parameter();
  if (op_ == "<param>" && (!current_fed_.shape.empty() || !current_fed_.dtype.empty())) {
    current_fed_.node = node_count_ - 1;
    fed_.push_back(std::move(current_fed_));
  }
  if (!has_room()) return ok_status();
  ++listed_count_;
  nodes_.begin_object()
      .field("op", std::string_view(json_text(op_)))
      .field("name", std::string_view(json_text(name_)))
      .field("inputs", arguments);
  nodes_.key("parameters").json(parameters_.end_array().text());
  nodes_.end_object();
  return ok_status();
}

std::string TennisDescriber::facts() const {
  JsonWriter json;
  json.begin_object()
      .field("format", "TenniS")
      .field("version", "1")
      .field("flags", "")
      .field("byteCount", reader_.received());
  json.key("metadata")
      .begin_object()
      .key("reserved_word")
      .json(std::to_string(header_.reserved_word))
      .field("user_bytes", std::string_view(hex(header_.user_bytes)))
      .end_object();
  json.key("graph").begin_object();
  write_fed(json, "inputs", reader_.graph().inputs());
  write_fed(json, "outputs", reader_.graph().outputs());
  json.key("nodes").json(nodes_.text());
  json.end_object().key("warnings").begin_array();
  for (const std::string& warning : warnings_) json.value(std::string_view(warning));
  if (listed_count_ < node_count_) {
    json.value(std::string_view("only the first " + std::to_string(listed_count_) + " of " +
                                std::to_string(node_count_) + " nodes are listed"));
  }
  return std::move(json.end_array().end_object()).text();
}

/// The module's inputs or outputs, with what <param> nodes say about theirs.
void TennisDescriber::write_fed(JsonWriter& json, const char* list,
                                std::span<const uint32_t> nodes) const {
  json.key(list).begin_array();
  for (const uint32_t node : nodes) {
    json.begin_object()
        .field("node", node)
        .field("name", std::string_view(json_text(reader_.graph().name(node))));
    // In the order of their nodes.
    const auto fed = std::lower_bound(fed_.begin(), fed_.end(), node,
                                      [](const Fed& one, uint32_t key) { return one.node < key; });
    if (fed != fed_.end() && fed->node == node) {
      if (!fed->dtype.empty()) json.field("dtype", fed->dtype);
      if (!fed->shape.empty()) json.key("shape").json(fed->shape);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace susurrus
