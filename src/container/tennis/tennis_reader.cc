#include "container/tennis/tennis_reader.h"

#include <algorithm>
#include <string>

#include "container/read_error.h"
#include "container/tennis/tennis_limits.h"
#include "container/tennis/tennis_names.h"

namespace susurrus {
namespace {

// The least that an element of each list takes.
constexpr uint64_t kIndexBytes = 4;
constexpr uint64_t kNodeBytes = 8;
constexpr uint64_t kParameterBytes = 8;
constexpr uint64_t kFieldBytes = 5;

/// What SeetaFace's container of modules begins with: plain, or one of its two scrambled forms.
constexpr std::string_view kCstaMarks[] = {"\x29\x09\x91\x19", "seta", "fast"};

Error not_tennis(ByteSpan header) {
  const std::string_view first = as_text(header.first(4));
  const uint32_t code = load_le<uint32_t>(header.data() + 4);
  const bool is_csta =
      std::find(std::begin(kCstaMarks), std::end(kCstaMarks), first) != std::end(kCstaMarks);
  std::string digits = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[code >> shift & 15];
  return make_error(ErrorCode::unknown_format, ErrorReason::not_a_model)
      .at(4)
      .with_subject("code")
      .with_expected("0x19910929 (.csta containers and encrypted modules are not read)")
      .with_got(code == __builtin_bswap32(kTennisCode)
                    ? "the code with its bytes swapped: a big-endian file"
                : is_csta ? "what looks like a .csta container of SeetaFace, which holds a module"
                          : std::string_view(digits));
}

}  // namespace

TennisReader::TennisReader(TennisSink& sink) : sink_(sink) {
  parser_.expect(kTennisHeaderBytes, "header", &TennisReader::on_header);
}

Status TennisReader::push(ByteSpan chunk) {
  if (failed_ || finished_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  received_ += chunk.size();
  if (first_byte_count_ < kTennisMinimumBytes) {
    const size_t size = std::min(kTennisMinimumBytes - first_byte_count_, chunk.size());
    std::copy_n(chunk.begin(), size, first_bytes_.begin() + first_byte_count_);
    first_byte_count_ += size;
    chunk = chunk.subspan(size);
    if (first_byte_count_ < kTennisMinimumBytes) return ok_status();
    if (auto status = parser_.push(*this, first_bytes_); !status) return fail(status.error());
  }
  if (auto status = parser_.push(*this, chunk); !status) return fail(status.error());
  return ok_status();
}

uint64_t TennisReader::skippable() const {
  if (!known_byte_count_ || failed_ || received_ > *known_byte_count_ ||
      first_byte_count_ < kTennisMinimumBytes || (!end_ && bubble_.wants_bytes())) {
    return 0;
  }
  return std::min(parser_.streaming(), *known_byte_count_ - received_);
}

void TennisReader::skip(uint64_t byte_count) {
  parser_.leave_out(byte_count);
  received_ += byte_count;
}

Status TennisReader::fail(Error error) {
  failed_ = true;
  if (error.reason == ErrorReason::limit && error.offset == kNoOffset) {
    error.offset = parser_.position();
  }
  return error;
}

Status TennisReader::on_header(ByteSpan bytes) {
  TennisHeader header;
  header.reserved_word = load_le<int32_t>(bytes.data());
  if (load_le<uint32_t>(bytes.data() + 4) != kTennisCode) return not_tennis(bytes);
  std::copy_n(bytes.begin() + 8, kTennisUserBytes, header.user_bytes.begin());
  SUSURRUS_RETURN_IF_ERROR(sink_.on_header(header));
  parser_.expect(4, "inputs", &TennisReader::on_list_count);
  return ok_status();
}

/// The count that a step was given, of elements that take `least_bytes` each.
Result<uint32_t> TennisReader::count(ByteSpan bytes, Part part, size_t depth,
                                     uint64_t least_bytes) {
  const int32_t value = load_le<int32_t>(bytes.data());
  const uint64_t offset = parser_.position() - 4;
  if (value < 0) {
    return make_error(ErrorCode::malformed, ErrorReason::bounds)
        .at(offset)
        .with_subject(subject(part))
        .with_expected("a count that is not negative")
        .with_got(std::to_string(value));
  }
  SUSURRUS_RETURN_IF_ERROR(grow_graph(4, part));
  const auto elements = static_cast<uint64_t>(value);
  SUSURRUS_RETURN_IF_ERROR(
      claim(depth, {part, offset, parser_.position(), elements * least_bytes}));
  return static_cast<uint32_t>(value);
}

Status TennisReader::claim(size_t depth, const Claim& claim) {
  claims_[depth] = claim;
  return known_byte_count_ ? check(claim, *known_byte_count_) : ok_status();
}

Status TennisReader::check(const Claim& claim, uint64_t file_byte_count) const {
  const uint64_t left = file_byte_count - std::min(claim.begin, file_byte_count);
  if (claim.byte_count <= left) return ok_status();
  return truncated(claim.field_offset, subject(claim.part))
      .with_expected("at least " + std::to_string(claim.byte_count) + " more bytes")
      .with_got(left);
}

/// What is held grows with the graph, not with the tensors.
Status TennisReader::grow_graph(uint64_t byte_count, Part part) {
  graph_byte_count_ += byte_count;
  if (graph_byte_count_ <= limits::kTennisGraphBytes) return ok_status();
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .at(parser_.position() - 4)
      .with_subject(subject(part))
      .with_expected("a graph of at most " + std::to_string(limits::kTennisGraphBytes) + " bytes")
      .with_got(graph_byte_count_);
}

std::string TennisReader::subject(Part part) const {
  const auto with_field = [this](const char* what) {
    const std::string name = shown_text(bubble_.parameter_name());
    return bubble_.subject(name + (field_ > 0 ? "[" + std::to_string(field_) + "]" : "") + what);
  };
  switch (part) {
    case Part::inputs: return "inputs";
    case Part::outputs: return "outputs";
    case Part::nodes: return "nodes";
    // Its name is not known yet.
    case Part::parameters: return tennis_subject(node_, "", "parameters");
    case Part::arguments: return bubble_.subject("arguments");
    case Part::name: return bubble_.subject("a parameter's name");
    case Part::fields: return bubble_.subject(shown_text(bubble_.parameter_name()) + " fields");
    case Part::shape: return with_field(" shape");
    case Part::data: return with_field("");
  }
  return "";
}

Status TennisReader::on_list_count(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(
      entries_left_, count(bytes, list_ == 0 ? Part::inputs : Part::outputs, 0, kIndexBytes));
  lists_[list_].offset = parser_.position() - 4;
  return next_list_entry();
}

Status TennisReader::next_list_entry() {
  if (entries_left_ > 0) {
    parser_.expect(4, "list", &TennisReader::on_list_entry);
  } else if (++list_ == 1) {
    parser_.expect(4, "outputs", &TennisReader::on_list_count);
  } else {
    parser_.expect(4, "nodes", &TennisReader::on_node_count);
  }
  return ok_status();
}

Status TennisReader::on_list_entry(ByteSpan bytes) {
  SUSURRUS_RETURN_IF_ERROR(grow_graph(4, list_ == 0 ? Part::inputs : Part::outputs));
  lists_[list_].nodes.push_back(load_le<uint32_t>(bytes.data()));
  --entries_left_;
  return next_list_entry();
}

Status TennisReader::on_node_count(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(const uint32_t node_count, count(bytes, Part::nodes, 0, kNodeBytes));
  SUSURRUS_RETURN_IF_ERROR(
      graph_.set_lists(std::move(lists_[0]), std::move(lists_[1]), node_count));
  SUSURRUS_RETURN_IF_ERROR(sink_.on_module(graph_.inputs(), graph_.outputs(), node_count));
  return next_node();
}

Status TennisReader::next_node() {
  if (node_ == graph_.node_count()) return end_graph();
  bubble_.begin(node_, parser_.position());
  parser_.expect(4, "node", &TennisReader::on_parameter_count);
  return ok_status();
}

Status TennisReader::on_parameter_count(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(parameters_left_, count(bytes, Part::parameters, 1, kParameterBytes));
  SUSURRUS_RETURN_IF_ERROR(sink_.on_node(parameters_left_));
  return next_parameter();
}

Status TennisReader::next_parameter() {
  if (parameters_left_ > 0) {
    --parameters_left_;
    parser_.expect(4, "parameter name", &TennisReader::on_name_size);
    return ok_status();
  }
  SUSURRUS_RETURN_IF_ERROR(bubble_.end());
  if (bubble_.kind() == TennisKind::unknown && nodes_without_op_++ == 0) {
    first_without_op_ = bubble_.subject("");
  }
  // As the reference's own writer has it; its runtime then crops in the middle.
  if (bubble_.op() == "crop_nd" && bubble_.has_parameter("shfit")) {
    sink_.on_warning(bubble_.subject("shfit is ignored, since shift would be meant"));
  }
  parser_.expect(4, "arguments", &TennisReader::on_argument_count);
  return ok_status();
}

Status TennisReader::on_name_size(ByteSpan bytes) {
  name_offset_ = parser_.position() - 4;
  const uint64_t size = load_le<uint32_t>(bytes.data());
  if (size <= INT32_MAX) SUSURRUS_RETURN_IF_ERROR(grow_graph(size, Part::name));
  SUSURRUS_RETURN_IF_ERROR(count(bytes, Part::name, 2, 1));
  parser_.expect(size, "parameter name", &TennisReader::on_name);
  return ok_status();
}

Status TennisReader::on_name(ByteSpan bytes) {
  bubble_.begin_parameter(as_text(bytes), name_offset_);
  if (bytes.size() > limits::kTennisNameBytes && !warned_name_) {
    warned_name_ = true;
    sink_.on_warning(bubble_.subject("a parameter's name has 32 bytes or more"));
  }
  parser_.expect(4, "fields", &TennisReader::on_field_count);
  return ok_status();
}

Status TennisReader::on_field_count(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(fields_left_, count(bytes, Part::fields, 2, kFieldBytes));
  SUSURRUS_RETURN_IF_ERROR(bubble_.set_field_count(fields_left_, parser_.position() - 4));
  SUSURRUS_RETURN_IF_ERROR(sink_.on_parameter(bubble_.parameter_name(), fields_left_));
  field_ = 0;
  return next_field();
}

Status TennisReader::next_field() {
  if (fields_left_ == 0) return next_parameter();
  --fields_left_;
  parser_.expect(5, "tensor", &TennisReader::on_tensor_head);
  return ok_status();
}

Status TennisReader::on_tensor_head(ByteSpan bytes) {
  tensor_offset_ = parser_.position() - 5;
  const auto number = static_cast<int8_t>(bytes[0]);
  const auto dtype = tennis_dtype_from_number(number);
  if (!dtype) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
        .at(tensor_offset_)
        .with_subject(subject(Part::data))
        .with_expected("0 to 32, but not 12")
        .with_got(std::to_string(number));
  }
  tensor_ = TennisTensor();
  tensor_.dtype = *dtype;
  SUSURRUS_ASSIGN_OR_RETURN(dims_, count(bytes.subspan(1), Part::shape, 3, 4));
  if (dims_ > limits::kMaxDims) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_shape)
        .at(tensor_offset_ + 1)
        .with_subject(subject(Part::shape))
        .with_expected("at most 8 dimensions")
        .with_got(dims_);
  }
  SUSURRUS_RETURN_IF_ERROR(grow_graph(1 + 4 * dims_, Part::shape));
  parser_.expect(4 * dims_, "shape", &TennisReader::on_shape);
  return ok_status();
}

Status TennisReader::on_shape(ByteSpan bytes) {
  for (size_t i = 0; i < dims_; ++i) {
    const int32_t size = load_le<int32_t>(bytes.data() + 4 * i);
    if (size < 0) {
      return make_error(ErrorCode::malformed, ErrorReason::bad_shape)
          .at(tensor_offset_ + 5 + 4 * i)
          .with_subject(subject(Part::shape))
          .with_expected("sizes that are not negative")
          .with_got(std::to_string(size));
    }
    tensor_.shape.append(static_cast<uint64_t>(size));
  }
  const auto byte_count = tennis_tensor_byte_count(tensor_.dtype, tensor_.shape);
  if (!byte_count) {
    return make_error(ErrorCode::malformed, ErrorReason::bad_shape)
        .at(tensor_offset_)
        .with_subject(subject(Part::shape))
        .with_expected("less than " + std::to_string(limits::kTennisTensorBytes) + " bytes");
  }
  tensor_.byte_count = *byte_count;
  tensor_.file_offset = parser_.position();
  SUSURRUS_RETURN_IF_ERROR(bubble_.begin_field(tensor_, tensor_offset_));
  if (bubble_.wants_bytes()) SUSURRUS_RETURN_IF_ERROR(grow_graph(tensor_.byte_count, Part::data));
  SUSURRUS_RETURN_IF_ERROR(
      claim(3, {Part::data, tensor_offset_, tensor_.file_offset, tensor_.byte_count}));
  SUSURRUS_RETURN_IF_ERROR(sink_.on_tensor(tensor_));
  parser_.stream(tensor_.byte_count, &TennisReader::on_data, &TennisReader::on_data_end);
  return ok_status();
}

Status TennisReader::on_data(ByteSpan bytes) {
  if (bubble_.wants_bytes()) bubble_.add_bytes(bytes);
  return sink_.on_tensor_bytes(bytes);
}

Status TennisReader::on_data_end() {
  SUSURRUS_RETURN_IF_ERROR(bubble_.end_field(tensor_));
  ++field_;
  return next_field();
}

Status TennisReader::on_argument_count(ByteSpan bytes) {
  SUSURRUS_ASSIGN_OR_RETURN(entries_left_, count(bytes, Part::arguments, 1, kIndexBytes));
  SUSURRUS_RETURN_IF_ERROR(graph_.begin_arguments(bubble_, entries_left_, parser_.position() - 4));
  return next_argument();
}

Status TennisReader::next_argument() {
  if (entries_left_ > 0) {
    --entries_left_;
    parser_.expect(4, "arguments", &TennisReader::on_argument);
    return ok_status();
  }
  // The sink gets the last node's end only if the graph is valid.
  if (node_ + 1 == graph_.node_count()) SUSURRUS_RETURN_IF_ERROR(graph_.check());
  SUSURRUS_RETURN_IF_ERROR(sink_.on_node_end(graph_.arguments(node_)));
  ++node_;
  return next_node();
}

Status TennisReader::on_argument(ByteSpan bytes) {
  SUSURRUS_RETURN_IF_ERROR(grow_graph(4, Part::arguments));
  SUSURRUS_RETURN_IF_ERROR(
      graph_.add_argument(bubble_, load_le<uint32_t>(bytes.data()), parser_.position() - 4));
  return next_argument();
}

Status TennisReader::end_graph() {
  end_ = parser_.position();
  parser_.stream_rest(&TennisReader::on_rest);
  if (const auto name = graph_.shared_input_name()) {
    sink_.on_warning("two inputs have the name \"" + shown_text(*name) + "\"");
  }
  if (nodes_without_op_ > 0) {
    const std::string more =
        nodes_without_op_ == 1 ? "" : " and " + std::to_string(nodes_without_op_ - 1) + " more";
    sink_.on_warning(first_without_op_ + more + ": without #op, cannot be run");
  }
  if (graph_.outputs().empty()) sink_.on_warning("there are no outputs: the module cannot be run");
  return ok_status();
}

Status TennisReader::on_rest(ByteSpan) { return ok_status(); }

Status TennisReader::finish() {
  if (failed_ || finished_) {
    return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
        .with_subject("reader");
  }
  // What was left out may have ended a tensor.
  SUSURRUS_RETURN_IF_ERROR(push({}));
  if (auto status = check_end(); !status) return fail(status.error());
  finished_ = true;
  return ok_status();
}

Status TennisReader::check_end() {
  if (first_byte_count_ < kTennisMinimumBytes) {
    if (first_byte_count_ >= 8 && load_le<uint32_t>(first_bytes_.data() + 4) != kTennisCode) {
      return not_tennis(first_bytes_);
    }
    return truncated(received_, "file").with_expected("at least 140 bytes").with_got(received_);
  }
  if (end_) {
    if (received_ > *end_) {
      sink_.on_warning(std::to_string(received_ - *end_) + " bytes behind the graph are ignored");
    }
    return ok_status();
  }
  for (const Claim& claim : claims_) SUSURRUS_RETURN_IF_ERROR(check(claim, received_));
  return truncated(received_, bubble_.subject(""))
      .with_expected("the rest of it")
      .with_got("the end");
}

}  // namespace susurrus
