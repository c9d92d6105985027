#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "container/read_error.h"

namespace susurrus::bw2l {

inline Error beyond_limit(uint64_t offset, std::string_view subject, uint64_t limit) {
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .at(offset)
      .with_subject(subject)
      .with_expected("at most " + std::to_string(limit));
}

inline Error too_long(uint64_t offset, std::string_view subject, uint64_t room, uint64_t length) {
  return malformed(ErrorReason::bounds, offset, subject)
      .with_expected("at most " + std::to_string(room) + " bytes")
      .with_got(length);
}

}  // namespace susurrus::bw2l
