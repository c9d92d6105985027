// What suites of malformed files share: pushing a file in pieces, changing it, and the error that it has to give.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "harness.h"

namespace susurrus::testing {

/// Pushes `file` in chunks that `next_size` gives, each from memory of its own, so that ASan sees a read past one.
template <typename Reader, typename NextSize>
Status read(Reader& reader, const std::vector<uint8_t>& file, bool tell_length,
            NextSize&& next_size) {
  if (tell_length) reader.set_file_byte_count(file.size());
  for (size_t at = 0; at < file.size();) {
    const size_t count = std::min(std::max<size_t>(next_size(), 1), file.size() - at);
    const std::vector<uint8_t> chunk(file.begin() + at, file.begin() + at + count);
    SUSURRUS_RETURN_IF_ERROR(reader.push(chunk));
    at += count;
  }
  return reader.finish();
}

template <typename T>
std::vector<uint8_t> with(std::vector<uint8_t> file, uint64_t at, T value) {
  store_le(file.data() + at, value);
  return file;
}

inline std::vector<uint8_t> cut(std::vector<uint8_t> file, size_t size) {
  file.resize(size);
  return file;
}

/// `one` has name, code, reason, offset and subject.
template <typename Malformed>
void expect_error(const Malformed& one, const Status& status, const char* how) {
  const std::string where = std::string(one.name) + ", " + how;
  if (status) {
    report_failure(__FILE__, __LINE__, where + ": accepted");
    return;
  }
  const Error& error = status.error();
  if (error.code == one.code && error.reason == one.reason && error.offset == one.offset &&
      error.subject.view() == one.subject) {
    return;
  }
  report_failure(__FILE__, __LINE__,
                 where + ": " + std::string(error_code_name(error.code)) + " " +
                     std::string(error_reason_name(error.reason)) + " at " +
                     std::to_string(error.offset) + " about " + std::string(error.subject.view()) +
                     ", expected " + std::string(error.expected.view()) + ", got " +
                     std::string(error.got.view()) + "; wanted at " + std::to_string(one.offset) +
                     " about " + std::string(one.subject));
}

}  // namespace susurrus::testing
