#include "container/tennis/tennis_writer.h"

namespace susurrus {
namespace {

Error out_of_order(const char* part) {
  return make_error(ErrorCode::wrong_state, ErrorReason::state).with_subject(part);
}

Error disabled() {
  return make_error(ErrorCode::disabled_by_previous_error, ErrorReason::state)
      .with_subject("writer");
}

/// What the reader found wrong is the caller's mistake.
Error as_argument(Error error) {
  if (error.code == ErrorCode::malformed || error.code == ErrorCode::unsupported_feature) {
    error.code = ErrorCode::invalid_argument;
  }
  return error;
}

}  // namespace

TennisWriter::TennisWriter(ByteSink& sink) : sink_(sink), check_(nowhere_) {}

Status TennisWriter::write(ByteSpan bytes) {
  if (failed_) return disabled();
  failed_ = true;
  if (auto status = check_.push(bytes); !status) return as_argument(status.error());
  SUSURRUS_RETURN_IF_ERROR(sink_.write(bytes));
  failed_ = false;
  return ok_status();
}

Status TennisWriter::write_number(uint32_t number) {
  uint8_t bytes[4];
  store_le(bytes, number);
  return write(bytes);
}

Status TennisWriter::write_list(std::span<const uint32_t> list) {
  SUSURRUS_RETURN_IF_ERROR(write_number(static_cast<uint32_t>(list.size())));
  for (const uint32_t number : list) SUSURRUS_RETURN_IF_ERROR(write_number(number));
  return ok_status();
}

Status TennisWriter::on_header(const TennisHeader& header) {
  if (stage_ != Stage::header) return out_of_order("header");
  stage_ = Stage::module;
  SUSURRUS_RETURN_IF_ERROR(write_number(static_cast<uint32_t>(header.reserved_word)));
  SUSURRUS_RETURN_IF_ERROR(write_number(kTennisCode));
  return write(header.user_bytes);
}

Status TennisWriter::on_module(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
                               uint32_t node_count) {
  if (stage_ != Stage::module) return out_of_order("module");
  stage_ = Stage::nodes;
  nodes_left_ = node_count;
  SUSURRUS_RETURN_IF_ERROR(write_list(inputs));
  SUSURRUS_RETURN_IF_ERROR(write_list(outputs));
  return write_number(node_count);
}

Status TennisWriter::on_node(uint32_t parameter_count) {
  if (stage_ != Stage::nodes || nodes_left_ == 0) return out_of_order("node");
  stage_ = Stage::parameters;
  --nodes_left_;
  parameters_left_ = parameter_count;
  return write_number(parameter_count);
}

Status TennisWriter::on_parameter(std::string_view name, uint32_t field_count) {
  if (!is_between_parameters() || parameters_left_ == 0) return out_of_order("parameter");
  --parameters_left_;
  fields_left_ = field_count;
  SUSURRUS_RETURN_IF_ERROR(write_number(static_cast<uint32_t>(name.size())));
  SUSURRUS_RETURN_IF_ERROR(write(as_bytes(name)));
  return write_number(field_count);
}

Status TennisWriter::on_tensor(const TennisTensor& tensor) {
  if (stage_ != Stage::parameters || fields_left_ == 0 || bytes_left_ > 0) {
    return out_of_order("tensor");
  }
  const auto byte_count = tennis_tensor_byte_count(tensor.dtype, tensor.shape);
  bool fits = byte_count.has_value();
  for (const uint64_t dim : tensor.shape.dims()) fits = fits && dim <= INT32_MAX;
  if (!fits) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::bad_shape)
        .at(check_.received())
        .with_subject("tensor");
  }
  --fields_left_;
  bytes_left_ = *byte_count;
  const auto dtype = static_cast<uint8_t>(tensor.dtype);
  SUSURRUS_RETURN_IF_ERROR(write({&dtype, 1}));
  SUSURRUS_RETURN_IF_ERROR(write_number(tensor.shape.rank()));
  for (const uint64_t dim : tensor.shape.dims()) {
    SUSURRUS_RETURN_IF_ERROR(write_number(static_cast<uint32_t>(dim)));
  }
  return ok_status();
}

Status TennisWriter::on_tensor_bytes(ByteSpan bytes) {
  if (bytes.size() > bytes_left_) {
    return make_error(ErrorCode::invalid_argument, ErrorReason::size_mismatch)
        .at(check_.received())
        .with_subject("tensor")
        .with_expected(bytes_left_)
        .with_got(bytes.size());
  }
  bytes_left_ -= bytes.size();
  return write(bytes);
}

Status TennisWriter::on_node_end(std::span<const uint32_t> arguments) {
  if (!is_between_parameters() || parameters_left_ > 0) return out_of_order("arguments");
  stage_ = Stage::nodes;
  return write_list(arguments);
}

Status TennisWriter::finish() {
  if (failed_) return disabled();
  if (stage_ != Stage::nodes || nodes_left_ > 0) return out_of_order("end");
  stage_ = Stage::done;
  if (auto status = check_.finish(); !status) return as_argument(status.error());
  return ok_status();
}

}  // namespace susurrus
