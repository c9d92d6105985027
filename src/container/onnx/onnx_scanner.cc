#include "container/onnx/onnx_scanner.h"

#include <algorithm>

#include "base/name_index.h"

namespace susurrus {
namespace {

// Far beyond real networks, and little memory.
constexpr size_t kMaxValues = 1 << 14;
constexpr size_t kMaxInitializers = 1 << 16;
constexpr size_t kMaxOperators = 1 << 10;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMaxAllNameBytes = 4 << 20;
constexpr size_t kMaxDims = 16;

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

}  // namespace

OnnxScanner::OnnxScanner(const char* subject, uint64_t file_offset, uint64_t byte_count)
    : subject_(subject), begin_(file_offset), position_(file_offset) {
  frames_[depth_++] = {Message::model, file_offset + byte_count};
  start_varint(State::key);
}

Error OnnxScanner::bad(ErrorReason reason, uint64_t offset) const {
  return make_error(ErrorCode::malformed, reason).at(offset).with_subject(subject_);
}

Error OnnxScanner::too_many(const char* what) const {
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .at(position_)
      .with_subject(subject_)
      .with_got(what);
}

void OnnxScanner::start_varint(State state) {
  state_ = state;
  varint_ = 0;
  varint_bytes_ = 0;
}

Status OnnxScanner::push(ByteSpan bytes) {
  while (!bytes.empty()) {
    if (state_ == State::skip || state_ == State::text) {
      const auto count = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
      if (state_ == State::text) text_ += as_text(bytes.first(count));
      bytes = bytes.subspan(count);
      position_ += count;
      left_ -= count;
      if (left_ > 0) continue;
      if (state_ == State::text) SUSURRUS_RETURN_IF_ERROR(on_text());
      SUSURRUS_RETURN_IF_ERROR(close_messages());
      continue;
    }
    const uint8_t byte = bytes[0];
    bytes = bytes.subspan(1);
    if (varint_bytes_ == 0) varint_at_ = position_;
    ++position_;
    // The tenth byte has one bit left.
    if (varint_bytes_ == 9 && byte > 1) {
      return bad(ErrorReason::bad_metadata, varint_at_).with_expected("a varint of 64 bits");
    }
    varint_ |= uint64_t{byte & 0x7Fu} << (7 * varint_bytes_++);
    const bool goes_on = (byte & 0x80) != 0;
    const bool needs_more = goes_on || state_ == State::key;
    if (needs_more && position_ == frames_[depth_ - 1].end) {
      return bad(ErrorReason::bounds, varint_at_)
          .with_expected("a field that ends with its message");
    }
    if (!goes_on) SUSURRUS_RETURN_IF_ERROR(on_varint());
  }
  return ok_status();
}

Status OnnxScanner::on_varint() {
  if (state_ == State::key) return on_key();
  if (state_ == State::length) return on_length();
  on_number();
  return close_messages();
}

Status OnnxScanner::on_key() {
  field_ = varint_ >> 3;
  const uint64_t wire_type = varint_ & 7;
  const Message parent = frames_[depth_ - 1].message;
  const bool is_known =
      child(parent, field_) != Message::none || text_of(parent, field_) != Text::none;
  if (field_ == 0 || varint_ > UINT32_MAX || (is_known && wire_type != kLength)) {
    return bad(ErrorReason::bad_metadata, varint_at_).with_expected("a field of ONNX");
  }
  switch (wire_type) {
    case kVarint: start_varint(State::number); return ok_status();
    case kLength: start_varint(State::length); return ok_status();
    case kFixed64:
    case kFixed32:
      left_ = wire_type == kFixed64 ? 8 : 4;
      if (left_ > frames_[depth_ - 1].end - position_) {
        return bad(ErrorReason::bounds, varint_at_)
            .with_expected("a field that ends with its message");
      }
      state_ = State::skip;
      return ok_status();
    default:
      return bad(ErrorReason::bad_metadata, varint_at_)
          .with_expected("a kind of field that ONNX has")
          .with_got(wire_type);
  }
}

Status OnnxScanner::on_length() {
  const uint64_t room = frames_[depth_ - 1].end - position_;
  if (varint_ > room) {
    return bad(ErrorReason::bounds, varint_at_).with_expected(room).with_got(varint_);
  }
  left_ = varint_;
  SUSURRUS_RETURN_IF_ERROR(begin_length_field(position_));
  if (left_ > 0 && (state_ == State::skip || state_ == State::text)) return ok_status();
  if (state_ == State::text) SUSURRUS_RETURN_IF_ERROR(on_text());
  return close_messages();
}

Status OnnxScanner::begin_length_field(uint64_t begin) {
  const Message parent = frames_[depth_ - 1].message;
  text_kind_ = text_of(parent, field_);
  if (text_kind_ != Text::none) {
    if (left_ > kMaxNameBytes) return too_many("a name of more than 4096 bytes");
    text_.clear();
    state_ = State::text;
    return ok_status();
  }
  const Message message = child(parent, field_);
  if (message == Message::none) {
    state_ = State::skip;
    return ok_status();
  }
  frames_[depth_++] = {message, begin + left_};
  start_varint(State::key);
  switch (message) {
    case Message::graph: has_graph_ = true; break;
    case Message::node: ++network_.node_count; break;
    case Message::initializer: ++network_.initializer_count; break;
    case Message::input:
    case Message::output:
      value_ = OnnxValue();
      value_.file_offset = begin;
      break;
    case Message::shape: value_.has_shape = true; break;
    case Message::dim:
      if (value_.dims.size() == kMaxDims) return too_many("more than 16 dimensions");
      value_.dims.push_back(OnnxValue::kDynamic);
      break;
    case Message::opset:
      opset_domain_.clear();
      opset_version_ = 0;
      break;
    default: break;
  }
  return ok_status();
}

OnnxScanner::Message OnnxScanner::child(Message parent, uint64_t field) const {
  switch (parent) {
    case Message::model:
      return field == 7 ? Message::graph : field == 8 ? Message::opset : Message::none;
    case Message::graph:
      return field == 1    ? Message::node
             : field == 5  ? Message::initializer
             : field == 11 ? Message::input
             : field == 12 ? Message::output
                           : Message::none;
    case Message::input:
    case Message::output: return field == 2 ? Message::type : Message::none;
    case Message::type: return field == 1 ? Message::tensor_type : Message::none;
    case Message::tensor_type: return field == 2 ? Message::shape : Message::none;
    case Message::shape: return field == 1 ? Message::dim : Message::none;
    default: return Message::none;
  }
}

OnnxScanner::Text OnnxScanner::text_of(Message parent, uint64_t field) const {
  switch (parent) {
    case Message::input:
    case Message::output: return field == 1 ? Text::value_name : Text::none;
    case Message::initializer: return field == 8 ? Text::initializer_name : Text::none;
    case Message::node: return field == 4 ? Text::operator_type : Text::none;
    case Message::opset: return field == 1 ? Text::opset_domain : Text::none;
    default: return Text::none;
  }
}

void OnnxScanner::on_number() {
  const Message message = frames_[depth_ - 1].message;
  if (message == Message::model && field_ == 1) network_.ir_version = varint_;
  if (message == Message::opset && field_ == 2) opset_version_ = varint_;
  if (message == Message::tensor_type && field_ == 1) value_.element_type = varint_;
  // A size that is negative is as good as none.
  if (message == Message::dim && field_ == 1 && varint_ <= INT64_MAX) {
    value_.dims.back() = static_cast<int64_t>(varint_);
  }
}

Status OnnxScanner::on_text() {
  name_bytes_ += text_.size();
  switch (text_kind_) {
    case Text::value_name: value_.name = text_; break;
    case Text::opset_domain: opset_domain_ = text_; break;
    case Text::initializer_name:
      if (initializer_names_.size() == kMaxInitializers)
        return too_many("more than 65536 initialisers");
      initializer_names_.push_back(text_);
      break;
    case Text::operator_type: {
      auto& names = network_.operators;
      const auto at = std::lower_bound(names.begin(), names.end(), text_);
      if (at != names.end() && *at == text_) {
        name_bytes_ -= text_.size();
        break;
      }
      if (names.size() == kMaxOperators) return too_many("more than 1024 operators");
      names.insert(at, text_);
      break;
    }
    case Text::none: break;
  }
  if (name_bytes_ > kMaxAllNameBytes) return too_many("more than 4 MiB of names");
  return ok_status();
}

Status OnnxScanner::close_messages() {
  start_varint(State::key);
  while (depth_ > 1 && position_ == frames_[depth_ - 1].end) {
    SUSURRUS_RETURN_IF_ERROR(leave(frames_[--depth_].message));
  }
  return ok_status();
}

Status OnnxScanner::leave(Message message) {
  if (message == Message::input || message == Message::output) {
    auto& values = message == Message::input ? network_.inputs : network_.outputs;
    if (values.size() == kMaxValues) return too_many("more than 16384 inputs or outputs");
    values.push_back(std::move(value_));
  }
  if (message == Message::opset && (opset_domain_.empty() || opset_domain_ == "ai.onnx")) {
    network_.opset_version = opset_version_;
  }
  return ok_status();
}

Status OnnxScanner::finish() {
  if (!has_graph_)
    return bad(ErrorReason::model, begin_).with_expected("an ONNX model with a graph");
  // Old networks list their weights among the inputs.
  NameIndex weights;
  for (const std::string& name : initializer_names_) weights.add(name, 0);
  weights.sort();
  std::erase_if(network_.inputs,
                [&](const OnnxValue& value) { return weights.find(value.name) != nullptr; });
  initializer_names_ = {};
  return ok_status();
}

}  // namespace susurrus
