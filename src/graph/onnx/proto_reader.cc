#include "graph/onnx/proto_reader.h"

namespace susurrus {

Error ProtoReader::bad(ErrorReason reason) const {
  return make_error(ErrorCode::malformed, reason).at(offset_ + at_).with_subject(subject_);
}

Status ProtoReader::take(uint64_t byte_count) const {
  if (budget_ == nullptr) return ok_status();
  const Status status = budget_->take(byte_count);
  if (status) return status;
  Error error = status.error();
  error.offset = offset_ + at_;
  if (error.code == ErrorCode::limit_exceeded) error.subject = std::string_view(subject_);
  return error;
}

Result<uint64_t> ProtoReader::varint() {
  uint64_t value = 0;
  for (uint32_t shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
    const uint8_t byte = bytes_[at_++];
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return value;
  }
  return bad(ErrorReason::bad_metadata);
}

Result<std::optional<ProtoField>> ProtoReader::next() {
  if (at_end()) return std::optional<ProtoField>();
  SUSURRUS_ASSIGN_OR_RETURN(const uint64_t key, varint());
  ProtoField field;
  field.number = key >> 3;
  uint64_t size = 0;
  switch (key & 7) {
    case 0: {
      SUSURRUS_ASSIGN_OR_RETURN(field.value, varint());
      return std::optional(field);
    }
    case 1:
      field.kind = ProtoField::Kind::fixed64;
      size = 8;
      break;
    case 2: {
      field.kind = ProtoField::Kind::bytes;
      SUSURRUS_ASSIGN_OR_RETURN(size, varint());
      break;
    }
    case 5:
      field.kind = ProtoField::Kind::fixed32;
      size = 4;
      break;
    default: return bad(ErrorReason::bad_metadata);
  }
  if (size > bytes_.size() - at_) return bad(ErrorReason::bounds);
  field.offset = offset_ + at_;
  field.bytes = bytes_.subspan(at_, static_cast<size_t>(size));
  at_ += static_cast<size_t>(size);
  for (size_t i = 0; field.kind != ProtoField::Kind::bytes && i < size; ++i) {
    field.value |= static_cast<uint64_t>(field.bytes[i]) << 8 * i;
  }
  return std::optional(field);
}

}  // namespace susurrus
