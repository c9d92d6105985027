#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "container/read_error.h"

namespace susurrus::bw2l {

inline Error beyond_limit(uint64_t offset, std::string_view subject, uint64_t limit) {
  return make_error(ErrorCode::limit_exceeded, ErrorReason::limit)
      .at(offset)
      .about(subject)
      .expecting("at most " + std::to_string(limit));
}

inline Error too_long(uint64_t offset, std::string_view subject, uint64_t room, uint64_t length) {
  return malformed(ErrorReason::bounds, offset, subject)
      .expecting("at most " + std::to_string(room) + " bytes")
      .having(length);
}

}  // namespace susurrus::bw2l
