#pragma once
#include <string_view>

#include "base/error.h"

namespace susurrus {

/// Bytes that break the rules of their format, at `offset` of the file.
inline Error malformed(ErrorReason reason, uint64_t offset, std::string_view subject) {
  return make_error(ErrorCode::malformed, reason).at(offset).with_subject(subject);
}

/// A file that ends at `offset`, inside `subject`.
inline Error truncated(uint64_t offset, std::string_view subject) {
  return make_error(ErrorCode::truncated_input, ErrorReason::truncated)
      .at(offset)
      .with_subject(subject);
}

/// What a caller gave to a writer.
inline Error wrong_argument(std::string_view subject) {
  return make_error(ErrorCode::invalid_argument, ErrorReason::option).with_subject(subject);
}

}  // namespace susurrus
