#pragma once
#include <cstdint>
#include <string_view>

#include "base/fixed_string.h"

namespace susurrus {

enum class ErrorCode : uint8_t {
  ok = 0,
#define SUSURRUS_ERROR(name, number, meaning) name = number,
#include "facts/error_codes.inc"
#undef SUSURRUS_ERROR
};

enum class ErrorReason : uint8_t {
#define SUSURRUS_REASON(name) name,
#include "facts/error_reasons.inc"
#undef SUSURRUS_REASON
};

inline constexpr uint64_t kNoOffset = ~uint64_t{0};

/// What went wrong, where, and what was expected. Held in place; making one never allocates.
struct Error {
  ErrorCode code = ErrorCode::internal_error;
  ErrorReason reason = ErrorReason::none;
  /// Byte offset in the file or stream, or kNoOffset.
  uint64_t offset = kNoOffset;
  /// The field or tensor concerned: "encoder.conv1.weight", "tensor_count".
  FixedString<120> subject;
  FixedString<120> expected;
  FixedString<120> got;

  // For the expression that makes the error. Hundreds of places do: each is a few calls and copies nothing.
  Error&& at(uint64_t byte_offset) && {
    offset = byte_offset;
    return static_cast<Error&&>(*this);
  }
  Error&& with_subject(std::string_view what) &&;
  Error&& with_subject(const char* what) &&;
  Error&& with_expected(std::string_view text) &&;
  Error&& with_expected(const char* text) &&;
  Error&& with_expected(uint64_t number) &&;
  Error&& with_got(std::string_view text) &&;
  Error&& with_got(const char* text) &&;
  Error&& with_got(uint64_t number) &&;
};

/// Starts an error: make_error(ErrorCode::malformed, ErrorReason::bad_index).at(40).with_subject("tensor_count").with_got(7)
Error make_error(ErrorCode code, ErrorReason reason);

std::string_view error_code_name(ErrorCode code);
std::string_view error_code_meaning(ErrorCode code);
std::string_view error_reason_name(ErrorReason reason);

}  // namespace susurrus
