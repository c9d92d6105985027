#include "container/ctranslate2/ctranslate2_reader.h"

#include "base/byte_cursor.h"
#include "base/name_index.h"

namespace susurrus {
namespace {

constexpr uint32_t kVersion = 6;
constexpr std::string_view kSpecification{"WhisperSpec", 12};  // its NUL counted
constexpr uint32_t kRevision = 3;
/// The shortest variable: a name of one character, a scalar of one byte.
constexpr uint64_t kLeastVariableBytes = 2 + 2 + 1 + 1 + 4 + 1;
constexpr uint64_t kLeastAliasBytes = 2 * (2 + 2);

}  // namespace

Status CTranslate2Reader::start() {
  checkpoint_.format = "CTranslate2";
  return expect(6, "version", &CTranslate2Reader::read_version);
}

Status CTranslate2Reader::read_version(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  const uint32_t version = cursor.u32();
  if (version != kVersion) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(0)
        .with_subject("version")
        .with_expected(kVersion)
        .with_got(version);
  }
  if (cursor.u16() != kSpecification.size()) {
    return malformed(ErrorReason::bad_metadata, 4, "specification").with_expected("WhisperSpec");
  }
  return expect(kSpecification.size() + 8, "specification", &CTranslate2Reader::read_specification);
}

Status CTranslate2Reader::read_specification(ByteSpan bytes) {
  ByteCursor cursor(bytes);
  const uint64_t begin = position() - bytes.size();
  if (as_text(cursor.take(kSpecification.size())) != kSpecification) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::model)
        .at(begin)
        .with_subject("specification")
        .with_expected("WhisperSpec");
  }
  const uint32_t revision = cursor.u32();
  if (revision != kRevision) {
    return make_error(ErrorCode::unsupported_version, ErrorReason::version)
        .at(begin + kSpecification.size())
        .with_subject("revision")
        .with_expected(kRevision)
        .with_got(revision);
  }
  checkpoint_.version = std::to_string(kVersion);
  checkpoint_.metadata.field("specification", "WhisperSpec").field("revision", revision);
  variable_count_ = cursor.u32();
  if (variable_count_ > left() / kLeastVariableBytes) {
    return malformed(ErrorReason::bad_index, position() - 4, "variable count")
        .with_expected("at most " + std::to_string(left() / kLeastVariableBytes))
        .with_got(variable_count_);
  }
  if (variable_count_ > limits::kCheckpointTensors) {
    return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
        .at(position() - 4)
        .with_subject("variable count")
        .with_expected("at most " + std::to_string(limits::kCheckpointTensors))
        .with_got(variable_count_);
  }
  return next_variable();
}

Status CTranslate2Reader::next_variable() {
  if (variables_.size() == variable_count_) {
    return expect(4, "alias count", &CTranslate2Reader::read_alias_count);
  }
  return expect(2, "variable name", &CTranslate2Reader::read_name_length);
}

Status CTranslate2Reader::read_name_length(ByteSpan bytes) {
  const uint16_t length = load_le<uint16_t>(bytes.data());
  if (length < 2) {
    return malformed(ErrorReason::bad_name, position() - 2, "variable name")
        .with_expected("a character and a NUL at least")
        .with_got(length);
  }
  // The rank stands after the name.
  return expect(uint64_t{length} + 1, "variable name", &CTranslate2Reader::read_name);
}

Status CTranslate2Reader::read_name(ByteSpan bytes) {
  const uint64_t begin = position() - bytes.size();
  const size_t length = bytes.size() - 2;
  CTranslate2Variable& variable = variables_.emplace_back();
  variable.name = as_text(bytes.first(length));
  if (bytes[length] != 0 || variable.name.find('\0') != std::string::npos) {
    return malformed(ErrorReason::bad_name, begin, variable.name).with_expected("a NUL at the end");
  }
  const uint32_t rank = bytes.back();
  if (rank > limits::kMaxDims) {
    return malformed(ErrorReason::bad_shape, position() - 1, variable.name)
        .with_expected("at most 8 dimensions")
        .with_got(rank);
  }
  return expect(uint64_t{rank} * 4 + 1 + 4, "variable", &CTranslate2Reader::read_shape);
}

Status CTranslate2Reader::read_shape(ByteSpan bytes) {
  const uint64_t begin = position() - bytes.size();
  CTranslate2Variable& variable = variables_.back();
  ByteCursor cursor(bytes);
  while (cursor.remaining() > 1 + 4) variable.shape.append(cursor.u32());
  variable.type = cursor.u8();
  variable.byte_count = cursor.u32();
  variable.offset = position();
  const uint32_t element_bytes = ctranslate2_type_bytes(variable.type);
  if (element_bytes == 0) {
    return make_error(ErrorCode::unsupported_feature, ErrorReason::unsupported_dtype)
        .at(position() - 5)
        .with_subject(variable.name)
        .with_expected("types 0 to 5")
        .with_got(variable.type);
  }
  const auto elements = variable.shape.element_count();
  const auto expected = elements ? checked_multiply(*elements, element_bytes) : elements;
  if (!expected) {
    return malformed(ErrorReason::bad_shape, begin, variable.name)
        .with_expected("dimensions whose product fits 64 bits");
  }
  if (*expected != variable.byte_count) {
    return malformed(ErrorReason::size_mismatch, position() - 4, variable.name)
        .with_expected(*expected)
        .with_got(variable.byte_count);
  }
  if (is_ctranslate2_setting(variable)) {
    if (variable.byte_count > left()) {
      return truncated(variable.name, variable.byte_count, left());
    }
    return expect(variable.byte_count, "variable", &CTranslate2Reader::read_kept_bytes);
  }
  if (variable.byte_count > left()) return truncated(variable.name, variable.byte_count, left());
  return pass_over(variable.byte_count, &CTranslate2Reader::next_variable);
}

Status CTranslate2Reader::read_kept_bytes(ByteSpan bytes) {
  variables_.back().bytes.assign(bytes.begin(), bytes.end());
  return next_variable();
}

Status CTranslate2Reader::read_alias_count(ByteSpan bytes) {
  const uint32_t count = load_le<uint32_t>(bytes.data());
  if (count > left() / kLeastAliasBytes) {
    return malformed(ErrorReason::bad_index, position() - 4, "alias count")
        .with_expected("at most " + std::to_string(left() / kLeastAliasBytes))
        .with_got(count);
  }
  alias_texts_left_ = uint64_t{2} * count;
  return next_alias_text();
}

/// Aliases say nothing that Whisper's tensors would not: the output is tied to the embedding.
Status CTranslate2Reader::next_alias_text() {
  if (alias_texts_left_ > 0) return expect(2, "alias", &CTranslate2Reader::read_alias_length);
  if (left() > 0) {
    return malformed(ErrorReason::trailing_data, position(), "file")
        .with_expected(position())
        .with_got(file_byte_count());
  }
  SUSURRUS_RETURN_IF_ERROR(map_ctranslate2_variables(variables_, checkpoint_));
  return complete();
}

Status CTranslate2Reader::read_alias_length(ByteSpan bytes) {
  const uint16_t length = load_le<uint16_t>(bytes.data());
  if (length < 2) {
    return malformed(ErrorReason::bad_name, position() - 2, "alias")
        .with_expected("a character and a NUL at least")
        .with_got(length);
  }
  return expect(length, "alias", &CTranslate2Reader::read_alias_text);
}

Status CTranslate2Reader::read_alias_text(ByteSpan bytes) {
  if (bytes.back() != 0) {
    return malformed(ErrorReason::bad_name, position() - bytes.size(), "alias")
        .with_expected("a NUL at the end");
  }
  --alias_texts_left_;
  return next_alias_text();
}

}  // namespace susurrus
