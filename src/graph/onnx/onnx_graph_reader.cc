#include "graph/onnx/onnx_graph_reader.h"

#include <algorithm>
#include <cstring>

#include "graph/onnx/onnx_translation.h"

namespace susurrus {
namespace {

/// Weights that are smaller are kept as they stand in the file.
constexpr uint64_t kLargeWeight = 16 << 10;

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };
// Fields.
constexpr uint64_t kModelGraph = 7;
constexpr uint64_t kModelOpset = 8;
constexpr uint64_t kGraphNode = 1;
constexpr uint64_t kGraphInitializer = 5;
constexpr uint64_t kGraphInput = 11;
constexpr uint64_t kGraphOutput = 12;
constexpr uint64_t kTensorRaw = 9;

void append_varint(std::vector<uint8_t>& bytes, uint64_t value) {
  for (; value > 127; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 128));
  bytes.push_back(static_cast<uint8_t>(value));
}

}  // namespace

OnnxGraphReader::OnnxGraphReader(const char* subject, uint64_t file_offset, uint64_t byte_count,
                                 const WeightOptions& weights)
    : subject_(subject),
      options_(weights),
      position_(file_offset),
      begin_(file_offset),
      byte_count_(byte_count),
      graph_fields_(subject) {
  frames_.push_back({Message::model, file_offset + byte_count});
}

Error OnnxGraphReader::bad(ErrorReason reason, uint64_t offset) const {
  return make_error(ErrorCode::malformed, reason).at(offset).with_subject(subject_);
}

ProtoReader OnnxGraphReader::reader_of(const Kept& kept, PieceBudget* budget) const {
  return {subject_, kept.bytes, kept.offset, budget};
}

Status OnnxGraphReader::push(ByteSpan bytes) {
  while (!bytes.empty()) {
    if (state_ == State::contents) {
      const auto count = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
      SUSURRUS_RETURN_IF_ERROR(take(bytes.first(count)));
      bytes = bytes.subspan(count);
      position_ += count;
      left_ -= count;
      if (left_ == 0) SUSURRUS_RETURN_IF_ERROR(end_field());
      continue;
    }
    if (varint_bits_ == 0) varint_at_ = position_;
    if (frames_.back().message == Message::graph) {
      if (varint_bits_ == 0 && state_ == State::key) graph_fields_.begin(position_);
      SUSURRUS_RETURN_IF_ERROR(graph_fields_.add(bytes.first(1), position_));
    }
    const uint8_t byte = bytes.front();
    bytes = bytes.subspan(1);
    ++position_;
    varint_ |= static_cast<uint64_t>(byte & 127) << varint_bits_;
    varint_bits_ += 7;
    if (byte < 128) {
      SUSURRUS_RETURN_IF_ERROR(on_varint());
    } else if (varint_bits_ > 63 || position_ == frames_.back().end) {
      return bad(ErrorReason::bad_metadata, varint_at_);
    }
  }
  return ok_status();
}

Status OnnxGraphReader::on_varint() {
  const uint64_t value = std::exchange(varint_, 0);
  varint_bits_ = 0;
  const bool is_last = position_ == frames_.back().end;
  switch (state_) {
    case State::key: {
      key_ = value;
      const uint64_t wire_type = value & 7;
      if (wire_type != kVarint && wire_type != kFixed64 && wire_type != kLength &&
          wire_type != kFixed32) {
        return bad(ErrorReason::bad_metadata, varint_at_);
      }
      if (is_last) return bad(ErrorReason::bounds, varint_at_);
      if (frames_.back().message == Message::tensor && (value >> 3 != kTensorRaw)) {
        append_varint(tensor_fields_.bytes, value);
      }
      if (wire_type == kVarint) {
        state_ = State::number;
      } else if (wire_type == kLength) {
        state_ = State::length;
      } else {
        left_ = wire_type == kFixed64 ? 8 : 4;
        if (left_ > frames_.back().end - position_) return bad(ErrorReason::bounds, varint_at_);
        place_ = usual_place();
        state_ = State::contents;
      }
      return ok_status();
    }
    case State::number:
      if (frames_.back().message == Message::tensor) append_varint(tensor_fields_.bytes, value);
      return end_field();
    default:
      if (value > frames_.back().end - position_) {
        return bad(ErrorReason::bounds, varint_at_)
            .with_expected(frames_.back().end - position_)
            .with_got(value);
      }
      left_ = value;
      return on_length();
  }
}

/// Where fields are kept that stand for nothing else.
OnnxGraphReader::Place OnnxGraphReader::usual_place() const {
  switch (frames_.back().message) {
    case Message::graph: return Place::graph_fields;
    case Message::tensor: return Place::tensor_fields;
    default: return Place::nowhere;
  }
}

/// A field of bytes begins, or a message.
Status OnnxGraphReader::on_length() {
  const uint64_t field = key_ >> 3;
  state_ = State::contents;
  place_ = usual_place();
  switch (frames_.back().message) {
    case Message::model:
      if (field == kModelGraph) {
        has_graph_ = true;
        frames_.push_back({Message::graph, position_ + left_});
        left_ = 0;
        return end_field();
      }
      if (field == kModelOpset) {
        opset_field_ = {position_, {}};
        place_ = Place::opset;
      }
      break;
    case Message::graph:
      if (field == kGraphInitializer && left_ >= kLargeWeight) {
        graph_fields_.leave_out();
        frames_.push_back({Message::tensor, position_ + left_});
        tensor_fields_ = {position_, {}};
        has_elements_ = false;
        left_ = 0;
        return end_field();
      }
      if (field == kGraphNode && has_matrices_) {
        return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported)
            .at(position_)
            .with_subject(subject_)
            .with_expected("nodes that are all in front of the weights");
      }
      // Shapes of values between nodes, descriptions: small ones do not end a run.
      if (field != kGraphNode && field != kGraphInput && field != kGraphOutput &&
          left_ >= kLargeWeight) {
        graph_fields_.leave_out();
        place_ = Place::nowhere;
      }
      break;
    case Message::tensor:
      if (field == kTensorRaw) {
        SUSURRUS_RETURN_IF_ERROR(begin_elements());
      } else {
        append_varint(tensor_fields_.bytes, left_);
        place_ = Place::tensor_fields;
      }
      break;
  }
  return left_ == 0 ? end_field() : ok_status();
}

Status OnnxGraphReader::read_uses() {
  has_uses_ = true;
  return graph_fields_.visit(kGraphNode, [&](const ProtoReader& reader, uint64_t offset) -> Status {
    // What is wrong with a node is found when the graph is made.
    const auto node = read_onnx_node(reader, offset);
    return node ? uses_.add(*node) : ok_status();
  });
}

Status OnnxGraphReader::begin_elements() {
  if (has_elements_) return bad(ErrorReason::bad_metadata, varint_at_);
  has_elements_ = true;
  element_bytes_ = static_cast<size_t>(left_);
  if (!has_uses_) SUSURRUS_RETURN_IF_ERROR(read_uses());
  matrix_.reset();
  place_ = Place::elements;
  const auto known = read_onnx_tensor(reader_of(tensor_fields_), tensor_fields_.offset);
  const auto count = known ? known->shape.element_count() : std::nullopt;
  constexpr uint64_t kFloat = 1;
  if (count && known->data_type == kFloat && left_ % sizeof(float) == 0 &&
      *count == left_ / sizeof(float)) {
    if (const auto order = uses_.order_of(known->name, known->shape)) {
      is_turned_ = *order == MatrixOrder::columns;
      const Shape shape = is_turned_ ? Shape{known->shape[1], known->shape[0]} : known->shape;
      const uint64_t columns = shape.last();
      const auto type =
          is_worth_packing(*count / columns, columns) ? options_.type : WeightType::f32;
      auto writer = MatrixWriter::make(shape, *order, type, *options_.kernels);
      if (!writer) return writer.error();
      matrix_.emplace(std::move(*writer));
      has_matrices_ = true;
      place_ = Place::matrix;
      return ok_status();
    }
  }
  SUSURRUS_ASSIGN_OR_RETURN(elements_, AlignedBuffer::allocate(left_, "weights"));
  return ok_status();
}

Status OnnxGraphReader::take(ByteSpan bytes) {
  switch (place_) {
    case Place::nowhere: break;
    case Place::matrix: matrix_->push(bytes); break;
    case Place::elements:
      std::memcpy(elements_.data() + (element_bytes_ - static_cast<size_t>(left_)), bytes.data(),
                  bytes.size());
      break;
    case Place::tensor_fields: return keep_bytes(bytes, position_, tensor_fields_.bytes);
    case Place::graph_fields: return graph_fields_.add(bytes, position_);
    case Place::opset: return keep_bytes(bytes, position_, opset_field_.bytes);
  }
  return ok_status();
}

Status OnnxGraphReader::end_field() {
  state_ = State::key;
  if (place_ == Place::opset) {
    place_ = Place::nowhere;
    SUSURRUS_RETURN_IF_ERROR(read_onnx_opset(reader_of(opset_field_), opset_));
  }
  while (frames_.size() > 1 && position_ == frames_.back().end) {
    if (frames_.back().message == Message::tensor) SUSURRUS_RETURN_IF_ERROR(end_tensor());
    frames_.pop_back();
  }
  return ok_status();
}

Status OnnxGraphReader::end_tensor() {
  SUSURRUS_ASSIGN_OR_RETURN(const OnnxTensor tensor,
                            read_onnx_tensor(reader_of(tensor_fields_), tensor_fields_.offset));
  Weight& weight = weights_.emplace_back();
  weight.name = tensor.name;
  if (!has_elements_) {
    SUSURRUS_ASSIGN_OR_RETURN(weight.tensor, take_tensor(tensor));
    return ok_status();
  }
  if (matrix_) {
    weight.tensor = matrix_->finish();
    weight.is_turned = is_turned_;
    matrix_.reset();
    return ok_status();
  }
  SUSURRUS_ASSIGN_OR_RETURN(const ElementType type, onnx_element_type(tensor.data_type));
  SUSURRUS_RETURN_IF_ERROR(check_byte_count(tensor, type, element_bytes_));
  weight.tensor = {type, tensor.shape, std::move(elements_), {}};
  return ok_status();
}

Result<Graph> OnnxGraphReader::finish(std::span<const OnnxFixedInput> fixed) {
  if (position_ != frames_.front().end || state_ != State::key || varint_bits_ != 0) {
    return bad(ErrorReason::bounds, position_);
  }
  if (!has_graph_) return bad(ErrorReason::model, begin_);
  uses_ = MatrixUses(byte_count_);
  OnnxTranslation translation(opset_, byte_count_);
  for (Weight& weight : weights_) {
    translation.add_weight(weight.name, std::move(weight.tensor), weight.is_turned);
  }
  weights_.clear();
  SUSURRUS_RETURN_IF_ERROR(translation.status());
  // Each is read, becomes a part of the graph and is forgotten.
  SUSURRUS_RETURN_IF_ERROR(graph_fields_.visit(
      kGraphInitializer, [&](const ProtoReader& reader, uint64_t offset) -> Status {
        SUSURRUS_ASSIGN_OR_RETURN(const OnnxTensor tensor, read_onnx_tensor(reader, offset));
        return translation.add_initializer(tensor);
      }));
  SUSURRUS_RETURN_IF_ERROR(
      graph_fields_.visit(kGraphInput, [&](const ProtoReader& reader, uint64_t) -> Status {
        SUSURRUS_ASSIGN_OR_RETURN(const OnnxValueInfo input, read_onnx_value(reader));
        return translation.add_input(input, fixed);
      }));
  SUSURRUS_RETURN_IF_ERROR(
      graph_fields_.visit(kGraphNode, [&](const ProtoReader& reader, uint64_t offset) -> Status {
        SUSURRUS_ASSIGN_OR_RETURN(const OnnxNode node, read_onnx_node(reader, offset));
        return translation.add_node(node);
      }));
  SUSURRUS_RETURN_IF_ERROR(
      graph_fields_.visit(kGraphOutput, [&](const ProtoReader& reader, uint64_t) -> Status {
        SUSURRUS_ASSIGN_OR_RETURN(const OnnxValueInfo output, read_onnx_value(reader));
        return translation.add_output(output);
      }));
  graph_fields_.clear();
  return translation.finish(options_);
}

}  // namespace susurrus
